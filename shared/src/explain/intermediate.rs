//! Layer 2 of a Route: which listeners, routes and destinations it became, and what got lost on the way.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::attachment::is_conflict;
use super::facts::Facts;
use super::findings as catalogue;
use super::provenance::destinations;
use super::reference_fault::{self, grant};
use super::report::{Fact, Finding, Layer, LayerName, Severity};
use super::words::{count, list};
use crate::api::metadata::ObjectKey;
use crate::diagnostic::Diagnostic;
use crate::gatewayapi::decision::{Layer4Route, ListenerOutcome, ParentDecision, ParentOutcome, RouteFragment};
use crate::gatewayapi::fleet::ListenerContext;
use crate::ir::destination::DestinationSetting;

/// What a Route became on one fleet.
#[derive(Default)]
struct Tally<'a> {
    routes: usize,
    destinations: BTreeSet<&'a str>,
    endpoints: usize,
}

/// The answer for `parents` of `route`.
pub(super) fn layer(facts: &Facts<'_>, route: &RouteFragment, parents: &[&ParentDecision]) -> Layer {
    let mut fleets: BTreeMap<&Arc<str>, Tally<'_>> = BTreeMap::new();
    let mut findings = Vec::new();
    for parent in parents {
        let ParentOutcome::Ours { gateway, ir_key, listeners } = &parent.outcome else { continue };
        let mut unready = Vec::new();
        let mut serves = false;
        for listener in listeners {
            let ListenerOutcome::Attached { listener_ready, routes, layer4, hostnames: _ } = &listener.outcome else {
                continue;
            };
            if !listener_ready {
                unready.extend(listener_findings(facts, gateway, &listener.listener));
                continue;
            }
            let tally = fleets.entry(ir_key).or_default();
            serves |= !routes.is_empty() || layer4.is_some();
            tally.routes += routes.len() + usize::from(layer4.is_some());
            let below_http = layer4.as_ref().and_then(Layer4Route::destination);
            for destination in routes.iter().flat_map(|route| destinations(route)).chain(below_http) {
                if tally.destinations.insert(&destination.name) {
                    tally.endpoints += destination
                        .settings
                        .iter()
                        .map(|setting| setting.endpoints.iter().filter(|endpoint| !endpoint.draining).count())
                        .sum::<usize>();
                }
            }
        }
        findings.extend(without_ready_endpoints(facts, route, parent));
        if serves {
            // The Route serves on other listeners of this parent, so those that don't are a warning.
            unready.iter_mut().for_each(|finding| finding.severity = Severity::Warning);
        }
        findings.extend(unready);
        findings.extend(reference_fault::others(facts, route, parent));
    }
    findings.dedup();
    findings.sort_by_key(|finding| finding.severity);
    let became: Vec<String> = fleets.iter().map(|(ir_key, tally)| in_words(ir_key, tally)).collect();
    let broken = findings.iter().any(|finding| finding.severity == Severity::Error);
    if !broken && fleets.values().any(|tally| tally.routes > 0) {
        let mut layer = Layer::yes(LayerName::Ir, became.join("; "));
        layer.findings = findings;
        return layer;
    }
    if !broken {
        let finding = catalogue::NO_ROUTES
            .found(facts.subject(route.kind.kind(), &route.key), "no rule of the Route became a route on any listener")
            .at("spec.rules")
            .fix(catalogue::NO_ROUTES.fix);
        findings.insert(0, finding);
    }
    let summary = summary(&findings);
    let mut layer = Layer::no(LayerName::Ir, summary, findings);
    layer.evidence.extend(became.into_iter().map(|text| Fact::new("became", text)));
    layer
}

/// A finding for each backend all of whose endpoints are known and none is ready: Envoy gets them as draining.
fn without_ready_endpoints(facts: &Facts<'_>, route: &RouteFragment, parent: &ParentDecision) -> Vec<Finding> {
    let subject = facts.subject(route.kind.kind(), &route.key);
    let mut findings = Vec::new();
    let routes = parent.attachments().flat_map(|(_, _, routes)| routes);
    let below_http = parent.below_http().filter_map(|(_, route)| route.destination());
    for destination in routes.flat_map(|route| destinations(route)).chain(below_http) {
        let idle = |setting: &&DestinationSetting| {
            !setting.endpoints.is_empty() && setting.endpoints.iter().all(|endpoint| endpoint.draining)
        };
        let is_partly_served =
            destination.settings.iter().any(|setting| !setting.endpoints.is_empty() && !idle(&setting));
        for setting in destination.settings.iter().filter(idle) {
            let name = setting.metadata.as_ref().map_or_else(
                || setting.name.to_string(),
                |metadata| format!("{} {}/{}", metadata.kind, metadata.namespace, metadata.name),
            );
            let total = setting.endpoints.len();
            let finding = catalogue::NO_READY_ENDPOINTS
                .found(subject.clone(), format!("none of the {} of {name} is ready", count(total, "endpoint")))
                .fact("refers to", name.clone())
                .fix(format!("make a pod of {name} ready"));
            let finding = if is_partly_served { Finding { severity: Severity::Warning, ..finding } } else { finding };
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
    }
    findings
}

/// `infra/edge: 2 routes to 1 destination with 3 endpoints`.
fn in_words(ir_key: &str, tally: &Tally<'_>) -> String {
    let Tally { routes, destinations, endpoints } = tally;
    let routes = count(*routes, "route");
    match destinations.len() {
        0 => format!("{ir_key}: {routes} without a destination"),
        number => {
            format!("{ir_key}: {routes} to {} with {}", count(number, "destination"), count(*endpoints, "endpoint"))
        }
    }
}

/// The first finding in a few words.
fn summary(findings: &[Finding]) -> String {
    let Some(first) = findings.first() else { return String::new() };
    let refers = first.evidence.iter().find(|fact| fact.label == "refers to");
    let what = catalogue::CATALOGUE.iter().find(|definition| definition.code() == first.code);
    let title = what.map_or("something is wrong", |definition| definition.title);
    let more = match findings.len() {
        1 => String::new(),
        number => format!(", and {} more", number - 1),
    };
    let mut title_words = title.chars();
    let title: String = title_words.next().into_iter().flat_map(char::to_lowercase).chain(title_words).collect();
    match refers {
        Some(fact) => format!("{title}: {}{more}", fact.text),
        None => format!("{title}{more}"),
    }
}

/// What keeps a listener from being served, other than a conflict, which layer 1 tells.
pub(super) fn listener_findings(facts: &Facts<'_>, gateway: &ObjectKey, name: &str) -> Vec<Finding> {
    let context = facts.outcome.translation.gateway(gateway);
    let Some(listener) = context.and_then(|context| context.listeners.iter().find(|l| l.listener.name == name)) else {
        return Vec::new();
    };
    let faults: Vec<&Diagnostic> = listener.faults.iter().filter(|fault| !is_conflict(fault.reason)).collect();
    if faults.is_empty() && !listener.ready {
        return vec![super::attachment::conflict(facts, gateway, listener).map_or_else(
            || {
                catalogue::LISTENER_NOT_READY
                    .found(facts.subject("Gateway", gateway), format!("listener {name} isn't fit to serve"))
                    .fix(format!("kubectl gateway explain gateway/{} -n {}", gateway.name, gateway.namespace))
            },
            |(_, finding)| finding,
        )];
    }
    faults.into_iter().map(|fault| listener_fault(facts, gateway, listener, fault)).collect()
}

/// The finding on one fault of a listener.
fn listener_fault(facts: &Facts<'_>, gateway: &ObjectKey, listener: &ListenerContext, fault: &Diagnostic) -> Finding {
    let name = &listener.listener.name;
    let path = fault.path.to_string();
    let found = |definition: catalogue::Definition| {
        definition
            .found(facts.subject("Gateway", gateway), format!("listener {name}: {}", fault.message))
            .at(path.clone())
    };
    let Some(secret) = certificate(facts, gateway, &path) else {
        return found(catalogue::LISTENER_NOT_READY).fact("reason", fault.reason).fix(format!("correct `{path}`"));
    };
    let there = facts.outcome.resources.secrets().get(&secret).is_some();
    let finding = match (fault.reason, there) {
        ("RefNotPermitted", _) => found(catalogue::CERTIFICATE_NOT_PERMITTED).fix(grant(
            &secret.namespace,
            ("gateway.networking.k8s.io", "Gateway", &gateway.namespace),
            ("", "Secret", &secret.name),
        )),
        (_, false) => found(catalogue::NO_SUCH_CERTIFICATE)
            .fix(format!("kubectl create secret tls {} -n {} --cert=FILE --key=FILE", secret.name, secret.namespace)),
        (_, true) => found(catalogue::CERTIFICATE_INVALID)
            .fix(format!("replace tls.crt and tls.key of Secret {secret} by a pair that fits and hasn't expired")),
    };
    finding.fact("refers to", format!("Secret {secret}"))
}

/// The Secret that the certificate reference at `path` of a Gateway names.
fn certificate(facts: &Facts<'_>, gateway: &ObjectKey, path: &str) -> Option<ObjectKey> {
    if !path.contains("tls") {
        return None;
    }
    let object = facts.outcome.resources.gateways().get(gateway)?;
    let manifest = super::facts::manifest_of(object.as_ref());
    let reference = super::facts::reference_at(&manifest, path)?;
    let text = |field: &str| reference.get(field).and_then(serde_json::Value::as_str);
    Some(ObjectKey::new(text("namespace").unwrap_or(&gateway.namespace), text("name")?))
}

/// The IR of whole fleets: their listeners, and how many routes these have.
pub(super) fn fleets_in_words(facts: &Facts<'_>, ir_keys: &[Arc<str>]) -> String {
    let words = ir_keys.iter().map(|key| match facts.outcome.translation.xds.get(key) {
        Some(ir) => {
            let listeners = ir.http.len() + ir.tcp.len() + ir.udp.len();
            let routes: usize = ir.http.iter().map(|listener| listener.routes.len()).sum();
            format!("{key}: {} with {}", count(listeners, "listener"), count(routes, "route"))
        }
        None => format!("{key}: nothing"),
    });
    list(words, "and")
}
