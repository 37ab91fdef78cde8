//! The labels of what is installed: those of Envoy Gateway's chart, so that one can follow the other.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::options::Options;

/// Says who looks after an object.
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// What we say there, and how field ownership calls us.
pub const MANAGER: &str = "kubectl-gateway";

/// Says which installation an object belongs to.
pub const INSTANCE: &str = "app.kubernetes.io/instance";

/// Says which version of the agent an object belongs to.
pub const VERSION: &str = "app.kubernetes.io/version";

/// The name of Envoy Gateway's chart, which its labels and names carry.
const CHART: &str = "gateway-helm";

/// Labels that find the agent's pods. A Deployment's selector can't be changed, so these are the chart's.
pub(super) fn selector(options: &Options) -> BTreeMap<&'static str, String> {
    BTreeMap::from([
        ("control-plane", super::NAME.to_owned()),
        ("app.kubernetes.io/name", CHART.to_owned()),
        (INSTANCE, options.instance.clone()),
    ])
}

/// Labels of every object.
pub(super) fn common(options: &Options) -> BTreeMap<&'static str, String> {
    BTreeMap::from([
        ("app.kubernetes.io/name", CHART.to_owned()),
        (INSTANCE, options.instance.clone()),
        (VERSION, options.version.clone()),
        (MANAGED_BY, MANAGER.to_owned()),
    ])
}

/// Metadata of an object in the namespace of the control plane.
pub(super) fn metadata(options: &Options, name: &str) -> Value {
    json!({ "name": name, "namespace": options.namespace, "labels": common(options) })
}

/// The prefix of names that are of the whole cluster, as the chart makes it.
pub(super) fn full_name(instance: &str) -> String {
    if instance.contains(CHART) { instance.to_owned() } else { format!("{instance}-{CHART}") }
}
