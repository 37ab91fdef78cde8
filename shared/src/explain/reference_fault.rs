//! What is wrong with references of a Route: not permitted, not there, not usable, or without a ready endpoint.

use serde_json::Value;

use super::facts::{Facts, reference_at};
use super::findings::{self as catalogue, Definition};
use super::report::Finding;
use super::similar::similar;
use super::words::list;
use crate::api::metadata::{Object as _, ObjectKey};
use crate::gatewayapi::decision::{FaultCondition, ParentDecision, RouteFault, RouteFragment};

/// The reason of a reference that no ReferenceGrant permits.
const REF_NOT_PERMITTED: &str = "RefNotPermitted";

/// What a fault refers to.
struct Reference {
    group: String,
    kind: String,
    key: ObjectKey,
    port: Option<i64>,
}

/// References that a ReferenceGrant would have to permit (layer 1).
pub(super) fn not_permitted(facts: &Facts<'_>, route: &RouteFragment, parent: &ParentDecision) -> Vec<Finding> {
    let faults = parent.faults.iter().filter(|fault| fault.diagnostic.reason == REF_NOT_PERMITTED);
    findings(facts, route, faults, |fault, reference| {
        let (finding, reference) = (found(facts, route, fault, catalogue::REFERENCE_NOT_PERMITTED), reference?);
        let Reference { group, kind, key, port: _ } = reference;
        Some(finding.fact("refers to", format!("{kind} {key}, from namespace {}", route.key.namespace)).fix(grant(
            &key.namespace,
            ("gateway.networking.k8s.io", route.kind.kind(), &route.key.namespace),
            (&group, &kind, &key.name),
        )))
    })
}

/// Every other fault of the Route's rules under `parent` (layer 2).
pub(super) fn others(facts: &Facts<'_>, route: &RouteFragment, parent: &ParentDecision) -> Vec<Finding> {
    let faults = parent.faults.iter().filter(|fault| fault.diagnostic.reason != REF_NOT_PERMITTED);
    findings(facts, route, faults, |fault, reference| {
        let definition = definition(fault);
        let finding = found(facts, route, fault, definition);
        let Some(reference) = reference else {
            return Some(finding.fix(definition.fix));
        };
        let Reference { group: _, kind, key, port } = &reference;
        let finding = match port {
            Some(port) => finding.fact("refers to", format!("{kind} {key}, port {port}")),
            None => finding.fact("refers to", format!("{kind} {key}")),
        };
        Some(match definition.number {
            number if number == catalogue::NO_SUCH_BACKEND.number => not_there(facts, fault, &reference, finding),
            number if number == catalogue::NO_READY_ENDPOINTS.number => finding.fix(format!(
                "make a pod of {kind} {key} ready: kubectl get endpointslices -n {} -l kubernetes.io/service-name={}",
                key.namespace, key.name
            )),
            _ => finding.fix(definition.fix),
        })
    })
}

/// A fix that creates the missing ReferenceGrant in `namespace`.
pub(super) fn grant(namespace: &str, from: (&str, &str, &str), to: (&str, &str, &str)) -> String {
    let (from_group, from_kind, from_namespace) = from;
    let (to_group, to_kind, to_name) = to;
    format!(
        "create a ReferenceGrant (gateway.networking.k8s.io/v1) in namespace {namespace} with `spec: {{from: [{{group: {from_group}, \
         kind: {from_kind}, namespace: {from_namespace}}}], to: [{{group: \"{to_group}\", kind: {to_kind}, name: {to_name}}}]}}`"
    )
}

/// One finding for each of `faults`, each once.
fn findings<'f>(
    facts: &Facts<'_>,
    route: &RouteFragment,
    faults: impl Iterator<Item = &'f RouteFault>,
    make: impl Fn(&RouteFault, Option<Reference>) -> Option<Finding>,
) -> Vec<Finding> {
    let manifest = facts.route_manifest(route.kind, &route.key);
    let mut found = Vec::new();
    for fault in faults {
        let reference = reference(&manifest, &fault.diagnostic.path.to_string(), &route.key.namespace);
        if let Some(finding) = make(fault, reference).filter(|finding| !found.contains(finding)) {
            found.push(finding);
        }
    }
    found
}

/// The finding on `fault`, before there is any advice.
fn found(facts: &Facts<'_>, route: &RouteFragment, fault: &RouteFault, definition: Definition) -> Finding {
    let finding = definition.found(facts.subject(route.kind.kind(), &route.key), fault.diagnostic.message.clone());
    if fault.diagnostic.path.is_root() { finding } else { finding.at(fault.diagnostic.path.to_string()) }
}

/// Which entry of the catalogue a fault is.
fn definition(fault: &RouteFault) -> Definition {
    let path = fault.diagnostic.path.to_string();
    let on_filter = path.contains(".filters[") && !path.contains(".backendRef");
    match (fault.condition, fault.diagnostic.reason) {
        (FaultCondition::BackendsAvailable, _) | (_, "EndpointsNotFound") => catalogue::NO_READY_ENDPOINTS,
        (FaultCondition::ResolvedRefs, _) if on_filter => catalogue::FILTER_NOT_RESOLVED,
        (FaultCondition::ResolvedRefs, "BackendNotFound" | "PortNotFound") => catalogue::NO_SUCH_BACKEND,
        (FaultCondition::ResolvedRefs, _) => catalogue::BACKEND_INVALID,
        (FaultCondition::Accepted, _) => catalogue::RULE_NOT_USED,
    }
}

/// Adds what may have been meant to the finding that a backend (or its port) isn't there.
fn not_there(facts: &Facts<'_>, fault: &RouteFault, reference: &Reference, finding: Finding) -> Finding {
    let Reference { group: _, kind, key, port } = reference;
    let resources = &facts.outcome.resources;
    if fault.diagnostic.reason == "PortNotFound" {
        let service = resources.services().get(key);
        let ports = service.and_then(|service| service.spec.ports.as_ref());
        let ports: Vec<String> = ports.into_iter().flatten().map(|port| port.port.to_string()).collect();
        return if ports.is_empty() {
            finding.fix(format!("correct the port, or add it to {kind} {key}"))
        } else {
            let asked = port.map(|port| format!(" instead of {port}")).unwrap_or_default();
            finding.fix(format!("use port {}{asked}", list(ports, "or")))
        };
    }
    let within = &key.namespace;
    let names = match kind.as_str() {
        "Backend" => facts.nameable("backends", resources.backends().in_namespace(within).map(|it| it.key())),
        "ServiceImport" => {
            facts.nameable("serviceimports", resources.service_imports().in_namespace(within).map(|it| it.key()))
        }
        _ => facts.nameable("services", resources.services().in_namespace(within).map(|it| it.key())),
    };
    let finding = match similar(&key.name, names.iter().map(|key| &*key.name)).first() {
        Some(name) => finding.fix(format!("did you mean {kind} {name}? Correct the name")),
        None => finding,
    };
    finding.fix(format!("create {kind} {key}, or refer to one that exists"))
}

/// What stands at `path` of a Route's manifest, if that is a reference.
fn reference(manifest: &Value, path: &str, namespace: &str) -> Option<Reference> {
    let found = reference_at(manifest, path)?;
    let text = |field: &str| found.get(field).and_then(Value::as_str);
    Some(Reference {
        group: text("group").unwrap_or_default().to_owned(),
        kind: text("kind").unwrap_or("Service").to_owned(),
        key: ObjectKey::new(text("namespace").unwrap_or(namespace), text("name").unwrap_or_default()),
        port: found.get("port").and_then(Value::as_i64),
    })
}
