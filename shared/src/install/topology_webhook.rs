//! The webhook through which proxies learn the zone of their node.

use serde_json::{Value, json};

use super::labels;
use super::object::{InstallKind, InstallObject, Step};
use super::options::Options;

/// The webhook's name; the namespace makes it one for each control plane.
pub(super) fn name(options: &Options) -> String {
    format!("envoy-gateway-topology-injector.{}", options.namespace)
}

/// The webhook, unless it is switched off. `caBundle` is left to certgen.
pub(super) fn object(options: &Options) -> Option<InstallObject> {
    if !options.config.topology_injector() {
        return None;
    }
    let mut labels = labels::common(options);
    labels.insert("app.kubernetes.io/component", "topology-injector".to_owned());
    let mut webhook = json!({
        "name": "topology.webhook.gateway.envoyproxy.io",
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "clientConfig": {
            "service": {
                "name": super::NAME,
                "namespace": options.namespace,
                "path": "/inject-pod-topology",
                "port": 9443,
            },
        },
        // A proxy without its zone is better than no proxy, and none should wait long for it.
        "failurePolicy": "Ignore",
        "timeoutSeconds": 5,
        "rules": [{
            "operations": ["CREATE"],
            "apiGroups": [""],
            "apiVersions": ["v1"],
            "resources": ["pods/binding"],
        }],
    });
    if let Some(namespaces) = fleet_namespaces(options)
        && let Value::Object(webhook) = &mut webhook
    {
        webhook.insert(
            "namespaceSelector".to_owned(),
            json!({
                "matchExpressions": [
                    { "key": "kubernetes.io/metadata.name", "operator": "In", "values": namespaces },
                ],
            }),
        );
    }
    let content = json!({ "metadata": { "name": name(options), "labels": labels }, "webhooks": [webhook] });
    Some(InstallObject::new(Step::Webhook, InstallKind::MutatingWebhookConfiguration, content))
}

/// Where proxies can be; `None` for everywhere.
fn fleet_namespaces(options: &Options) -> Option<Vec<String>> {
    if !options.config.file.gateway_namespace_mode() {
        return Some(vec![options.namespace.clone()]);
    }
    let watched = options.config.file.watched_namespaces();
    (!watched.is_empty()).then(|| watched.to_vec())
}
