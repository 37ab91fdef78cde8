//! Layer 4: whether the proxies took what they were sent, and what Envoy said where they didn't.

use super::evidence::{Delivery, Held, Known, ProxyFacts};
use super::facts::Facts;
use super::findings as catalogue;
use super::nack::{self, Culprit};
use super::provenance::{Pieces, Provenance};
use super::report::{Finding, Layer, LayerName, Severity, Subject, Verdict};
use super::words::{age, count};
use crate::xds::table::{ResourceType, Table};

/// The types whose acknowledgement matters here.
const TYPES: [ResourceType; 4] =
    [ResourceType::Cluster, ResourceType::Endpoints, ResourceType::Listener, ResourceType::Route];

/// The answer for what `subject` became.
pub(super) fn layer(facts: &Facts<'_>, subject: &Subject, provenance: &Provenance) -> Layer {
    let mut findings = Vec::new();
    let mut summaries = Vec::new();
    let mut waiting = Vec::new();
    for (ir_key, pieces) in provenance {
        let (proxies, table) = match (proxies(facts, ir_key), facts.table(ir_key)) {
            (Ok(proxies), Ok(table)) => (proxies, table),
            (Err(reason), _) | (_, Err(reason)) => return Layer::unknown(LayerName::Delivery, &reason),
        };
        let connected: Vec<&ProxyFacts> = proxies.iter().filter(|proxy| proxy.connected).collect();
        if connected.is_empty() {
            let cause = format!("no proxy of {ir_key} is connected to the agent");
            findings.push(catalogue::NO_PROXY.found(subject.clone(), cause).fix(catalogue::NO_PROXY.fix));
            continue;
        }
        let rejections = rejections(facts, ir_key, pieces, &connected, subject);
        let refused = rejections.iter().filter(|finding| finding.severity == Severity::Error).count();
        let late: Vec<&&ProxyFacts> = connected.iter().filter(|proxy| !took_all(proxy, table)).collect();
        if refused == 0 && !late.is_empty() {
            let held = late.iter().flat_map(|proxy| &proxy.deliveries).find_map(|row| held(row, pieces));
            waiting.push(held.unwrap_or_else(|| {
                format!("{} of {} has not acknowledged the latest yet", late.len(), of(&connected))
            }));
        }
        summaries.push(format!("{} acknowledged it", count(connected.len(), "proxy").replace("proxys", "proxies")));
        findings.extend(rejections);
    }
    findings.sort_by_key(|finding| finding.severity);
    let worst = findings.first().filter(|finding| finding.severity == Severity::Error);
    if let Some(worst) = worst {
        let summary = summary_of(worst, &findings, facts, provenance);
        return Layer::no(LayerName::Delivery, summary, findings);
    }
    let mut layer = match waiting.first() {
        Some(reason) => Layer { verdict: Verdict::Unknown, ..Layer::unknown(LayerName::Delivery, reason) },
        None if summaries.is_empty() => Layer::unknown(LayerName::Delivery, "nothing came of it to deliver"),
        None => Layer::yes(LayerName::Delivery, summaries.join("; ")),
    };
    layer.findings = findings;
    layer
}

/// Why one of `pieces` isn't sent yet.
fn held(row: &Delivery, pieces: &Pieces) -> Option<String> {
    let Held { name, because } = row.held.iter().find(|held| pieces.holds(row.kind, &held.name))?;
    Some(format!("the {} {name} waits: {because}", row.kind.label()))
}

/// `3 proxies`.
fn of(proxies: &[&ProxyFacts]) -> String {
    match proxies.len() {
        1 => "1 proxy".to_owned(),
        number => format!("{number} proxies"),
    }
}

/// One line for a layer that is broken by `worst`.
fn summary_of(worst: &Finding, findings: &[Finding], facts: &Facts<'_>, provenance: &Provenance) -> String {
    if worst.code != catalogue::REJECTED.code() {
        return worst.cause.clone();
    }
    let kind = worst.evidence.iter().find(|fact| fact.label == "rejected").map_or("a resource", |fact| &fact.text);
    let refusing: std::collections::BTreeSet<&str> = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .flat_map(|finding| &finding.evidence)
        .filter(|fact| fact.label == "proxy")
        .map(|fact| fact.text.split(',').next().unwrap_or_default())
        .collect();
    let all: usize = provenance
        .keys()
        .filter_map(|key| proxies(facts, key).ok())
        .map(|proxies| proxies.iter().filter(|proxy| proxy.connected).count())
        .sum();
    let proxies = if all == 1 { "proxy" } else { "proxies" };
    format!("{} of {all} {proxies} rejected {kind}", refusing.len())
}

/// The proxies of one fleet, or why they aren't known.
pub(super) fn proxies<'a>(facts: &Facts<'a>, ir_key: &str) -> Result<&'a [ProxyFacts], String> {
    match &facts.fleet(ir_key)?.proxies {
        Known::Is(proxies) => Ok(proxies),
        Known::Unknown(reason) => Err(reason.clone()),
    }
}

/// Whether a proxy acknowledged the current version of every type that has resources.
fn took_all(proxy: &ProxyFacts, table: &Table) -> bool {
    TYPES.into_iter().filter(|kind| !table.of(*kind).is_empty()).all(|kind| {
        let current = table.of(kind).version_info();
        proxy.deliveries.iter().any(|row| row.kind == kind && row.acked.as_ref() == Some(&current))
    })
}

/// A finding for each rejection that concerns `pieces`: an error where the object is (or may be) to blame or hit, a
/// warning where it is proven to be another's.
fn rejections(
    facts: &Facts<'_>,
    ir_key: &str,
    pieces: &Pieces,
    proxies: &[&ProxyFacts],
    subject: &Subject,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for proxy in proxies {
        for row in &proxy.deliveries {
            let Delivery { kind, sent: _, acked, rejected, held: _ } = row;
            let Some(rejection) = rejected else { continue };
            let keeps = if acked.is_some() { "it keeps what it had" } else { "it has none so far" };
            let told = |error: &str| {
                let proxy = format!("{}, {} ago; {keeps}", proxy.node, age(rejection.seconds_ago));
                rejected_finding(facts, ir_key, *kind, &proxy, error, subject)
            };
            let ours = rejection.resources.iter().filter(|resource| pieces.holds(*kind, &resource.name));
            findings.extend(ours.map(|resource| told(&resource.error)));
            if rejection.resources.is_empty() {
                let named = named_in(facts, ir_key, *kind, &rejection.error);
                if named.is_empty() || named.iter().any(|name| pieces.holds(*kind, name)) {
                    findings.push(told(&rejection.error));
                }
            }
        }
    }
    findings
}

/// The resources of `kind` that Envoy's words name.
fn named_in(facts: &Facts<'_>, ir_key: &str, kind: ResourceType, error: &str) -> Vec<String> {
    let Ok(table) = facts.table(ir_key) else { return Vec::new() };
    table.of(kind).iter().filter(|resource| error.contains(&*resource.name)).map(|r| r.name.to_string()).collect()
}

/// The finding on one rejection.
fn rejected_finding(
    facts: &Facts<'_>,
    ir_key: &str,
    kind: ResourceType,
    proxy: &str,
    error: &str,
    subject: &Subject,
) -> Finding {
    let with_facts = |finding: Finding| {
        finding.fact("rejected", format!("the {}", kind.label())).fact("proxy", proxy).fact("Envoy", error)
    };
    match nack::culprit(facts, ir_key, error) {
        Some(Culprit { object, path, proven }) => {
            let certainty = if proven { "proven" } else { "likely" };
            let cause = match path.as_deref() {
                Some(path) => format!("{path} of {object} ({certainty})"),
                None => format!("{object} ({certainty})"),
            };
            let fix = match path.as_deref() {
                Some(path) => format!("correct `{path}` of {object}; Envoy's words above say how"),
                None => format!("correct {object}; Envoy's words above say how"),
            };
            let mut finding = with_facts(catalogue::REJECTED.found(object.clone(), cause)).fix(fix);
            finding.path = path;
            if object.key() != subject.key() {
                finding.cause = format!("{}, which shares the {} with {subject}", finding.cause, kind.label());
            }
            finding
        }
        None => {
            let cause = "which object is to blame could not be proven".to_owned();
            with_facts(catalogue::REJECTED.found(subject.clone(), cause))
                .fix("compare Envoy's words with the objects of this Gateway: kubectl gateway translate --to xds shows what it was sent")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::super::evidence::{FleetEvidence, LiveEvidence, RejectedResource, Rejection, SnapshotFacts};
    use super::super::facts::Sources;
    use super::*;
    use crate::pipeline::Outcome;
    use crate::xds::table::Resource;

    fn subject() -> Subject {
        Subject {
            kind: "HTTPRoute".to_owned(),
            namespace: "shop".to_owned(),
            name: "checkout".to_owned(),
            generation: None,
            origin: None,
        }
    }

    fn pieces() -> Pieces {
        let names = |name: &str| [name.to_owned()].into_iter().collect();
        Pieces { route_configurations: names("infra/edge/http"), clusters: names("cart"), ..Pieces::default() }
    }

    fn table() -> Table {
        let mut table = Table::default();
        table.of_mut(ResourceType::Route).insert(Arc::new(Resource::new("infra/edge/http", &b"r"[..])));
        table.of_mut(ResourceType::Cluster).insert(Arc::new(Resource::new("cart", &b"c"[..])));
        table.of_mut(ResourceType::Cluster).insert(Arc::new(Resource::new("other", &b"o"[..])));
        table
    }

    fn proxy(node: &str, rejected: Option<(ResourceType, &str, &str)>) -> ProxyFacts {
        let table = table();
        let row = |kind: ResourceType| Delivery {
            kind,
            sent: None,
            acked: Some(table.of(kind).version_info()),
            rejected: rejected.filter(|(of, ..)| *of == kind).map(|(_, name, error)| Rejection {
                version: "1".to_owned(),
                error: error.to_owned(),
                seconds_ago: 14,
                resources: vec![RejectedResource { name: name.to_owned(), error: error.to_owned() }],
            }),
            held: Vec::new(),
        };
        ProxyFacts {
            node: node.to_owned(),
            connected: true,
            deliveries: vec![row(ResourceType::Cluster), row(ResourceType::Route)],
            admin: Known::unknown("nobody asked"),
        }
    }

    fn ask(proxies: Known<Vec<ProxyFacts>>) -> Layer {
        let fleet = FleetEvidence {
            snapshot: Known::Is(SnapshotFacts { table: table(), held_back: None }),
            proxies,
            infra: Known::unknown("nobody asked"),
        };
        let live = LiveEvidence { fleets: BTreeMap::from([(Arc::from("infra/edge"), fleet)]) };
        let (outcome, sources) = (Outcome::default(), Sources::default());
        let facts = Facts::new(&outcome, &sources, Some(&live));
        layer(&facts, &subject(), &Provenance::from([(Arc::from("infra/edge"), pieces())]))
    }

    #[test]
    fn every_proxy_took_it() {
        let layer = ask(Known::Is(vec![proxy("a", None), proxy("b", None)]));
        assert_eq!((layer.verdict, layer.summary.as_str()), (Verdict::Yes, "2 proxies acknowledged it"));
    }

    #[test]
    fn a_rejection_is_told_with_envoys_words() {
        let nack = Some((ResourceType::Route, "infra/edge/http", "missing closing ): a("));
        let layer = ask(Known::Is(vec![proxy("a", nack), proxy("b", None), proxy("c", None)]));
        assert_eq!(layer.verdict, Verdict::No);
        assert_eq!(layer.summary, "1 of 3 proxies rejected the route configuration");
        let said: Vec<&str> = layer.findings.iter().flat_map(|f| &f.evidence).map(|fact| fact.text.as_str()).collect();
        assert!(said.contains(&"missing closing ): a("), "{said:?}");
        assert!(said.contains(&"a, 14 s ago; it keeps what it had"), "{said:?}");
    }

    #[test]
    fn a_rejection_of_somebody_elses_resource_is_none_of_ours() {
        let layer = ask(Known::Is(vec![proxy("a", Some((ResourceType::Cluster, "other", "bad cluster")))]));
        assert_eq!(layer.verdict, Verdict::Yes);
    }

    #[test]
    fn what_is_not_known_is_unknown() {
        let mut late = proxy("a", None);
        late.deliveries.clear();
        assert_eq!(ask(Known::Is(vec![late])).verdict, Verdict::Unknown);
        let layer = ask(Known::unknown("the ledger is empty after a restart"));
        assert_eq!(layer.verdict, Verdict::Unknown);
        assert_eq!(layer.summary, "unknown, because the ledger is empty after a restart");
    }

    #[test]
    fn no_proxy_at_all_is_a_finding() {
        let layer = ask(Known::Is(Vec::new()));
        assert_eq!(layer.verdict, Verdict::No);
        assert_eq!(layer.findings.first().map(|finding| finding.code.as_str()), Some("EGX-4101"));
    }
}
