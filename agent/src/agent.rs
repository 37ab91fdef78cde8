//! One whole agent: who is started, in which order, and who is told what.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use arc_swap::ArcSwapOption;
use gateway_shared::config::Config;
use kube::Client;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

use crate::access::Access;
use crate::admin::{self, Admin};
use crate::api;
use crate::cluster::{Cluster, ClusterSettings, Feed};
use crate::evidence::Witnesses;
use crate::evidence::pods::Pods;
use crate::explain_service::ExplainService;
use crate::infra::host::{Desired, Host, HostConfig, HostStatus, envoy_binary, plan::plan};
use crate::logging::LogLevel;
use crate::metrics::Metrics;
use crate::provider::{self, Loaded};
use crate::settings::{HostSettings, Settings};
use crate::topology_webhook::TopologyWebhook;
use crate::translation::{self, Latest, Readers, Translated};
use crate::xds::authentication::{self, Authentication};
use crate::xds::cache::SnapshotCache;
use crate::xds::ledger::Ledger;
use crate::xds::metrics::XdsMetrics;
use crate::xds::service::{XdsOptions, XdsServer};
use crate::xds::tls::{self, Proxies, Transport};

/// A running agent. Dropped without [`Agent::shut_down`] it stops serving and leaves its Envoys to their guards.
pub struct Agent {
    /// Where it serves.
    pub addresses: Addresses,
    /// The latest translation.
    pub latest: Latest,
    /// What proxies are served.
    pub snapshots: SnapshotCache,
    /// What was delivered to them.
    pub ledger: Ledger,
    settings: Settings,
    log_level: LogLevel,
    changes: watch::Sender<()>,
    objects: watch::Sender<Option<Arc<Loaded>>>,
    config: watch::Sender<Arc<Config>>,
    provider: DropGuard,
    host: Option<Host>,
    cluster: Option<Cluster>,
    tasks: TaskTracker,
    stop: CancellationToken,
    _stop_at_drop: DropGuard,
}

/// Where an agent serves, with the ports the system chose where it was left to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// The xDS server.
    pub xds: SocketAddr,
    /// The API for the plugin.
    pub api: SocketAddr,
    /// Health, log level.
    pub admin: SocketAddr,
    /// Metrics alone, unless they are switched off.
    pub metrics: Option<SocketAddr>,
}

impl Agent {
    /// Starts an agent. `guard_program` is our own program, which also runs guards.
    ///
    /// # Errors
    /// When an address is taken, the state directory is in use, or there is no Envoy to run.
    pub async fn start(settings: Settings, guard_program: PathBuf, log_level: LogLevel) -> anyhow::Result<Self> {
        for warning in &settings.warnings {
            warn!("{warning}");
        }
        let xds_listener = bind(settings.xds_address, "the xDS server", "--xds-address").await?;
        let api_listener = bind(settings.api_address, "the API", "--api-address").await?;
        let admin = bind(settings.admin_address, "the admin interface", "--admin-address").await?;
        let metrics_listener = match settings.metrics_address {
            Some(address) => Some(bind(address, "the metrics", "--metrics-address").await?),
            None => None,
        };
        let health = match settings.health_address {
            Some(address) => Some(bind(address, "the health checks", "--health-address").await?),
            None => None,
        };
        let addresses = Addresses {
            xds: xds_listener.local_addr()?,
            api: api_listener.local_addr()?,
            admin: admin.local_addr()?,
            metrics: metrics_listener.as_ref().map(TcpListener::local_addr).transpose()?,
        };
        let host = settings.host.as_ref().map(|host| start_host(host, guard_program)).transpose()?;

        let client = match &settings.cluster {
            Some(_) => Some(ClusterSettings::client().await?),
            None => None,
        };
        let stop = CancellationToken::new();
        let tasks = TaskTracker::new();
        let metrics = Metrics::default();
        let xds_metrics = metrics.with_registry(XdsMetrics::new);
        let (snapshots, ledger) = (SnapshotCache::new(), Ledger::new());
        let latest: Latest = Arc::new(ArcSwapOption::empty());
        let (changes, _) = watch::channel(());
        let (objects, objects_seen) = watch::channel(None);
        let (config, config_seen) = watch::channel(Arc::new(settings.translation.clone()));

        let options = xds_options(&settings, client.as_ref(), &latest);
        let server = XdsServer::new(snapshots.clone(), ledger.clone(), xds_metrics.clone(), options);
        tls::serve(server, xds_listener, xds_transport(&settings), xds_metrics.clone(), &tasks, &stop)?;
        let host_status = host.as_ref().map(Host::status);
        let listeners = AdminListeners { admin, metrics: metrics_listener, health };
        serve_admin(listeners, &metrics, &log_level, &latest, &tasks, &stop);
        if let Some(status) = host_status {
            tasks.spawn(count_envoys(status, metrics.clone(), stop.clone()));
        }
        let readers = Readers {
            snapshots: snapshots.clone(),
            latest: Arc::clone(&latest),
            changes: changes.clone(),
            metrics: metrics.clone(),
            xds_metrics,
        };
        tasks.spawn(translation::run(objects_seen, config_seen, readers, stop.clone()));
        let cluster = match (&settings.cluster, &client) {
            (Some(cluster), Some(client)) => {
                let feed = Feed {
                    config: config.subscribe(),
                    latest: Arc::clone(&latest),
                    changes: changes.subscribe(),
                    ledger: ledger.clone(),
                };
                Some(cluster.start(client.clone(), feed, &metrics, &tasks, &stop))
            }
            _ => None,
        };
        let service = ExplainService {
            latest: Arc::clone(&latest),
            witnesses: Witnesses {
                cache: snapshots.clone(),
                ledger: ledger.clone(),
                host: host.as_ref().map(Host::status),
                pods: cluster.as_ref().map(|cluster| pods(cluster, &settings.translation)),
            },
            access: match (&client, &settings.certificates) {
                (Some(client), Some(_)) => Access::checked(client),
                _ => Access::Open,
            },
        };
        api::serve(service, api_listener, settings.certificates.clone(), client.clone(), &tasks, &stop)?;
        if let (Some(cluster), Some(client), Some(certificates)) = (&settings.cluster, client, &settings.certificates)
            && !cluster.infra().topology_injector_disabled()
        {
            TopologyWebhook::start(client, certificates.clone(), &metrics, &tasks, &stop);
        }
        let provider = start_provider(&settings, cluster.as_ref(), &objects, &tasks, &stop);
        info!(
            xds = %addresses.xds,
            api = %addresses.api,
            admin = %addresses.admin,
            files = ?settings.files,
            "the agent runs"
        );
        Ok(Self {
            addresses,
            latest,
            snapshots,
            ledger,
            settings,
            log_level,
            changes,
            objects,
            config,
            provider,
            host,
            cluster,
            tasks,
            _stop_at_drop: stop.clone().drop_guard(),
            stop,
        })
    }

    /// What runs on this host; `None` when somebody else runs the Envoys.
    #[must_use]
    pub fn host_status(&self) -> Option<watch::Receiver<HostStatus>> {
        self.host.as_ref().map(Host::status)
    }

    /// Hands every translation on to the host until the future is dropped.
    pub async fn keep_host(&self) {
        let mut changes = self.changes.subscribe();
        changes.mark_changed();
        while changes.changed().await.is_ok() {
            let (Some(host), Some(settings), Some(translated)) =
                (&self.host, &self.settings.host, self.latest.load_full())
            else {
                continue;
            };
            host.apply(desired(&translated, self.addresses.xds, settings.drain_timeout));
        }
    }

    /// Takes over `newer` as far as that goes without a restart, and says what has to wait for one.
    pub fn reload(&mut self, newer: Settings) {
        for warning in &newer.warnings {
            warn!("{warning}");
        }
        for what in self.settings.fixed_differences(&newer) {
            warn!("the configuration changes {what}: that takes effect when the agent is started again");
        }
        if newer.log_level != self.settings.log_level
            && let Err(error) = self.log_level.set(&newer.log_level)
        {
            warn!("{error}");
        }
        if newer.translation != self.settings.translation {
            self.config.send_replace(Arc::new(newer.translation.clone()));
        }
        let files_changed = newer.files != self.settings.files;
        let Settings { files, translation, log_level, warnings, .. } = newer;
        self.settings = Settings { files, translation, log_level, warnings, ..self.settings.clone() };
        if files_changed {
            self.provider =
                start_provider(&self.settings, self.cluster.as_ref(), &self.objects, &self.tasks, &self.stop);
        }
        info!("the configuration was read again");
    }

    /// Drains and stops every Envoy, then stops serving.
    pub async fn shut_down(self) {
        let Self { host, tasks, stop, provider, .. } = self;
        drop(provider);
        if let Some(host) = host {
            // The xDS server goes on meanwhile: a draining Envoy that loses it would only log about it.
            host.shut_down().await;
        }
        stop.cancel();
        tasks.close();
        if tokio::time::timeout(Duration::from_secs(5), tasks.wait()).await.is_err() {
            warn!("some connections did not end within 5 s; the agent ends all the same");
        }
    }
}

async fn bind(address: SocketAddr, what: &str, flag: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address)
        .await
        .with_context(|| format!("{what} can't listen on {address}; name another address with {flag}"))
}

fn start_host(settings: &HostSettings, guard_program: PathBuf) -> anyhow::Result<Host> {
    let HostSettings { state_dir, envoy_binary, grace, drain_timeout: _ } = settings;
    let envoy = envoy_binary::find(envoy_binary.as_deref(), std::env::var_os("PATH").as_deref())?;
    if envoy.version != envoy_binary::ENVOY_VERSION {
        warn!(
            version = envoy.version,
            "this Envoy is not {}, for which the configuration is made; what it doesn't know it will reject",
            envoy_binary::ENVOY_VERSION
        );
    }
    Host::start(HostConfig { state_dir: state_dir.clone(), envoy, guard_program, grace: *grace })
}

/// Who asks the proxies of a cluster.
fn pods(cluster: &Cluster, config: &Config) -> Pods {
    let Cluster { client, live, .. } = cluster;
    let namespace = (!config.gateway_namespace_mode).then(|| config.controller_namespace.clone());
    Pods::new(client.clone(), live.clone(), namespace)
}

/// How proxies reach the xDS server.
fn xds_transport(settings: &Settings) -> Transport {
    let proxies =
        if settings.translation.gateway_namespace_mode { Proxies::SendTokens } else { Proxies::ShowCertificates };
    settings.certificates.clone().map_or(Transport::Plain, |certificates| Transport::Tls { certificates, proxies })
}

fn xds_options(settings: &Settings, client: Option<&Client>, latest: &Latest) -> XdsOptions {
    let defaults = XdsOptions::default();
    let by_token = xds_transport(settings).proxies() == Some(Proxies::SendTokens);
    let authentication = client.filter(|_| by_token).map(|client| {
        let latest = Arc::clone(latest);
        let fleets = move |key: &str| authentication::account(&latest.load_full()?.outcome.translation, key);
        Authentication::by_api_server(client.clone(), authentication::audience(&settings.translation), Arc::new(fleets))
    });
    XdsOptions {
        max_receive_bytes: settings.xds_max_receive_bytes.unwrap_or(defaults.max_receive_bytes),
        max_connection_age: settings.xds_max_connection_age,
        authentication,
        ..defaults
    }
}

/// Watches the cluster or the files of `settings` until the guard is dropped.
fn start_provider(
    settings: &Settings,
    cluster: Option<&Cluster>,
    objects: &watch::Sender<Option<Arc<Loaded>>>,
    tasks: &TaskTracker,
    stop: &CancellationToken,
) -> DropGuard {
    let stopped = stop.child_token();
    let mut loaded = match (&settings.cluster, cluster) {
        (Some(settings), Some(Cluster { client, seen, .. })) => {
            provider::kube::start(client.clone(), settings.watch(), seen.clone(), stopped.clone())
        }
        _ => provider::file::start(settings.files.clone(), stopped.clone()),
    };
    let objects = objects.clone();
    tasks.spawn(async move {
        while loaded.changed().await.is_ok() {
            let now = loaded.borrow_and_update().clone();
            objects.send_replace(now);
        }
    });
    stopped.drop_guard()
}

/// Where the agent answers about itself.
struct AdminListeners {
    admin: TcpListener,
    metrics: Option<TcpListener>,
    health: Option<TcpListener>,
}

fn serve_admin(
    listeners: AdminListeners,
    metrics: &Metrics,
    log_level: &LogLevel,
    latest: &Latest,
    tasks: &TaskTracker,
    stop: &CancellationToken,
) {
    let AdminListeners { admin: listener, metrics: metrics_listener, health } = listeners;
    let latest = Arc::clone(latest);
    let readiness = move || latest.load().is_none().then(|| "nothing has been translated yet".to_owned());
    let admin = Admin { metrics: metrics.clone(), log_level: log_level.clone(), readiness: Arc::new(readiness) };
    if let Some(listener) = metrics_listener {
        tasks.spawn(admin::serve_metrics(listener, admin.clone(), stop.clone()));
    }
    if let Some(listener) = health {
        tasks.spawn(admin::serve_health(listener, admin.clone(), stop.clone()));
    }
    tasks.spawn(admin::serve(listener, admin, stop.clone()));
}

async fn count_envoys(mut status: watch::Receiver<HostStatus>, metrics: Metrics, stop: CancellationToken) {
    loop {
        let (running, ready) = {
            let status = status.borrow_and_update();
            let instances = || status.fleets.values().flat_map(|fleet| fleet.values());
            (
                instances().filter(|instance| instance.state.pid.is_some()).count(),
                instances().filter(|instance| instance.ready).count(),
            )
        };
        metrics.envoys(running, ready);
        tokio::select! {
            () = stop.cancelled() => return,
            changed = status.changed() => if changed.is_err() { return },
        }
    }
}

/// The Envoys that a translation asks for.
fn desired(translated: &Translated, xds: SocketAddr, drain_timeout: Duration) -> Desired {
    let Translated { outcome, loaded } = translated;
    let mut proxies = Vec::new();
    let mut unknown: BTreeSet<String> = outcome.translation.kept_unplanned().collect();
    for (key, infra) in outcome.translation.infra() {
        match &infra.proxy {
            // A fleet whose IR is invalid, or that has no listener yet, is left as it is.
            Some(fleet) if !fleet.listeners.is_empty() => {
                let (proxy, left_out) = plan(fleet, xds, drain_timeout);
                for what in left_out {
                    warn!(ir_key = %key, "{what}");
                }
                proxies.push(proxy);
            }
            _ => drop(unknown.insert(key.to_string())),
        }
    }
    Desired { proxies, unknown, complete: loaded.complete }
}

#[cfg(test)]
mod tests {
    use gateway_shared::api::any_object::AnyObject;
    use gateway_shared::api::envoy_gateway_defaults::CONTROLLER_NAME;
    use gateway_shared::api::gateway::Gateway;
    use gateway_shared::api::gateway_class::GatewayClass;
    use gateway_shared::pipeline;
    use serde_json::json;

    use super::*;

    #[test]
    fn no_envoy_is_stopped_while_the_parameters_of_its_class_are_missing() {
        let class = json!({"metadata": {"name": "eg"}, "spec": {
            "controllerName": CONTROLLER_NAME,
            "parametersRef": {"group": "gateway.envoyproxy.io", "kind": "EnvoyProxy", "name": "p", "namespace": "n"},
        }});
        let gateway = json!({"metadata": {"name": "g", "namespace": "n"}, "spec": {
            "gatewayClassName": "eg", "listeners": [{"name": "http", "port": 80, "protocol": "HTTP"}],
        }});
        let objects: [AnyObject; 2] = [
            serde_json::from_value::<GatewayClass>(class).unwrap().into(),
            serde_json::from_value::<Gateway>(gateway).unwrap().into(),
        ];
        let resources = objects.into_iter().collect();
        let outcome = pipeline::run(&resources, &Config::default(), &mut pipeline::Cache::default());
        let translated = Translated { outcome: Arc::new(outcome), loaded: Arc::default() };
        let Desired { proxies, unknown, .. } = desired(&translated, ([127, 0, 0, 1], 18000).into(), Duration::ZERO);
        assert!(proxies.is_empty());
        assert_eq!(unknown, ["eg".to_owned(), "n/g".to_owned()].into(), "merged or not");
    }
}
