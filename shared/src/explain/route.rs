//! A Route, layer by layer.

use super::facts::Facts;
use super::report::{Layer, LayerName, Verdict};
use super::{attachment, delivery, intermediate, provenance, snapshot, warming};
use crate::gatewayapi::decision::{ParentDecision, RouteFragment};

/// The five layers of `route`, as far as `parents` of it go.
pub(super) fn layers(facts: &Facts<'_>, route: &RouteFragment, parents: &[&ParentDecision]) -> Vec<Layer> {
    let subject = facts.subject(route.kind.kind(), &route.key);
    let attached = attachment::layer(facts, route, parents);
    let provenance = provenance::of_route(facts, parents);
    let became =
        if attached.verdict == Verdict::No && parents.iter().all(|parent| parent.attachments().next().is_none()) {
            Layer::unknown(LayerName::Ir, "no listener takes it, so nothing came of it")
        } else {
            intermediate::layer(facts, route, parents)
        };
    vec![
        attached,
        became,
        snapshot::layer(facts, &subject, &provenance),
        delivery::layer(facts, &subject, &provenance),
        warming::layer(facts, &subject, &provenance),
    ]
}
