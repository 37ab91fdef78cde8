//! Layer 1 of a Route: which parents and listeners take it, and why the others don't.

use super::facts::Facts;
use super::findings as catalogue;
use super::question::Kind;
use super::reference_fault::not_permitted;
use super::report::{Finding, Layer, LayerName, Subject};
use super::similar::similar;
use super::words::{count, list};
use crate::api::metadata::{Object as _, ObjectKey};
use crate::gatewayapi::decision::{
    ListenerDecision, ListenerOutcome, ParentDecision, ParentOutcome, RouteFragment, RouteKind,
};
use crate::gatewayapi::fleet::ListenerContext;

/// The answer for `parents` of `route`.
pub(super) fn layer(facts: &Facts<'_>, route: &RouteFragment, parents: &[&ParentDecision]) -> Layer {
    let subject = facts.subject(route.kind.kind(), &route.key);
    if route.parents.is_empty() {
        let finding = catalogue::NO_PARENTS
            .found(subject, "spec.parentRefs is empty, so no Gateway is asked to serve the Route")
            .at("spec.parentRefs")
            .fix("add `parentRefs: [{name: GATEWAY, namespace: NAMESPACE}]` to the spec");
        return Layer::no(LayerName::Attachment, "the Route names no Gateway", vec![finding]);
    }
    let mut findings = Vec::new();
    let mut attached = Vec::new();
    let mut summary = None;
    for parent in parents {
        match refusal(facts, route, parent, &subject) {
            Some(refusal) => {
                summary.get_or_insert(refusal.summary);
                findings.extend(refusal.findings);
            }
            None => attached.push(where_attached(parent)),
        }
        findings.extend(not_permitted(facts, route, parent));
    }
    findings.dedup();
    if findings.is_empty() {
        return Layer::yes(LayerName::Attachment, attached.join("; "));
    }
    let summary = match summary {
        Some(summary) if attached.is_empty() => summary,
        Some(summary) => {
            format!("{} of {}: {summary}", parents.len() - attached.len(), count(parents.len(), "parentRef"))
        }
        None => "a reference to another namespace isn't permitted".to_owned(),
    };
    let mut layer = Layer::no(LayerName::Attachment, summary, findings);
    layer.evidence.extend(attached.into_iter().map(|place| super::report::Fact::new("attached", place)));
    layer
}

/// `infra/edge, listener https (443): shop.example.com`.
fn where_attached(parent: &ParentDecision) -> String {
    let ParentOutcome::Ours { gateway, .. } = &parent.outcome else { return String::new() };
    let places: Vec<String> = parent
        .attachments()
        .map(|(listener, hostnames, _)| {
            let hostnames = match hostnames {
                [one] if one == "*" => "every hostname".to_owned(),
                names => list(names, "and"),
            };
            format!("listener {} ({}): {hostnames}", listener.listener, listener.port)
        })
        .collect();
    format!("{gateway}, {}", places.join(", "))
}

/// Why a parent doesn't take a Route.
struct Refusal {
    summary: String,
    findings: Vec<Finding>,
}

/// Why `parent` doesn't take the Route; none if it does, on at least one listener that has no conflict.
fn refusal(facts: &Facts<'_>, route: &RouteFragment, parent: &ParentDecision, subject: &Subject) -> Option<Refusal> {
    let path = format!("spec.parentRefs[{}]", parent.index);
    let one = |summary: String, finding: Finding| Some(Refusal { summary, findings: vec![finding] });
    match &parent.outcome {
        ParentOutcome::ForeignKind => {
            let kind = parent.parent.kind.as_deref().unwrap_or("Gateway");
            let cause = format!("the parent {kind} {} is of a kind that isn't served here", parent.parent.name);
            let finding = catalogue::PARENT_KIND_NOT_SERVED
                .found(subject.clone(), cause)
                .at(format!("{path}.kind"))
                .fix("name a Gateway (`group: gateway.networking.k8s.io`, `kind: Gateway`)");
            one(format!("its parent is a {kind}, which isn't served here"), finding)
        }
        ParentOutcome::NoSuchGateway { gateway } => {
            let finding = catalogue::NO_SUCH_GATEWAY
                .found(subject.clone(), format!("there is no Gateway {gateway}"))
                .at(path.clone());
            one(format!("there is no Gateway {gateway}"), gateway_hints(facts, parent, gateway, &path, finding))
        }
        ParentOutcome::ForeignClass { gateway, class } => {
            let (summary, finding) = foreign_class(facts, gateway, class);
            one(summary, finding)
        }
        ParentOutcome::FailedGateway { gateway } => {
            one(format!("Gateway {gateway} can't be used"), failed_gateway(facts, gateway))
        }
        ParentOutcome::Ours { gateway, ir_key: _, listeners } => {
            let conflicts = listener_conflicts(facts, gateway, listeners);
            let mut fit =
                listeners.iter().filter(|listener| matches!(listener.outcome, ListenerOutcome::Attached { .. }));
            if fit.clone().next().is_none() {
                return Some(no_listener(facts, route, parent, gateway, listeners, subject));
            }
            let in_conflict = |name: &str| conflicts.iter().any(|(listener, _)| listener == name);
            if fit.all(|listener| in_conflict(&listener.listener)) {
                let names = conflicts.iter().map(|(listener, _)| listener.as_str());
                return Some(Refusal {
                    summary: format!("listener {} of {gateway} is in conflict with another", list(names, "and")),
                    findings: conflicts.into_iter().map(|(_, finding)| finding).collect(),
                });
            }
            None
        }
    }
}

/// Adds what the Route may have meant to the finding that a Gateway isn't there.
fn gateway_hints(
    facts: &Facts<'_>,
    parent: &ParentDecision,
    gateway: &ObjectKey,
    path: &str,
    finding: Finding,
) -> Finding {
    let all = facts.outcome.resources.gateways().iter().map(|gateway| gateway.key());
    let gateways = facts.nameable(Kind::Gateway.plural(), all);
    let elsewhere = gateways.iter().find(|other| other.name == gateway.name);
    if let Some(other) = elsewhere {
        let said = if parent.parent.namespace.is_some() { "names another namespace" } else { "names no namespace" };
        return finding
            .fact("seen", format!("Gateway {other}; the parentRef {said}"))
            .fix(format!("set `{path}.namespace: {}`, if Gateway {other} is meant", other.namespace));
    }
    let near = similar(&gateway.name, gateways.iter().filter(|o| o.namespace == gateway.namespace).map(|o| &*o.name));
    if let Some(name) = near.first() {
        return finding.fix(format!("did you mean {name}? Set `{path}.name: {name}`"));
    }
    let finding = match gateways.len() {
        0 => finding.fact("seen", facts.none_of("Gateway")),
        _ => finding.fact("seen", format!("Gateway {}", list(gateways.iter().map(ToString::to_string), "and"))),
    };
    finding.fix(format!("create Gateway {gateway}, or name one that exists"))
}

/// Whose a class is that isn't ours: another controller's, nobody's, or ours but not accepted.
pub(super) fn foreign_class(facts: &Facts<'_>, gateway: &ObjectKey, class: &str) -> (String, Finding) {
    let resources = &facts.outcome.resources;
    let on_gateway = facts.subject("Gateway", gateway);
    let path = "spec.gatewayClassName";
    let classes = facts.outcome.translation.classes.keys();
    let ours = || list(classes.clone().map(|name| &**name), "or");
    let Some(object) = resources.gateway_classes().get(&ObjectKey::new("", class)) else {
        let mut finding = catalogue::NO_SUCH_CLASS
            .found(on_gateway, format!("Gateway {gateway} asks for GatewayClass {class}, which doesn't exist"))
            .at(path);
        if !facts.outcome.translation.classes.is_empty() {
            finding = finding.fix(format!("set `{path}: {}` in Gateway {gateway}", ours()));
        }
        let finding = finding.fix(format!("create GatewayClass {class} with our controllerName"));
        return (format!("Gateway {gateway} has a class that doesn't exist: {class}"), finding);
    };
    if facts.outcome.translation.classes.contains_key(class) {
        return (format!("GatewayClass {class} of Gateway {gateway} isn't accepted"), refused_class(facts, class));
    }
    let controller = &object.spec.controller_name;
    let mut finding = catalogue::FOREIGN_CLASS
        .found(
            on_gateway,
            format!("GatewayClass {class} belongs to the controller {controller}, so Gateway {gateway} isn't ours"),
        )
        .at(path);
    if !facts.outcome.translation.classes.is_empty() {
        finding = finding.fix(format!("set `{path}: {}` in Gateway {gateway}, if we shall serve it", ours()));
    }
    let finding = finding.fix(format!("otherwise ask {controller}: we write no status on what is not ours"));
    (format!("Gateway {gateway} belongs to another controller: {controller}"), finding)
}

/// The finding on a class of ours that isn't accepted.
pub(super) fn refused_class(facts: &Facts<'_>, class: &str) -> Finding {
    let decision = facts.outcome.translation.classes.get(class);
    let fault = decision.and_then(|decision| decision.fault.as_ref());
    let cause = fault.map_or_else(|| "it isn't accepted".to_owned(), |fault| fault.message.clone());
    catalogue::CLASS_NOT_ACCEPTED
        .found(facts.subject("GatewayClass", &ObjectKey::new("", class)), cause)
        .at("spec.parametersRef")
        .fix("correct the EnvoyProxy that `spec.parametersRef` names, or the reference")
}

/// The finding on a Gateway of ours that can't be used.
pub(super) fn failed_gateway(facts: &Facts<'_>, gateway: &ObjectKey) -> Finding {
    let context = facts.outcome.translation.gateway(gateway);
    let fault = context.and_then(|context| context.failed.as_ref().or(context.rejected.as_ref()));
    let cause = fault.map_or_else(|| "it can't be used; its status says why".to_owned(), |fault| fault.message.clone());
    let finding = catalogue::GATEWAY_NOT_USABLE.found(facts.subject("Gateway", gateway), cause);
    let finding = match fault.filter(|fault| !fault.path.is_root()) {
        Some(fault) => finding.at(fault.path.to_string()),
        None => finding,
    };
    finding.fix("correct the Gateway, or the EnvoyProxy it names")
}

/// Why no listener takes the Route: the checks that were failed last come first, they are the closest to success.
fn no_listener(
    facts: &Facts<'_>,
    route: &RouteFragment,
    parent: &ParentDecision,
    gateway: &ObjectKey,
    listeners: &[ListenerDecision],
    subject: &Subject,
) -> Refusal {
    let path = format!("spec.parentRefs[{}]", parent.index);
    let mut findings: Vec<(u8, String, Finding)> = Vec::new();
    for listener in listeners {
        let name = &listener.listener;
        let on_gateway = || facts.subject("Gateway", gateway);
        let place = listener_place(facts, gateway, name);
        match &listener.outcome {
            ListenerOutcome::Attached { .. } | ListenerOutcome::OtherSection | ListenerOutcome::OtherPort => {}
            ListenerOutcome::NotOneRule { rules } => {
                let summary = format!("a {} must have one rule, and it has {rules}", route.kind.kind());
                let finding = catalogue::RULE_NOT_USED
                    .found(subject.clone(), summary.clone())
                    .at("spec.rules")
                    .fix("make a Route of each rule, and attach each to a listener of its own");
                // It is the Route's fault, whichever listener is asked.
                return Refusal { summary, findings: vec![finding] };
            }
            ListenerOutcome::NoHostname { listener: hostname } => {
                let wanted = hostnames_of(facts, route);
                let summary = match hostname {
                    Some(hostname) => format!("no hostname in common with {hostname}"),
                    None => "another listener takes all its hostnames".to_owned(),
                };
                let asked = hostname.as_deref().unwrap_or("every hostname that no other listener claims");
                let finding = catalogue::NO_COMMON_HOSTNAME
                    .found(
                        subject.clone(),
                        format!("the Route is for {wanted}, listener {name} of {gateway} for {asked}"),
                    )
                    .at("spec.hostnames")
                    .fact("allowed", format!("{asked} ({place}.hostname of Gateway {gateway})"))
                    .fact("asked", wanted);
                let finding = match hostname.as_deref() {
                    Some(hostname) => finding.fix(match hostname.strip_prefix("*.") {
                        Some(domain) => format!("give the Route a hostname like shop.{domain} in `spec.hostnames`"),
                        None => format!("set `spec.hostnames: [{hostname}]`, or leave it out to take the listener's"),
                    }),
                    None => finding.fix("attach to the listener that claims the hostname"),
                };
                let finding = finding.fix(format!("open `{place}.hostname` of Gateway {gateway}"));
                findings.push((0, summary, finding));
            }
            ListenerOutcome::NamespaceNotAllowed { allowed } => {
                let namespace = &route.key.namespace;
                let allows = match allowed.as_str() {
                    "Same" => format!("only its own namespace, {}", gateway.namespace),
                    "None" => "none".to_owned(),
                    selector => format!("only namespaces with {selector}"),
                };
                let finding = catalogue::NAMESPACE_NOT_ALLOWED
                    .found(
                        on_gateway(),
                        format!("listener {name} of {gateway} takes no Routes from namespace {namespace}"),
                    )
                    .at(format!("{place}.allowedRoutes.namespaces"))
                    .fact("allowed", allows)
                    .fact("asked", format!("namespace {namespace}"));
                let finding = match allowed.as_str() {
                    "Same" | "None" => finding.fix(format!(
                        "in Gateway {gateway} set `{place}.allowedRoutes.namespaces: {{from: Selector, selector: \
                         {{matchLabels: {{kubernetes.io/metadata.name: {namespace}}}}}}}` (or `from: All`)"
                    )),
                    selector => finding.fix(format!("label namespace {namespace} so that it fits {selector}")),
                };
                findings.push((
                    1,
                    format!("listener {name} of {gateway} takes no Routes from namespace {namespace}"),
                    finding,
                ));
            }
            ListenerOutcome::KindNotAllowed { allowed } => {
                let kind = route.kind.kind();
                let allows = if allowed.is_empty() { "no kind".to_owned() } else { list(allowed, "and") };
                let finding = catalogue::KIND_NOT_ALLOWED
                    .found(on_gateway(), format!("listener {name} of {gateway} doesn't take the kind {kind}"))
                    .at(format!("{place}.allowedRoutes.kinds"))
                    .fact("allowed", allows)
                    .fact("asked", kind)
                    .fix(format!("add `{{kind: {kind}}}` to `{place}.allowedRoutes.kinds` of Gateway {gateway}"))
                    .fix(format!("attach to a listener that takes {kind}"));
                findings.push((2, format!("listener {name} of {gateway} doesn't take the kind {kind}"), finding));
            }
        }
    }
    if findings.is_empty() {
        return no_such_listener(parent, gateway, listeners, subject, &path);
    }
    findings.sort_by_key(|(rank, _, _)| *rank);
    let summary = findings.first().map(|(_, summary, _)| summary.clone()).unwrap_or_default();
    Refusal { summary, findings: findings.into_iter().map(|(_, _, finding)| finding).collect() }
}

/// No listener has the name and port that the parentRef gives.
fn no_such_listener(
    parent: &ParentDecision,
    gateway: &ObjectKey,
    listeners: &[ListenerDecision],
    subject: &Subject,
    path: &str,
) -> Refusal {
    let all = list(listeners.iter().map(|listener| format!("{} ({})", listener.listener, listener.port)), "and");
    let seen = if listeners.is_empty() { "no listener at all".to_owned() } else { format!("listener {all}") };
    let of_section: Vec<&ListenerDecision> =
        listeners.iter().filter(|listener| listener.outcome != ListenerOutcome::OtherSection).collect();
    let (summary, finding) = match (&parent.parent.section_name, parent.parent.port, of_section.as_slice()) {
        (Some(section), _, []) => {
            let summary = format!("Gateway {gateway} has no listener {section}");
            let finding = catalogue::NO_SUCH_SECTION
                .found(subject.clone(), format!("{summary}, which the parentRef names"))
                .at(format!("{path}.sectionName"));
            let near = similar(section, listeners.iter().map(|listener| listener.listener.as_str()));
            let finding = match near.first() {
                Some(name) => finding.fix(format!("did you mean {name}? Set `{path}.sectionName: {name}`")),
                None => {
                    finding.fix(format!("use the name of a listener, or leave `{path}.sectionName` out to mean all"))
                }
            };
            (summary, finding)
        }
        (section, Some(port), _) => {
            let summary = match section {
                Some(section) => format!("listener {section} of {gateway} doesn't have port {port}"),
                None => format!("no listener of {gateway} has port {port}"),
            };
            let ports = list(of_section.iter().map(|listener| listener.port.to_string()), "or");
            let finding = catalogue::NO_SUCH_PORT
                .found(subject.clone(), format!("{summary}, which the parentRef asks for"))
                .at(format!("{path}.port"))
                .fix(format!("set `{path}.port: {ports}`, or leave `port` out"));
            (summary, finding)
        }
        (_, None, _) => {
            let summary = format!("Gateway {gateway} has no listener");
            let finding = catalogue::NO_SUCH_SECTION
                .found(subject.clone(), format!("{summary} the Route could attach to"))
                .at(path.to_owned())
                .fix(format!("add a listener to Gateway {gateway}"));
            (summary, finding)
        }
    };
    Refusal { summary, findings: vec![finding.fact("seen", seen)] }
}

/// The listeners a Route is attached to that are in conflict with others, each with its finding.
fn listener_conflicts(
    facts: &Facts<'_>,
    gateway: &ObjectKey,
    listeners: &[ListenerDecision],
) -> Vec<(String, Finding)> {
    let Some(context) = facts.outcome.translation.gateway(gateway) else { return Vec::new() };
    let attached = |name: &str| {
        listeners.iter().any(|other| {
            other.listener == name && matches!(other.outcome, ListenerOutcome::Attached { listener_ready: false, .. })
        })
    };
    let conflicted = context.listeners.iter().filter(|listener| attached(&listener.listener.name));
    conflicted.flat_map(|listener| conflict(facts, gateway, listener)).collect()
}

/// The finding on a listener that is in conflict with another one.
pub(super) fn conflict(
    facts: &Facts<'_>,
    gateway: &ObjectKey,
    listener: &ListenerContext,
) -> Option<(String, Finding)> {
    let fault = listener.faults.iter().find(|fault| is_conflict(fault.reason))?;
    let name = &listener.listener.name;
    let finding = catalogue::LISTENER_CONFLICT
        .found(facts.subject("Gateway", gateway), format!("listener {name}: {}", fault.message))
        .at(fault.path.to_string())
        .fact("reason", fault.reason)
        .fix(match fault.reason {
            "HostnameConflict" => format!("give listener {name} a hostname of its own"),
            _ => format!("give listener {name} a port of its own"),
        });
    Some((name.clone(), finding))
}

/// Whether a listener's condition with this reason says that it can't stand beside another one.
pub(super) fn is_conflict(reason: &str) -> bool {
    matches!(reason, "HostnameConflict" | "ProtocolConflict" | "PortUnavailable")
}

/// The hostnames a Route asks for, in words.
fn hostnames_of(facts: &Facts<'_>, route: &RouteFragment) -> String {
    let resources = &facts.outcome.resources;
    let hostnames = match route.kind {
        RouteKind::Http => resources.http_routes().get(&route.key).map(|object| object.spec.hostnames.as_slice()),
        RouteKind::Tls => resources.tls_routes().get(&route.key).map(|object| object.spec.hostnames.as_slice()),
        RouteKind::Tcp | RouteKind::Udp => None,
    };
    match hostnames {
        None | Some([]) => "every hostname".to_owned(),
        Some(hostnames) => list(hostnames, "and"),
    }
}

/// The field path of the listener `name`.
fn listener_place(facts: &Facts<'_>, gateway: &ObjectKey, name: &str) -> String {
    let object = facts.outcome.resources.gateways().get(gateway);
    let index = object.and_then(|object| object.spec.listeners.iter().position(|listener| listener.name == name));
    index.map_or_else(|| "spec.listeners".to_owned(), |index| format!("spec.listeners[{index}]"))
}
