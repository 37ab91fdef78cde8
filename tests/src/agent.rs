//! The whole agent in this process, without Envoys: files are watched, translated and served over real gRPC, and its
//! API answers.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use clap::Parser as _;
use gateway_agent::args::Cli;
use gateway_agent::logging::LogLevel;
use gateway_agent::settings::{Settings, Surroundings};
use gateway_agent::translation::Translated;
use gateway_agent::xds::cache::SnapshotCache;
use gateway_agent::xds::ledger::Ledger;
use gateway_shared::config::Config;
use gateway_shared::gatewayapi::object_status::object_statuses;
use gateway_shared::proto::v1::agent_client::AgentClient;
use gateway_shared::proto::v1::{ExplainRequest, Target};
use serde_json::Value;
use tempfile::TempDir;

use crate::contains::difference;
use crate::proxy_config::ProxyConfig;
use crate::wait;
use crate::xds_client::{Received, XdsClient};

/// A running agent. It stops when it is dropped.
pub struct Agent {
    agent: gateway_agent::agent::Agent,
    config: Config,
    directory: TempDir,
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
        let config = directory.path().join("envoy-gateway.yaml");
        let text = configuration(&objects, "");
        std::fs::write(&config, text).expect("the configuration can be written");
        let words = ["gateway-agent", "--xds-address=127.0.0.1:0", "--api-address=127.0.0.1:0"];
        let words = words.map(str::to_owned).into_iter().chain([
            "--admin-address=127.0.0.1:0".to_owned(),
            "--metrics-address=127.0.0.1:0".to_owned(),
            format!("--config={}", config.display()),
        ]);
        let cli = Cli::try_parse_from(words).expect("the command line is right");
        let args = cli.agent.expect("the configuration is named");
        let settings = Settings::read(&args, &Surroundings::default()).expect("the configuration is right");
        let config = settings.translation.clone();
        // It runs no Envoys, so it needs no guard program.
        let agent = gateway_agent::agent::Agent::start(settings, "/nonexistent".into(), LogLevel::unconnected()).await;
        let started = Self { agent: agent.expect("the agent starts"), config, directory };
        wait::until("a translation", async || started.agent.latest.load().as_ref().map(|_| ()).ok_or("none")).await;
        started
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

    /// Where its xDS server listens.
    #[must_use]
    pub const fn xds(&self) -> SocketAddr {
        self.agent.addresses.xds
    }

    /// What it serves, to be published into by a test that wants a resource no translation gives.
    #[must_use]
    pub const fn snapshots(&self) -> &SnapshotCache {
        &self.agent.snapshots
    }

    /// What proxies were delivered.
    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        &self.agent.ledger
    }

    /// The last translation.
    ///
    /// # Panics
    /// Never: the first one has been waited for.
    #[must_use]
    pub fn translated(&self) -> Arc<Translated> {
        self.agent.latest.load_full().expect("the first translation has been waited for")
    }

    /// The status that object gets now; null where it gets none.
    #[must_use]
    pub fn status(&self, kind: &str, name: &str) -> Value {
        let Translated { outcome, .. } = &*self.translated();
        let statuses = object_statuses(&outcome.resources, &self.config, &outcome.translation, None);
        let found = statuses.into_iter().find(|status| {
            let namespace = status.metadata.get("namespace").map(|namespace| format!("{namespace}/"));
            let of = status.metadata.get("name").map(|of| format!("{}{of}", namespace.unwrap_or_default()));
            status.kind == kind && of.as_deref() == Some(name)
        });
        found.map(|found| found.status).unwrap_or_default()
    }

    /// What the agent's API explains about that object, over real gRPC.
    ///
    /// # Panics
    /// When it gives no explanation.
    pub async fn explain(&self, kind: &str, namespace: &str, name: &str) -> Value {
        let target = Target { kind: kind.to_owned(), namespace: namespace.to_owned(), name: Some(name.to_owned()) };
        let mut client = AgentClient::connect(format!("http://{}", self.agent.addresses.api)).await.expect("the API");
        let answer = client.explain(ExplainRequest { targets: vec![target], all: true }).await.expect("an answer");
        let report = answer.into_inner().reports.into_iter().next().expect("a report for the target");
        serde_json::from_slice(&report).expect("a report is JSON")
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
        let served =
            |received: &Received| self.snapshots().get(ir_key).is_some_and(|snapshot| received.is(&snapshot.table));
        ProxyConfig::new(client.until("all that is served", served).await)
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
