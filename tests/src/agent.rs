//! The whole agent in this process, without Envoys: files are watched, translated and served over real gRPC.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use gateway_agent::provider::file::{self, Loaded};
use gateway_agent::xds::cache::SnapshotCache;
use gateway_agent::xds::ledger::Ledger;
use gateway_agent::xds::metrics::XdsMetrics;
use gateway_agent::xds::service::{XdsOptions, XdsServer};
use gateway_shared::config::Config;
use gateway_shared::gatewayapi::object_status::object_statuses;
use gateway_shared::pipeline::{self, Cache, Outcome};
use prometheus_client::registry::Registry;
use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::contains::difference;
use crate::proxy_config::ProxyConfig;
use crate::wait;
use crate::xds_client::{Received, XdsClient};

/// A running agent. It stops when it is dropped.
#[derive(Debug)]
pub struct Agent {
    xds: SocketAddr,
    snapshots: SnapshotCache,
    ledger: Ledger,
    config: Config,
    directory: TempDir,
    outcome: watch::Receiver<Option<Arc<Outcome>>>,
    stop: CancellationToken,
}

impl Agent {
    /// Starts one on a file `objects.yaml` with these documents.
    ///
    /// # Panics
    /// When it can't be started, or never translates.
    pub async fn start(documents: &[&str]) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let objects = directory.path().join("objects");
        std::fs::create_dir(&objects).expect("a folder for the objects");
        write(&objects, "objects.yaml", documents);
        let config = Config { backend_enabled: true, ..Config::default() };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has a free port");
        let xds = listener.local_addr().expect("a bound socket has an address");
        let stop = CancellationToken::new();
        let (snapshots, ledger) = (SnapshotCache::new(), Ledger::new());
        let metrics = XdsMetrics::new(&mut Registry::default());
        let server = XdsServer::new(snapshots.clone(), ledger.clone(), metrics, XdsOptions::default());
        tokio::spawn(server.serve(listener, stop.clone().cancelled_owned()));
        let loaded = file::start(vec![objects], stop.clone());
        let (sender, mut outcome) = watch::channel(None);
        tokio::spawn(translate(loaded, config.clone(), snapshots.clone(), sender));
        let first = tokio::time::timeout(wait::PATIENCE, outcome.wait_for(Option::is_some)).await;
        assert!(first.is_ok_and(|it| it.is_ok()), "the agent never translated");
        Self { xds, snapshots, ledger, config, directory, outcome, stop }
    }

    /// Where its xDS server listens.
    #[must_use]
    pub const fn xds(&self) -> SocketAddr {
        self.xds
    }

    /// What it serves, to be published into by a test that wants a resource no translation gives.
    #[must_use]
    pub const fn snapshots(&self) -> &SnapshotCache {
        &self.snapshots
    }

    /// What proxies were delivered.
    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Puts a file into its folder, in one step.
    pub fn write(&self, name: &str, documents: &[&str]) {
        write(&self.directory.path().join("objects"), name, documents);
    }

    /// Takes a file out of its folder.
    ///
    /// # Panics
    /// When it isn't there.
    pub fn remove(&self, name: &str) {
        std::fs::remove_file(self.directory.path().join("objects").join(name)).expect("the file is there");
    }

    /// What the last translation gave.
    ///
    /// # Panics
    /// Never: the first one has been waited for.
    #[must_use]
    pub fn outcome(&self) -> Arc<Outcome> {
        self.outcome.borrow().clone().expect("the first translation has been waited for")
    }

    /// The status that object gets now; null where it gets none.
    #[must_use]
    pub fn status(&self, kind: &str, name: &str) -> Value {
        let outcome = self.outcome();
        let statuses = object_statuses(&outcome.resources, &self.config, &outcome.translation);
        let found = statuses.into_iter().find(|status| {
            let namespace = status.metadata.get("namespace").map(|namespace| format!("{namespace}/"));
            let of = status.metadata.get("name").map(|of| format!("{}{of}", namespace.unwrap_or_default()));
            status.kind == kind && of.as_deref() == Some(name)
        });
        found.map(|found| found.status).unwrap_or_default()
    }

    /// Waits until the status of that object contains this YAML.
    ///
    /// # Panics
    /// When it never does.
    pub async fn expect_status(&self, kind: &str, name: &str, expected: &str) {
        let expected: Value = serde_yaml::from_str(expected).expect("the expectation is YAML");
        wait::until(&format!("the status of {kind} {name}"), async || {
            let status = self.status(kind, name);
            difference(&status, &expected).map_or(Ok(()), |difference| Err(format!("{difference}\nin {status:#}")))
        })
        .await;
    }

    /// A client of the fleet `ir_key`.
    #[must_use]
    pub fn client(&self, ir_key: &str) -> XdsClient {
        XdsClient::connect(self.xds(), ir_key)
    }

    /// What a proxy of the fleet `ir_key` is sent over gRPC.
    pub async fn proxy(&self, ir_key: &str) -> ProxyConfig {
        let mut client = self.client(ir_key);
        let served = |received: &Received| {
            self.snapshots().get(ir_key).is_some_and(|snapshot| received.is(&snapshot.table))
        };
        ProxyConfig::new(client.until("all that is served", served).await)
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// What a proxy of the Gateway `infra/edge` is sent when these are the objects.
pub async fn served(documents: &[&str]) -> ProxyConfig {
    Agent::start(documents).await.proxy("infra/edge").await
}

/// The configuration file of an agent that reads this folder; `infrastructure` is one more member of `custom`, if any.
#[must_use]
pub fn configuration(folder: &Path, infrastructure: &str) -> String {
    format!(
        "apiVersion: gateway.envoyproxy.io/v1alpha1
kind: EnvoyGateway
gateway: {{controllerName: gateway.envoyproxy.io/gatewayclass-controller}}
provider:
  type: Custom
  custom:
    resource: {{type: File, file: {{paths: ['{}']}}}}
    {infrastructure}
extensionApis: {{enableBackend: true}}
",
        folder.display()
    )
}

/// Writes a file beside its place and moves it there, so that nobody sees half of it.
///
/// # Panics
/// When it can't be written.
pub fn write(folder: &Path, name: &str, documents: &[&str]) {
    let part = folder.join(format!(".{name}.part"));
    std::fs::write(&part, crate::manifests::file(documents)).expect("the file can be written");
    std::fs::rename(&part, folder.join(name)).expect("the file can be moved into its place");
}

async fn translate(
    mut loaded: watch::Receiver<Option<Arc<Loaded>>>,
    config: Config,
    snapshots: SnapshotCache,
    sender: watch::Sender<Option<Arc<Outcome>>>,
) {
    let mut cache = Cache::default();
    while loaded.changed().await.is_ok() {
        let Some(now) = loaded.borrow_and_update().clone() else { continue };
        assert!(now.errors.is_empty(), "the objects of a test are well formed: {:?}", now.errors);
        let outcome = pipeline::run(&now.resources, &config, &mut cache);
        let at = SystemTime::now();
        for (key, snapshot) in &outcome.snapshots {
            snapshots.publish(key, Arc::clone(&snapshot.table), at);
        }
        for key in snapshots.keys().iter().filter(|key| !outcome.snapshots.contains_key(*key)) {
            snapshots.remove(key, at);
        }
        sender.send_replace(Some(Arc::new(outcome)));
    }
}
