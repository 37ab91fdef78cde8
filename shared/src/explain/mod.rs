//! Questions and answers: why an object serves or doesn't, layer by layer.
//!
//! Nothing is decided here. Decisions were made once, by translation, and are values; this turns them into words, with
//! what they rest on and a fix.

mod attachment;
mod delivery;
pub mod evidence;
pub mod facts;
pub mod findings;
mod gateway;
mod gateway_class;
mod intermediate;
mod missing;
pub mod nack;
pub mod nameable;
pub mod provenance;
pub mod question;
mod reference_fault;
pub mod report;
mod route;
mod similar;
mod snapshot;
pub mod status;
mod warming;
mod words;

use facts::Facts;
use question::{Kind, Question};
use report::Report;

use crate::api::metadata::ObjectKey;
use crate::gatewayapi::assembly::RouteId;
use crate::gatewayapi::decision::ParentDecision;

/// Answers `question` from what is known.
#[must_use]
pub fn explain(question: &Question, facts: &Facts<'_>) -> Report {
    let Question { kind, key, all } = question;
    let resources = &facts.outcome.resources;
    let key = &resolve(facts, *kind, key);
    let subject = facts.subject_of(*kind, key);
    let mut became = Vec::new();
    let layers = match kind {
        Kind::GatewayClass => resources.gateway_classes().get(key).map(|class| gateway_class::layers(facts, class)),
        Kind::Gateway => resources.gateways().get(key).map(|gateway| gateway::layers(facts, gateway)),
        Kind::HttpRoute | Kind::TlsRoute | Kind::TcpRoute | Kind::UdpRoute => kind.route().and_then(|kind| {
            let id = RouteId { kind, key: key.clone() };
            facts.outcome.translation.routes.get(&id).map(|fragment| {
                let parents: Vec<&ParentDecision> = fragment.parents.iter().collect();
                became = provenance::for_report(&provenance::of_route(facts, &parents));
                route::layers(facts, fragment, &parents)
            })
        }),
    };
    let layers = layers.unwrap_or_else(|| missing::layers(facts, *kind, &subject));
    Report { became, ..Report::new(subject, layers, *all) }
}

/// The key that is meant where no namespace was given: that of `default`, or of the only other namespace that has one.
fn resolve(facts: &Facts<'_>, kind: Kind, key: &ObjectKey) -> ObjectKey {
    if !kind.is_namespaced() || !key.namespace.is_empty() {
        return key.clone();
    }
    let in_default = ObjectKey::new("default", &key.name);
    let namesakes: Vec<ObjectKey> =
        missing::keys(facts, kind).into_iter().filter(|other| other.name == key.name).collect();
    match namesakes.as_slice() {
        [only] => only.clone(),
        _ => in_default,
    }
}
