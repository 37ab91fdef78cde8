//! What only a running agent knows, gathered for an answer: snapshots, the ledger, and what each Envoy says of itself.

pub mod pods;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use gateway_shared::explain::evidence::{
    AdminFacts, Delivery, EndpointCount, FleetEvidence, Held, InfraFacts, Known, LiveEvidence, ProxyFacts,
    RejectedResource, Rejection, SnapshotFacts,
};
use gateway_shared::pipeline::{self, Outcome};
use gateway_shared::xds::table::ResourceType;
use serde_json::Value;

use self::pods::Pods;
use crate::admin_client::{AdminClient, AdminError};
use crate::infra::host::lease::Phase;
use crate::infra::host::{FleetStatus, HostStatus};
use crate::xds::cache::SnapshotCache;
use crate::xds::ledger::{Ledger, NodeDelivery, TypeDelivery};

/// How long one Envoy has to answer one question of its admin interface.
const ADMIN_TIMEOUT: Duration = Duration::from_secs(3);

/// What an Envoy is asked: its listeners, the clusters that warm, its routes, its clusters with their endpoints.
const QUESTIONS: [&str; 4] = [
    "/config_dump?resource=dynamic_listeners&mask=name,active_state.version_info,warming_state.version_info",
    "/config_dump?resource=dynamic_warming_clusters",
    "/config_dump?resource=dynamic_route_configs",
    "/clusters?format=json",
];

/// Where evidence is found.
#[derive(Clone, Debug)]
pub struct Witnesses {
    /// What is served.
    pub cache: SnapshotCache,
    /// What was delivered.
    pub ledger: Ledger,
    /// What runs on this host; `None` when somebody else runs the Envoys.
    pub host: Option<tokio::sync::watch::Receiver<HostStatus>>,
    /// What runs in our cluster; `None` outside of one.
    pub pods: Option<Pods>,
}

impl Witnesses {
    /// Everything that is known now about the fleets of `outcome`. Asks all Envoys at once.
    pub async fn gather(&self, outcome: &Outcome) -> LiveEvidence {
        let host = self.host.as_ref().map(|host| host.borrow().clone());
        let nodes = self.ledger.read();
        let admin = match &host {
            Some(host) => ask_all(host).await,
            None => BTreeMap::new(),
        };
        let now = SystemTime::now();
        let fleets = outcome.snapshots.iter().map(|(key, snapshot)| async {
            let of_fleet: Vec<&NodeDelivery> = nodes.iter().filter(|node| *node.node.ir_key == **key).collect();
            let (proxies, infra) = match &self.pods {
                Some(pods) => {
                    let ids = of_fleet.iter().map(|node| &*node.node.id);
                    let said = pods.ask(outcome, key, ids).await;
                    let (found, infra) = (proxies(&of_fleet, now, |node| said.get(node).cloned()), pods.infra(key));
                    match elsewhere(&infra, found.len()) {
                        Some(why) => (Known::unknown(why), infra),
                        None => (Known::Is(found), infra),
                    }
                }
                None => {
                    let said = admin.get(&**key);
                    let mut found = proxies(&of_fleet, now, |_| said.cloned());
                    found.extend(said.filter(|_| of_fleet.is_empty()).map(one_not_connected));
                    (Known::Is(found), infra(key, host.as_ref()))
                }
            };
            let snapshot = self.snapshot(key, snapshot);
            (Arc::clone(key), FleetEvidence { snapshot, proxies, infra })
        });
        LiveEvidence { fleets: futures::future::join_all(fleets).await.into_iter().collect() }
    }

    fn snapshot(&self, key: &str, made: &pipeline::Snapshot) -> Known<SnapshotFacts> {
        let Some(served) = self.cache.get(key) else {
            return Known::unknown("the snapshot is not in the cache yet");
        };
        let held_back = made
            .held_back
            .as_ref()
            .map(|held| held.faults.first().map_or_else(|| "the newer one is invalid".to_owned(), ToString::to_string));
        Known::Is(SnapshotFacts { table: (*served.table).clone(), held_back })
    }
}

/// The proxies of one fleet that are connected; `admin` knows what they say of themselves.
fn proxies(
    nodes: &[&NodeDelivery],
    now: SystemTime,
    admin: impl Fn(&str) -> Option<Known<AdminFacts>>,
) -> Vec<ProxyFacts> {
    let unknown = || Known::unknown("the agent does not run this proxy, so it can't ask it");
    let one = |node: &&NodeDelivery| ProxyFacts {
        node: node.node.id.to_string(),
        connected: true,
        deliveries: node.types.iter().map(|(kind, delivery)| one_delivery(*kind, delivery, now)).collect(),
        admin: admin(&node.node.id).unwrap_or_else(unknown),
    };
    nodes.iter().map(one).collect()
}

/// Why what is connected here doesn't speak for the fleet: proxies that are ready and not here may be connected to another
/// agent, whose ledger isn't ours.
fn elsewhere(infra: &Known<InfraFacts>, here: usize) -> Option<String> {
    let Known::Is(InfraFacts { ready, .. }) = infra else { return None };
    let proxies = if *ready == 1 {
        "1 proxy is ready and not".to_owned()
    } else {
        format!("{ready} proxies are ready and none is")
    };
    (here == 0 && *ready > 0)
        .then(|| format!("{proxies} connected to the agent that answers; another replica may serve it: ask again"))
}

/// An Envoy that runs on this host and isn't connected.
fn one_not_connected(admin: &Known<AdminFacts>) -> ProxyFacts {
    let node = "the Envoy on this host".to_owned();
    ProxyFacts { node, connected: false, deliveries: Vec::new(), admin: admin.clone() }
}

fn one_delivery(kind: ResourceType, delivery: &TypeDelivery, now: SystemTime) -> Delivery {
    Delivery {
        kind,
        sent: delivery.sent.as_ref().map(|sent| sent.version.clone()),
        acked: delivery.acknowledged.as_ref().map(|acknowledged| acknowledged.version.clone()),
        rejected: delivery.rejected.as_ref().map(|rejected| Rejection {
            version: rejected.version.clone(),
            error: rejected.text.clone(),
            seconds_ago: now.duration_since(rejected.at).map(|age| age.as_secs()).unwrap_or_default(),
            resources: rejected
                .resources
                .iter()
                .map(|resource| RejectedResource { name: resource.name.to_string(), error: resource.text.to_string() })
                .collect(),
        }),
        held: delivery
            .held
            .iter()
            .map(|held| Held { name: held.name.to_string(), because: held.because.clone() })
            .collect(),
    }
}

fn infra(key: &str, host: Option<&HostStatus>) -> Known<InfraFacts> {
    let Some(host) = host else {
        return Known::unknown("the agent does not run the proxies of this fleet");
    };
    let nothing = FleetStatus::new();
    let fleet = host.fleets.get(key).unwrap_or(&nothing);
    let problem = host.problems.get(key).cloned();
    let trouble = problem.or_else(|| fleet.values().find_map(|instance| instance.problem.clone())).or_else(|| {
        let failing = fleet.values().find(|instance| instance.state.phase == Phase::BackingOff);
        failing.and_then(|instance| instance.state.last_exit.clone())
    });
    Known::Is(InfraFacts {
        wanted: 1,
        ready: fleet.values().filter(|instance| instance.ready).count().min(1),
        addresses: vec!["127.0.0.1".to_owned()],
        trouble,
    })
}

/// Asks one Envoy of each fleet: the one that is ready, or else any that answers.
async fn ask_all(host: &HostStatus) -> BTreeMap<String, Known<AdminFacts>> {
    let mut tasks = tokio::task::JoinSet::new();
    for (key, fleet) in &host.fleets {
        let instances = || fleet.values().filter(|instance| instance.state.admin.is_some());
        let instance = instances().find(|instance| instance.ready).or_else(|| instances().next());
        let (key, address) = (key.clone(), instance.and_then(|instance| instance.state.admin));
        tasks.spawn(async move {
            let facts = match address {
                Some(address) => ask(address).await.map_or_else(|error| Known::unknown(error.to_string()), Known::Is),
                None => Known::unknown("Envoy is not running yet"),
            };
            (key, facts)
        });
    }
    let mut facts = BTreeMap::new();
    while let Some(answer) = tasks.join_next().await {
        if let Ok((key, answer)) = answer {
            facts.insert(key, answer);
        }
    }
    facts
}

/// What the Envoy whose admin interface is at `address` says of itself.
///
/// # Errors
/// When it doesn't answer, or not in time.
pub async fn ask(address: SocketAddr) -> Result<AdminFacts, AdminError> {
    let admin = AdminClient::new(address, ADMIN_TIMEOUT);
    let [listeners, warming, routes, clusters] = QUESTIONS;
    let (listeners, warming, routes, clusters) =
        tokio::try_join!(admin.json(listeners), admin.json(warming), admin.json(routes), admin.json(clusters))?;
    Ok(facts(&listeners, &warming, &routes, &clusters))
}

/// What the answers to [`QUESTIONS`] say.
fn facts(listeners: &Value, warming: &Value, routes: &Value, clusters: &Value) -> AdminFacts {
    let mut facts = AdminFacts::default();
    for listener in configs(listeners) {
        let Some(name) = text(listener, "/name") else { continue };
        if listener.get("active_state").is_some() {
            facts.active_listeners.push(name.clone());
        }
        if listener.get("warming_state").is_some() {
            facts.warming_listeners.push(name);
        }
    }
    facts.warming_clusters = configs(warming).filter_map(|cluster| text(cluster, "/cluster/name")).collect();
    facts.routes = configs(routes).filter_map(|route| text(route, "/route_config/name")).collect();
    for cluster in clusters.get("cluster_statuses").and_then(Value::as_array).into_iter().flatten() {
        let Some(name) = text(cluster, "/name") else { continue };
        let hosts = || cluster.get("host_statuses").and_then(Value::as_array).into_iter().flatten();
        let count = EndpointCount { healthy: hosts().filter(|host| healthy(host)).count(), total: hosts().count() };
        facts.active_clusters.push(name.clone());
        facts.endpoints.insert(name, count);
    }
    facts.active_clusters.sort();
    facts
}

fn configs(dump: &Value) -> impl Iterator<Item = &Value> {
    dump.get("configs").and_then(Value::as_array).into_iter().flatten()
}

fn text(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer)?.as_str().map(str::to_owned)
}

/// Whether Envoy would send requests to this host: no health flag is set but the one discovery gave, and that is good.
fn healthy(host: &Value) -> bool {
    let Some(status) = host.get("health_status").and_then(Value::as_object) else { return false };
    let eds = status.get("eds_health_status").and_then(Value::as_str).unwrap_or("HEALTHY");
    let failed = status.values().any(|flag| flag.as_bool() == Some(true));
    !failed && matches!(eds, "HEALTHY" | "UNKNOWN" | "DEGRADED")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn proxies_of_another_replica_are_unknown_and_not_absent() {
        let infra = |ready| Known::Is(InfraFacts { wanted: 2, ready, addresses: Vec::new(), trouble: None });
        assert!(elsewhere(&infra(2), 0).unwrap().contains("2 proxies are ready and none is connected"));
        assert_eq!(elsewhere(&infra(2), 1), None);
        assert_eq!(elsewhere(&infra(0), 0), None);
        assert_eq!(elsewhere(&Known::unknown("?"), 0), None);
    }

    #[test]
    fn a_host_is_healthy_when_neither_discovery_nor_checks_say_otherwise() {
        assert!(healthy(&json!({ "health_status": { "eds_health_status": "HEALTHY" } })));
        assert!(!healthy(&json!({ "health_status": { "eds_health_status": "UNHEALTHY" } })));
        assert!(!healthy(
            &json!({ "health_status": { "eds_health_status": "HEALTHY", "failed_active_health_check": true } })
        ));
        assert!(!healthy(&json!({})));
    }
}
