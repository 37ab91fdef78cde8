//! A Gateway, layer by layer: its class and listeners, then everything its fleet is served.

use std::sync::Arc;

use super::attachment::{conflict, failed_gateway, foreign_class};
use super::facts::Facts;
use super::findings as catalogue;
use super::intermediate::{fleets_in_words, listener_findings};
use super::report::{Finding, Layer, LayerName, Severity};
use super::words::{count, list};
use super::{delivery, provenance, snapshot, warming};
use crate::api::gateway::Gateway;
use crate::api::metadata::Object as _;
use crate::gatewayapi::fleet::GatewayContext;

/// The five layers of `gateway`.
pub(super) fn layers(facts: &Facts<'_>, gateway: &Gateway) -> Vec<Layer> {
    let key = gateway.key();
    let subject = facts.subject("Gateway", &key);
    let context = facts.outcome.translation.gateway(&key);
    let keys: Vec<Arc<str>> = context.map(|context| Arc::clone(&context.ir_key)).into_iter().collect();
    let provenance = provenance::of_fleets(facts, &keys);
    vec![
        attachment(facts, gateway, context.map(|context| &**context)),
        match context {
            Some(context) => intermediate(facts, context, &keys),
            None => Layer::unknown(LayerName::Ir, "it isn't ours, so nothing came of it"),
        },
        snapshot::layer(facts, &subject, &provenance),
        delivery::layer(facts, &subject, &provenance),
        warming::layer(facts, &subject, &provenance),
    ]
}

/// Layer 1: is it ours, usable, and are its listeners without conflict?
fn attachment(facts: &Facts<'_>, gateway: &Gateway, context: Option<&GatewayContext>) -> Layer {
    let key = gateway.key();
    let Some(context) = context else {
        let (summary, finding) = foreign_class(facts, &key, &gateway.spec.gateway_class_name);
        return Layer::no(LayerName::Attachment, summary, vec![finding]);
    };
    if context.failed.is_some() {
        let finding = failed_gateway(facts, &key);
        return Layer::no(LayerName::Attachment, format!("Gateway {key} can't be used"), vec![finding]);
    }
    let conflicts: Vec<(String, Finding)> =
        context.listeners.iter().filter_map(|listener| conflict(facts, &key, listener)).collect();
    if !conflicts.is_empty() {
        let names = list(conflicts.iter().map(|(name, _)| name), "and");
        let findings = conflicts.into_iter().map(|(_, finding)| finding).collect();
        return Layer::no(LayerName::Attachment, format!("listener {names} is in conflict with another"), findings);
    }
    let listeners = count(context.listeners.len(), "listener");
    let mut layer =
        Layer::yes(LayerName::Attachment, format!("class {}, {listeners}", gateway.spec.gateway_class_name));
    if context.rejected.is_some() {
        // It is served nevertheless, without the part that is at fault.
        layer.findings.push(Finding { severity: Severity::Warning, ..failed_gateway(facts, &key) });
    }
    layer
}

/// Layer 2: are its listeners fit to serve, and how many Routes do they have?
fn intermediate(facts: &Facts<'_>, context: &GatewayContext, keys: &[Arc<str>]) -> Layer {
    let key = context.gateway.key();
    let mut findings: Vec<Finding> = context
        .listeners
        .iter()
        .filter(|listener| conflict(facts, &key, listener).is_none())
        .filter(|listener| !listener.ready || !listener.faults.is_empty())
        .flat_map(|listener| {
            let mut findings = listener_findings(facts, &key, &listener.listener.name);
            if listener.ready {
                findings.iter_mut().for_each(|finding| finding.severity = Severity::Warning);
            }
            findings
        })
        .collect();
    findings.sort_by_key(|finding| finding.severity);
    let words = fleets_in_words(facts, keys);
    match findings.iter().find(|finding| finding.severity == Severity::Error) {
        Some(finding) => Layer::no(LayerName::Ir, finding.cause.clone(), findings),
        None if context.listeners.is_empty() => {
            let finding = catalogue::LISTENER_NOT_READY
                .found(facts.subject("Gateway", &key), "the Gateway has no listener, so it can serve nothing")
                .at("spec.listeners")
                .fix("add a listener to `spec.listeners`");
            Layer::no(LayerName::Ir, "no listener", vec![finding])
        }
        None => {
            let mut layer = Layer::yes(LayerName::Ir, words);
            layer.findings = findings;
            layer
        }
    }
}
