//! Labels of a fleet's objects, and which of them select its pods.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use crate::infra::fleet::Fleet;
use crate::names::{FLEET_LABELS, OWNING_GATEWAY_CLASS, OWNING_GATEWAY_NAME, OWNING_GATEWAY_NAMESPACE};

/// The Gateway that a generated object belongs to, as the Gateway API wants it (GEP-1762).
const GATEWAY_NAME: &str = "gateway.networking.k8s.io/gateway-name";

/// The labels of every fleet, with `more` over them.
pub(super) fn with_app(fleet: &Fleet<'_>, more: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut labels: BTreeMap<String, String> =
        FLEET_LABELS.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    if fleet.in_gateway_namespace {
        labels.insert(GATEWAY_NAME.to_owned(), fleet.name.clone());
    }
    labels.extend(more.iter().map(|(name, value)| (name.clone(), value.clone())));
    labels
}

/// The labels that select the fleet's pods whatever labels its owner adds: a workload's selector can't be changed.
pub(super) fn stable(fleet: &Fleet<'_>) -> BTreeMap<String, String> {
    let owner = |name: &str| [OWNING_GATEWAY_NAME, OWNING_GATEWAY_NAMESPACE, OWNING_GATEWAY_CLASS].contains(&name);
    let kept = fleet.metadata.labels.iter().filter(|(name, _)| owner(name));
    with_app(fleet, &kept.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// [`stable`] as a selector.
pub(super) fn stable_selector(fleet: &Fleet<'_>) -> LabelSelector {
    LabelSelector { match_labels: Some(stable(fleet)), match_expressions: None }
}

/// The labels of the fleet's pods.
pub(super) fn of_pods(fleet: &Fleet<'_>, said: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut labels = fleet.metadata.labels.clone();
    labels.extend(said.iter().map(|(name, value)| (name.clone(), value.clone())));
    with_app(fleet, &labels)
}

/// Whether neither a Gateway nor a GatewayClass is named as owner.
pub(super) fn nobody_owns(labels: &BTreeMap<String, String>) -> bool {
    let absent = |name: &str| labels.get(name).is_none_or(String::is_empty);
    (absent(OWNING_GATEWAY_NAME) || absent(OWNING_GATEWAY_NAMESPACE)) && absent(OWNING_GATEWAY_CLASS)
}
