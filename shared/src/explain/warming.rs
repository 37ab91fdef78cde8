//! Layer 5: whether Envoy is done warming, and whether anything healthy stands behind it.

use super::delivery::proxies;
use super::evidence::{AdminFacts, InfraFacts, Known, ProxyFacts};
use super::facts::Facts;
use super::findings as catalogue;
use super::provenance::{Pieces, Provenance};
use super::report::{Finding, Layer, LayerName, Severity, Subject};
use super::words::list;

/// The answer for what `subject` became.
pub(super) fn layer(facts: &Facts<'_>, subject: &Subject, provenance: &Provenance) -> Layer {
    let mut findings = Vec::new();
    let mut silent = Vec::new();
    let mut answered = 0;
    let mut healthy = 0;
    let mut addresses: Vec<String> = Vec::new();
    for (ir_key, pieces) in provenance {
        let proxies = match proxies(facts, ir_key) {
            Ok(proxies) => proxies,
            Err(reason) => return Layer::unknown(LayerName::Warming, &reason),
        };
        for ProxyFacts { node, connected, deliveries: _, admin } in proxies {
            match admin {
                _ if !connected => {}
                Known::Is(admin) => {
                    answered += 1;
                    healthy += pieces
                        .clusters
                        .iter()
                        .filter_map(|name| admin.endpoints.get(name))
                        .map(|c| c.healthy)
                        .sum::<usize>();
                    findings.extend(of_proxy(node, admin, pieces, subject));
                }
                Known::Unknown(reason) => silent.push(format!("{node}: {reason}")),
            }
        }
        if let Ok(fleet) = facts.fleet(ir_key)
            && let Known::Is(infra) = &fleet.infra
        {
            findings.extend(of_infra(ir_key, infra, subject));
            addresses.extend(infra.addresses.iter().cloned());
        }
    }
    findings.sort_by_key(|finding| finding.severity);
    let worst = findings.first().filter(|finding| finding.severity == Severity::Error);
    if let Some(worst) = worst {
        return Layer::no(LayerName::Warming, worst.cause.clone(), findings);
    }
    let mut layer = if !silent.is_empty() {
        Layer::unknown(LayerName::Warming, &list(&silent, "and"))
    } else if answered == 0 {
        Layer::unknown(LayerName::Warming, "no proxy is connected that could be asked")
    } else {
        let at = if addresses.is_empty() { String::new() } else { format!(", at {}", list(&addresses, "and")) };
        let proxies = if answered == 1 { "1 proxy serves".to_owned() } else { format!("{answered} proxies serve") };
        let behind = match (healthy, provenance.values().all(|pieces| pieces.clusters.is_empty())) {
            (_, true) => String::new(),
            (1, _) => ", 1 healthy endpoint".to_owned(),
            (number, _) => format!(", {number} healthy endpoints"),
        };
        Layer::yes(LayerName::Warming, format!("{proxies}{at}{behind}"))
    };
    layer.findings = findings;
    layer
}

/// What one proxy lacks of `pieces`.
fn of_proxy(node: &str, admin: &AdminFacts, pieces: &Pieces, subject: &Subject) -> Vec<Finding> {
    let AdminFacts { active_listeners, warming_listeners, routes, active_clusters, warming_clusters, endpoints } =
        admin;
    let mut findings = Vec::new();
    let mut found = |definition: catalogue::Definition, cause: String| {
        findings.push(definition.found(subject.clone(), cause).fact("proxy", node).fix(definition.fix));
    };
    for name in &pieces.listeners {
        if warming_listeners.contains(name) && !active_listeners.contains(name) {
            found(catalogue::LISTENER_WARMING, format!("listener {name} is still warming"));
        } else if !active_listeners.contains(name) {
            found(catalogue::NOT_LOADED, format!("listener {name} isn't loaded"));
        }
    }
    for name in pieces.route_configurations.iter().filter(|name| !routes.contains(name)) {
        found(catalogue::NOT_LOADED, format!("route configuration {name} isn't loaded"));
    }
    for name in &pieces.clusters {
        if warming_clusters.contains(name) && !active_clusters.contains(name) {
            found(catalogue::CLUSTER_WARMING, format!("cluster {name} is still warming"));
        } else if !active_clusters.contains(name) {
            found(catalogue::NOT_LOADED, format!("cluster {name} isn't loaded"));
        } else if let Some(count) = endpoints.get(name).filter(|count| count.healthy == 0) {
            let cause = match count.total {
                0 => format!("cluster {name} has no endpoint"),
                total => format!("none of {total} endpoints of cluster {name} is healthy"),
            };
            found(catalogue::NO_HEALTHY_ENDPOINT, cause);
        }
    }
    findings
}

/// What is amiss with what runs the proxies.
fn of_infra(ir_key: &str, infra: &InfraFacts, subject: &Subject) -> Vec<Finding> {
    let InfraFacts { wanted, ready, addresses, trouble } = infra;
    let mut findings = Vec::new();
    if ready < wanted {
        let cause = format!("{} of {wanted} proxies of {ir_key} aren't ready", wanted - ready);
        let finding =
            catalogue::NOT_ENOUGH_PROXIES.found(subject.clone(), cause).fix(catalogue::NOT_ENOUGH_PROXIES.fix);
        findings.push(match trouble {
            Some(trouble) => finding.fact("trouble", trouble.clone()),
            None => finding,
        });
    }
    if addresses.is_empty() {
        let cause = format!("{ir_key} has no address");
        findings.push(catalogue::NO_ADDRESS.found(subject.clone(), cause).fix(catalogue::NO_ADDRESS.fix));
    }
    findings
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::super::evidence::{EndpointCount, FleetEvidence, LiveEvidence};
    use super::super::facts::Sources;
    use super::super::report::Verdict;
    use super::*;
    use crate::pipeline::Outcome;

    fn pieces() -> Pieces {
        let names = |name: &str| [name.to_owned()].into_iter().collect();
        Pieces {
            listeners: names("tcp-80"),
            route_configurations: names("infra/edge/http"),
            clusters: names("cart"),
            ..Pieces::default()
        }
    }

    fn loaded() -> AdminFacts {
        AdminFacts {
            active_listeners: vec!["tcp-80".to_owned()],
            routes: vec!["infra/edge/http".to_owned()],
            active_clusters: vec!["cart".to_owned()],
            endpoints: BTreeMap::from([("cart".to_owned(), EndpointCount { healthy: 2, total: 3 })]),
            ..AdminFacts::default()
        }
    }

    fn ask(admin: Known<AdminFacts>) -> Layer {
        let proxy = ProxyFacts { node: "envoy-a".to_owned(), connected: true, deliveries: Vec::new(), admin };
        let infra = InfraFacts { wanted: 1, ready: 1, addresses: vec!["10.0.0.1".to_owned()], trouble: None };
        let fleet = FleetEvidence {
            snapshot: Known::unknown("nobody asked"),
            proxies: Known::Is(vec![proxy]),
            infra: Known::Is(infra),
        };
        let live = LiveEvidence { fleets: BTreeMap::from([(Arc::from("infra/edge"), fleet)]) };
        let (outcome, sources) = (Outcome::default(), Sources::default());
        let facts = Facts::new(&outcome, &sources, Some(&live));
        let subject = Subject {
            kind: "HTTPRoute".to_owned(),
            namespace: "shop".to_owned(),
            name: "checkout".to_owned(),
            generation: None,
            origin: None,
        };
        layer(&facts, &subject, &Provenance::from([(Arc::from("infra/edge"), pieces())]))
    }

    #[test]
    fn everything_is_loaded_and_healthy() {
        let layer = ask(Known::Is(loaded()));
        assert_eq!(
            (layer.verdict, layer.summary.as_str()),
            (Verdict::Yes, "1 proxy serves, at 10.0.0.1, 2 healthy endpoints")
        );
    }

    #[test]
    fn what_warms_or_has_nothing_healthy_does_not_serve() {
        let code = |admin| ask(Known::Is(admin)).findings.first().map(|finding| finding.code.clone());
        let warming =
            AdminFacts { active_listeners: Vec::new(), warming_listeners: vec!["tcp-80".to_owned()], ..loaded() };
        assert_eq!(code(warming).as_deref(), Some("EGX-5101"));
        let cold = AdminFacts { active_clusters: Vec::new(), warming_clusters: vec!["cart".to_owned()], ..loaded() };
        assert_eq!(code(cold).as_deref(), Some("EGX-5102"));
        let sick = BTreeMap::from([("cart".to_owned(), EndpointCount { healthy: 0, total: 3 })]);
        assert_eq!(code(AdminFacts { endpoints: sick, ..loaded() }).as_deref(), Some("EGX-5103"));
        assert_eq!(code(AdminFacts { routes: Vec::new(), ..loaded() }).as_deref(), Some("EGX-5104"));
    }

    #[test]
    fn a_proxy_that_gives_no_answer_is_unknown() {
        let layer = ask(Known::unknown("its admin interface gave no answer within 2 s"));
        assert_eq!(layer.verdict, Verdict::Unknown);
        assert_eq!(layer.summary, "unknown, because envoy-a: its admin interface gave no answer within 2 s");
    }
}
