//! What is told of fleets that run: where they are reached, and how many pods serve.

use std::collections::{BTreeMap, BTreeSet};

use gateway_shared::infra::object::InfraKind;
use gateway_shared::status::live::{LiveAddress, LiveFleet, LiveService};

use super::existing::{Facts, ServiceFacts, Store};
use super::kinds::Id;
use super::nodes::{Endpoints, NodeAddresses};

/// Nodes, and the EndpointSlices of fleets' Services.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    /// Nodes by name.
    pub(super) nodes: BTreeMap<String, NodeAddresses>,
    /// EndpointSlices by namespace and name.
    pub(super) endpoints: BTreeMap<(String, String), Endpoints>,
}

/// What is told of one fleet. `names` says whether an object is one the fleet is to have.
pub(super) fn fleet(key: &str, names: impl Fn(&Id) -> bool, store: &Store, nodes: &Nodes) -> LiveFleet {
    let mut live = LiveFleet::default();
    let mut chosen = (false, false);
    for (id, existing) in store.of_fleet(key).filter(|(_, existing)| !existing.deleting) {
        let wanted = names(id);
        match &existing.facts {
            Facts::Service(facts) if live.service.is_none() || (wanted && !chosen.0) => {
                live.service = Some(service(id, facts, nodes));
                chosen.0 = wanted;
            }
            Facts::Workload(workload) if live.workload.is_none() || (wanted && !chosen.1) => {
                live.workload = Some(*workload);
                chosen.1 = wanted;
            }
            _ => {}
        }
    }
    live
}

/// Where a Service is reached, as Envoy Gateway decides it.
fn service(id: &Id, facts: &ServiceFacts, nodes: &Nodes) -> LiveService {
    let ServiceFacts { r#type, cluster_ips, external_ips, families, local, ingress } = facts;
    let ips = |ips: &[String]| ips.iter().cloned().map(LiveAddress::Ip).collect();
    let addresses = match &**r#type {
        "LoadBalancer" if ingress.is_empty() => ips(external_ips),
        "LoadBalancer" => ingress.clone(),
        "ClusterIP" => ips(cluster_ips),
        "NodePort" => node_addresses(id, families, *local, nodes),
        _ => Vec::new(),
    };
    let fixed = if external_ips.is_empty() { cluster_ips } else { external_ips };
    LiveService { addresses, fixed: fixed.clone() }
}

fn node_addresses(id: &Id, families: &[String], local: bool, nodes: &Nodes) -> Vec<LiveAddress> {
    let serving: BTreeSet<&String> = nodes
        .endpoints
        .iter()
        .filter(|((namespace, _), endpoints)| **namespace == *id.namespace && *endpoints.service == *id.name)
        .flat_map(|(_, endpoints)| &endpoints.nodes)
        .collect();
    let taking = || nodes.nodes.iter().filter(|(name, _)| !local || serving.contains(name)).map(|(_, node)| node);
    let speaks = |family: &str| families.iter().any(|spoken| spoken == family);
    let v4 = taking().flat_map(|node| &node.v4).filter(|_| speaks("IPv4"));
    let v6 = taking().flat_map(|node| &node.v6).filter(|_| speaks("IPv6"));
    v4.chain(v6).cloned().map(LiveAddress::Ip).collect()
}

/// Whether any Service is reached by the addresses of nodes.
pub(super) fn needs_nodes(store: &Store) -> bool {
    store.ids().filter(|id| id.kind == InfraKind::Service).any(|id| {
        store.get(id).is_some_and(|existing| match &existing.facts {
            Facts::Service(facts) => &*facts.r#type == "NodePort",
            Facts::Nothing | Facts::Workload(_) => false,
        })
    })
}
