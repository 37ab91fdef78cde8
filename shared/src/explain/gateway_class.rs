//! A GatewayClass, layer by layer: is it ours and accepted, and then all its fleets together.

use std::sync::Arc;

use super::attachment::refused_class;
use super::facts::Facts;
use super::findings as catalogue;
use super::intermediate::fleets_in_words;
use super::report::{Layer, LayerName};
use super::words::count;
use super::{delivery, provenance, snapshot, warming};
use crate::api::gateway_class::GatewayClass;
use crate::api::metadata::Object as _;

/// The five layers of `class`.
pub(super) fn layers(facts: &Facts<'_>, class: &GatewayClass) -> Vec<Layer> {
    let key = class.key();
    let subject = facts.subject("GatewayClass", &key);
    let translation = &facts.outcome.translation;
    let fleets = translation.fleets.values().filter(|fleet| *fleet.class == *key.name);
    let keys: Vec<Arc<str>> = fleets.map(|fleet| Arc::clone(&fleet.ir_key)).collect();
    let used =
        facts.outcome.resources.gateways().iter().filter(|gateway| *gateway.spec.gateway_class_name == *key.name);
    let attachment = match translation.classes.get(&key.name) {
        None => {
            let controller = &class.spec.controller_name;
            let finding = catalogue::FOREIGN_CLASS
                .found(subject.clone(), format!("its controllerName is {controller}, which isn't ours"))
                .at("spec.controllerName")
                .fix(
                    "nothing, if another controller shall serve it; the field can't be changed, only a new class made",
                );
            Layer::no(LayerName::Attachment, format!("it belongs to another controller: {controller}"), vec![finding])
        }
        Some(decision) if decision.fault.is_some() => {
            Layer::no(LayerName::Attachment, "it isn't accepted", vec![refused_class(facts, &key.name)])
        }
        Some(_) => Layer::yes(LayerName::Attachment, format!("ours, used by {}", count(used.count(), "Gateway"))),
    };
    if keys.is_empty() {
        let idle = |name| Layer::yes(name, "no Gateway uses the class");
        let rest = LayerName::ALL.into_iter().filter(|name| *name != LayerName::Attachment).map(idle);
        return std::iter::once(attachment).chain(rest).collect();
    }
    let provenance = provenance::of_fleets(facts, &keys);
    vec![
        attachment,
        Layer::yes(LayerName::Ir, fleets_in_words(facts, &keys)),
        snapshot::layer(facts, &subject, &provenance),
        delivery::layer(facts, &subject, &provenance),
        warming::layer(facts, &subject, &provenance),
    ]
}
