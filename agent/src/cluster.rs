//! What an agent does in a cluster: who watches, who leads, who makes fleets, who writes statuses.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use gateway_shared::api::duration;
use gateway_shared::api::envoy_gateway::EnvoyGateway;
use gateway_shared::api::envoy_gateway_provider::LeaderElection;
use gateway_shared::config::Config;
use gateway_shared::infra;
use gateway_shared::status::live::LiveFleets;
use kube::Client;
use kube::client::ClientBuilder;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::BoxError;
use tower::util::MapFutureLayer;

use crate::events::Events;
use crate::infra::kube::Reconciler;
use crate::leader::{self, Election};
use crate::metrics::Metrics;
use crate::provider::kube::{Seen, WatchSettings};
use crate::status_writer::StatusWriter;
use crate::translation::Latest;
use crate::watching::LONGEST_SILENCE;
use crate::xds::ledger::Ledger;

/// The Lease replicas share, as Envoy Gateway names it: an agent and an Envoy Gateway never lead at the same time.
const LEASE: &str = "5b9825d2.gateway.envoyproxy.io";

/// How long a connection to the API server may take: one that comes back is to be noticed within seconds, also by an
/// attempt that got no answer.
const CONNECT: Duration = Duration::from_secs(3);

/// How long the API server may take until its answer begins.
const ANSWER: Duration = Duration::from_secs(30);

/// How an agent lives in a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterSettings {
    /// The configuration file.
    pub file: Arc<EnvoyGateway>,
    /// The namespace the control plane runs in.
    pub controller_namespace: String,
    /// The cluster's DNS domain.
    pub dns_domain: String,
    /// The image our own container runs, which shutdown managers run too.
    pub image: String,
    /// The name of our pod.
    pub pod: String,
}

/// What goes on in the cluster.
#[derive(Clone)]
pub struct Cluster {
    /// The API server.
    pub client: Client,
    /// Whether we lead.
    pub leads: watch::Receiver<bool>,
    /// What is known of running fleets; `None` until every kind their objects are of has been listed once.
    pub live: watch::Receiver<Option<Arc<LiveFleets>>>,
    /// What our watches know of objects beside what translation reads.
    pub seen: Seen,
}

/// What everyone reads who works on the latest translation.
#[derive(Clone, Debug)]
pub struct Feed {
    /// What decisions are made with.
    pub config: watch::Receiver<Arc<Config>>,
    /// The latest translation.
    pub latest: Latest,
    /// Says when there is another.
    pub changes: watch::Receiver<()>,
    /// What was delivered to proxies.
    pub ledger: Ledger,
}

impl ClusterSettings {
    /// A client of the API server that runs us, or that the kubeconfig names.
    ///
    /// # Errors
    /// When there is neither.
    pub async fn client() -> anyhow::Result<Client> {
        let config = kube::Config::infer().await.context(
            "there is no API server to talk to: run in a pod with a service account, or set KUBECONFIG to a kubeconfig",
        )?;
        connect(config, ANSWER).context("the client of the API server can't be made")
    }

    /// Starts everyone who writes.
    pub fn start(
        &self,
        client: Client,
        feed: Feed,
        metrics: &Metrics,
        tasks: &TaskTracker,
        stop: &CancellationToken,
    ) -> Cluster {
        let leads = leader::start(client.clone(), self.election(), metrics, tasks, stop.clone());
        let Feed { config, latest, changes, ledger } = feed;
        let events = Events {
            client: client.clone(),
            controller: config.borrow().controller_name.clone(),
            pod: self.pod.clone(),
            leads: leads.clone(),
            latest: Arc::clone(&latest),
            ledger,
        };
        tasks.spawn(events.run(stop.clone()));
        let reconciler = Reconciler {
            client: client.clone(),
            settings: self.infra(),
            leads: leads.clone(),
            latest: Arc::clone(&latest),
            changes: changes.clone(),
            metrics: metrics.clone(),
        };
        let live = reconciler.start(tasks, stop.clone());
        let seen = Seen::default();
        let writer = StatusWriter {
            client: client.clone(),
            leads: leads.clone(),
            config,
            latest,
            changes,
            live: live.clone(),
            seen: seen.clone(),
            metrics: metrics.clone(),
        };
        tasks.spawn(writer.run(stop.clone()));
        Cluster { client, leads, live, seen }
    }

    /// What is watched.
    #[must_use]
    pub fn watch(&self) -> WatchSettings {
        WatchSettings { file: Arc::clone(&self.file), controller_namespace: self.controller_namespace.clone() }
    }

    /// What rendering needs to know.
    #[must_use]
    pub fn infra(&self) -> infra::settings::Settings {
        infra::settings::Settings {
            file: Arc::clone(&self.file),
            controller_namespace: self.controller_namespace.clone(),
            dns_domain: self.dns_domain.clone(),
            shutdown_manager_image: self.image.clone(),
            ca_certificate: None,
        }
    }

    /// Refuses an election that lets two replicas write at once, as client-go does: a leader has to give up before
    /// others may take its lease, and to try more than once before it gives up.
    ///
    /// # Errors
    /// When the periods of the configuration file don't fit together.
    pub fn check_election(&self) -> anyhow::Result<()> {
        let Election { lease_duration, renew_deadline, retry_period, disabled, .. } = self.election();
        if disabled {
            return Ok(());
        }
        // A Lease says it in seconds.
        if Duration::from_secs(lease_duration.as_secs()) <= renew_deadline {
            bail!(
                "provider.kubernetes.leaderElection: leaseDuration {lease_duration:?} must be longer than renewDeadline \
                 {renew_deadline:?} in whole seconds, or two replicas write at the same time: make it longer, or \
                 renewDeadline shorter (they are 15s and 10s where nothing is said)"
            );
        }
        if renew_deadline <= retry_period.saturating_mul(6) / 5 {
            bail!(
                "provider.kubernetes.leaderElection: renewDeadline {renew_deadline:?} must be longer than 1.2 times \
                 retryPeriod {retry_period:?}, or a leader gives up after one failure: make it longer, or retryPeriod \
                 shorter (they are 10s and 2s where nothing is said)"
            );
        }
        Ok(())
    }

    /// How the leader is chosen. The defaults are those of Envoy Gateway.
    fn election(&self) -> Election {
        let said = self.file.kubernetes().and_then(|kubernetes| kubernetes.leader_election.clone()).unwrap_or_default();
        let LeaderElection { lease_duration, renew_deadline, retry_period, disable } = said;
        let seconds = |said: Option<duration::Duration>, default| {
            said.and_then(|said| u64::try_from(said.as_nanos()).ok())
                .filter(|nanos| *nanos > 0)
                .map_or(Duration::from_secs(default), Duration::from_nanos)
        };
        Election {
            namespace: self.controller_namespace.clone(),
            lease: LEASE.to_owned(),
            identity: format!("{}_{}", self.pod, std::process::id()),
            lease_duration: seconds(lease_duration, 15),
            renew_deadline: seconds(renew_deadline, 10),
            retry_period: seconds(retry_period, 2),
            disabled: disable == Some(true),
        }
    }
}

/// A client whose requests all come to an end: the API server may vanish without closing a connection. It tries nothing
/// again by itself: whoever asks knows how soon to, and what to say meanwhile.
fn connect(mut config: kube::Config, limit: Duration) -> kube::Result<Client> {
    config.connect_timeout = Some(CONNECT);
    config.read_timeout = Some(LONGEST_SILENCE);
    config.reset_reader_on_write = true;
    config.default_retry = false;
    let limited = MapFutureLayer::new(move |answer| within(limit, answer));
    Ok(ClientBuilder::try_from(config)?.with_layer(&limited).build())
}

async fn within<T>(limit: Duration, answer: impl Future<Output = Result<T, BoxError>>) -> Result<T, BoxError> {
    let answer = tokio::time::timeout(limit, answer).await;
    answer.unwrap_or_else(|_| Err(format!("no answer within {} s", limit.as_secs_f32()).into()))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn an_api_server_that_takes_a_request_and_says_nothing_is_no_longer_waited_for() {
        let mute = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", mute.local_addr().unwrap()).parse().unwrap();
        let client = connect(kube::Config::new(url), Duration::from_millis(50)).unwrap();
        let asked = tokio::time::timeout(Duration::from_secs(5), client.apiserver_version()).await;
        let error = asked.expect("it is still waited for").unwrap_err().to_string();
        assert!(error.contains("no answer within 0.05 s"), "{error}");
    }

    #[tokio::test]
    async fn a_refusal_is_told_at_once_to_whoever_asked() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let refuse = move || {
            count.fetch_add(1, Ordering::Relaxed);
            std::future::ready(axum::http::StatusCode::SERVICE_UNAVAILABLE)
        };
        tokio::spawn(axum::serve(listener, axum::Router::new().fallback(refuse)).into_future());
        let client = connect(kube::Config::new(url), Duration::from_secs(1)).unwrap();
        let error = client.apiserver_version().await.unwrap_err();
        assert!(matches!(&error, kube::Error::Api(status) if status.code == 503), "{error}");
        assert_eq!(asked.load(Ordering::Relaxed), 1);
    }
}
