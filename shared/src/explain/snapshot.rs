//! Layer 3: whether what an object became stands in the snapshot that is served, and whether that is the latest.

use super::evidence::Known;
use super::facts::Facts;
use super::findings as catalogue;
use super::provenance::{Pieces, Provenance};
use super::report::{Finding, Layer, LayerName, Subject};
use super::words::{count, list};
use crate::xds::table::ResourceType;

/// The answer for what `subject` became.
pub(super) fn layer(facts: &Facts<'_>, subject: &Subject, provenance: &Provenance) -> Layer {
    let mut findings = Vec::new();
    let mut summaries = Vec::new();
    for (ir_key, pieces) in provenance {
        findings.extend(held_back(facts, ir_key, subject));
        findings.extend(problems(facts, ir_key, pieces, subject));
        let table = match facts.table(ir_key) {
            Ok(table) => table,
            Err(reason) => return Layer::unknown(LayerName::Snapshot, &reason),
        };
        let missing: Vec<String> = pieces
            .resources()
            .filter(|(kind, name)| table.of(*kind).get(name).is_none())
            .map(|(kind, name)| format!("{} {name}", kind.label()))
            .collect();
        if !missing.is_empty() && findings.is_empty() {
            let cause = format!("the snapshot {} of {ir_key} lacks {}", table.version(), list(&missing, "and"));
            findings.push(catalogue::NOT_IN_SNAPSHOT.found(subject.clone(), cause).fix(catalogue::NOT_IN_SNAPSHOT.fix));
        }
        summaries.push(format!("{}: {}", table.version(), in_words(pieces)));
    }
    match findings.first() {
        None if summaries.is_empty() => Layer::unknown(LayerName::Snapshot, "nothing came of it to look for"),
        None => Layer::yes(LayerName::Snapshot, summaries.join("; ")),
        Some(first) => Layer::no(LayerName::Snapshot, first.cause.clone(), findings),
    }
}

/// The resources by name, or only their number where they are many.
fn in_words(pieces: &Pieces) -> String {
    const NAMED: usize = 3;
    let named: Vec<String> = pieces
        .resources()
        .filter(|(kind, _)| *kind != ResourceType::Listener)
        .map(|(kind, name)| format!("{} {name}", kind.label()))
        .collect();
    if named.len() <= NAMED {
        return named.join(", ");
    }
    let Pieces { listeners, route_configurations, clusters, virtual_hosts: _ } = pieces;
    format!(
        "{}, {}, {}",
        count(listeners.len(), "listener"),
        count(route_configurations.len(), "route configuration"),
        count(clusters.len(), "cluster")
    )
}

/// The finding that a fleet is still served an earlier snapshot.
fn held_back(facts: &Facts<'_>, ir_key: &str, subject: &Subject) -> Option<Finding> {
    let from_agent = facts.fleet(ir_key).ok().and_then(|fleet| match &fleet.snapshot {
        Known::Is(snapshot) => snapshot.held_back.clone(),
        Known::Unknown(_) => None,
    });
    let from_translation = || {
        let held_back = facts.outcome.snapshots.get(ir_key)?.held_back.as_ref()?;
        Some(list(held_back.faults.iter().map(ToString::to_string), "and"))
    };
    let reason = from_agent.or_else(from_translation)?;
    Some(
        catalogue::SNAPSHOT_HELD_BACK
            .found(subject.clone(), format!("the snapshot of {ir_key} is an older one: {reason}"))
            .fact("held back", reason)
            .fix(catalogue::SNAPSHOT_HELD_BACK.fix),
    )
}

/// The parts of the IR that no Envoy resource could be made of, as far as they are among `pieces`.
fn problems(facts: &Facts<'_>, ir_key: &str, pieces: &Pieces, subject: &Subject) -> Vec<Finding> {
    let problems = facts.outcome.snapshots.get(ir_key).map(|snapshot| &*snapshot.problems).unwrap_or_default();
    problems
        .iter()
        .filter(|problem| concerns(&problem.to_string(), pieces, subject))
        .map(|problem| {
            catalogue::XDS_NOT_BUILT.found(subject.clone(), problem.to_string()).fix(catalogue::XDS_NOT_BUILT.fix)
        })
        .collect()
}

/// Whether a message speaks of one of `pieces` by name, or of the object itself.
fn concerns(message: &str, pieces: &Pieces, subject: &Subject) -> bool {
    message.contains(&format!("{}/{}", subject.kind.to_lowercase(), subject.key()))
        || pieces.clusters.iter().any(|name| message.contains(name.as_str()))
}
