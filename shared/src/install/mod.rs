//! Everything an installation puts into a cluster, as one list: what `kubectl gateway install` applies and prints.

mod agent;
mod certificates;
pub mod changes;
pub mod configuration;
mod definitions;
mod labels;
pub mod object;
pub mod options;
pub mod rbac;
mod topology_webhook;

use std::collections::BTreeMap;

use serde_json::{Value, json};

pub use agent::{API_PORT, CLUSTER_DOMAIN, REMEMBERED};
pub use certificates::{Validity, validity};
pub use labels::{INSTANCE, MANAGED_BY, MANAGER, VERSION};
pub use object::{InstallKind, InstallObject, Step};
pub use options::Options;

/// The name of Envoy Gateway's Deployment, Service, ServiceAccount and Secret, and so of ours.
pub const NAME: &str = "envoy-gateway";

/// The ConfigMap with the configuration file.
pub const CONFIG_MAP: &str = "envoy-gateway-config";

/// The key of the configuration file in it.
pub const CONFIG_KEY: &str = "envoy-gateway.yaml";

/// The ConfigMap in which certgen tells the authority of the agent's certificate to whoever checks the agent.
pub const AUTHORITY_CONFIG_MAP: &str = "envoy-gateway-ca";

/// Its key.
pub const AUTHORITY_KEY: &str = "ca.crt";

/// The Secrets certgen makes: those of the control plane, the proxies, the rate limit service, and the key of OIDC
/// cookies.
pub const SECRETS: [&str; 4] = ["envoy-gateway", "envoy", "envoy-rate-limit", "envoy-oidc-hmac"];

/// All objects of an installation, in the order they are applied.
#[must_use]
pub fn render(options: &Options) -> Vec<InstallObject> {
    let mut objects = Vec::new();
    objects.extend(definitions::ours(options));
    objects.push(namespace(options));
    objects.extend(rbac::objects(options));
    objects.extend(topology_webhook::object(options));
    objects.push(certificates::job(options));
    objects.push(configuration(options));
    objects.push(agent::service(options));
    objects.push(agent::deployment(options));
    objects.extend(agent::disruption_budget(options));
    objects.extend(gateway_class(options));
    objects
}

/// The namespace the control plane runs in.
fn namespace(options: &Options) -> InstallObject {
    let mut labels = labels::common(options);
    labels.retain(|key, _| *key == MANAGED_BY);
    let content = json!({ "metadata": { "name": options.namespace, "labels": labels } });
    InstallObject::new(Step::Namespace, InstallKind::Namespace, content)
}

/// The configuration file.
fn configuration(options: &Options) -> InstallObject {
    let content = json!({
        "metadata": labels::metadata(options, CONFIG_MAP),
        "data": { CONFIG_KEY: options.config.text },
    });
    InstallObject::new(Step::Configuration, InstallKind::ConfigMap, content)
}

/// The GatewayClass, if one is asked for.
fn gateway_class(options: &Options) -> Option<InstallObject> {
    let name = options.values.gateway_class.as_ref()?;
    let content = json!({
        "metadata": { "name": name, "labels": labels::common(options) },
        "spec": { "controllerName": options.config.file.controller_name() },
    });
    Some(InstallObject::new(Step::Class, InstallKind::GatewayClass, content))
}

/// How many objects of which kinds, what runs first: `1 Deployment, 1 Service`.
#[must_use]
pub fn summary<'a>(objects: impl IntoIterator<Item = &'a InstallObject>) -> String {
    let mut counts: BTreeMap<InstallKind, usize> = BTreeMap::new();
    for object in objects {
        *counts.entry(object.kind).or_default() += 1;
    }
    counted(counts.into_iter())
}

/// Kinds and how many of them in words.
#[must_use]
pub fn counted(counts: impl Iterator<Item = (InstallKind, usize)>) -> String {
    let words = counts.map(|(kind, count)| {
        let plural = match (count, kind.kind()) {
            (1, name) => name.to_owned(),
            (_, name) if name.ends_with('s') => format!("{name}es"),
            (_, name) => match name.strip_suffix("cy") {
                Some(stem) => format!("{stem}cies"),
                None => format!("{name}s"),
            },
        };
        format!("{count} {plural}")
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The first text at `pointer` of `value`, `""` where there is none.
fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests;
