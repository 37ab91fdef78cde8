//! What is in a namespace that nobody here made, so that the namespace has to stay.

use std::collections::BTreeSet;

use kube::api::{Api, ApiResource, DynamicObject, ListParams};
use kube::core::ObjectMeta;
use kube::discovery::{Discovery, Scope, verbs};

use super::live::if_there;
use super::removal::LEASE;
use crate::cluster::Cluster;
use crate::exit::Failure;

/// API group and kind.
type Kind = (String, String);

/// What is in a namespace and is somebody's: of every kind the API server can list, whoever defined it.
///
/// # Errors
/// When something can't be listed: then nobody knows.
pub async fn of(cluster: &Cluster, namespace: &str) -> Result<Vec<String>, Failure> {
    let known = cluster.ask("list all kinds", Discovery::new(cluster.client.clone()).run()).await?;
    let all = known.groups().flat_map(kube::discovery::ApiGroup::resources_by_stability);
    let namespaced: Vec<_> = all.filter(|(_, capabilities)| capabilities.scope == Scope::Namespaced).collect();
    let kinds: BTreeSet<Kind> =
        namespaced.iter().map(|(resource, _)| (resource.group.clone(), resource.kind.clone())).collect();
    let mut guests = Vec::new();
    for (resource, _) in namespaced.iter().filter(|(_, capabilities)| capabilities.supports_operation(verbs::LIST)) {
        let api: Api<DynamicObject> = Api::namespaced_with(cluster.client.clone(), namespace, resource);
        let what = format!("list {} in namespace {namespace}", resource.plural);
        let found = cluster.ask(&what, if_there(api.list_metadata(&ListParams::default()))).await?;
        let items = found.into_iter().flat_map(|list| list.items).map(|item| item.metadata);
        let names = items.filter(|metadata| is_guest(resource, metadata, &kinds)).filter_map(|metadata| metadata.name);
        guests.extend(names.map(|name| format!("{} {name}", resource.kind)));
    }
    Ok(guests)
}

/// Whether an object is somebody's, and neither the cluster's own, nor what comes and goes with another object of the
/// namespace (whose kind is among `namespaced`), nor going already.
fn is_guest(resource: &ApiResource, metadata: &ObjectMeta, namespaced: &BTreeSet<Kind>) -> bool {
    let name = metadata.name.as_deref().unwrap_or_default();
    let of_the_cluster = match (resource.group.as_str(), resource.kind.as_str()) {
        ("", "ConfigMap") => name == "kube-root-ca.crt",
        ("", "ServiceAccount") => name == "default",
        // The leader's, who may have written it last.
        ("coordination.k8s.io", "Lease") => name == LEASE,
        // Endpoints follow their Service.
        ("", "Endpoints" | "Event") | ("events.k8s.io", "Event") => true,
        _ => false,
    };
    let follows = metadata.owner_references.iter().flatten().any(|owner| {
        let group = owner.api_version.split_once('/').map_or("", |(group, _)| group);
        namespaced.contains(&(group.to_owned(), owner.kind.clone()))
    });
    // What has no uid isn't stored, such as measurements of pods.
    metadata.uid.is_some() && metadata.deletion_timestamp.is_none() && !of_the_cluster && !follows
}

/// Why nobody knows what is in a namespace, in a few words.
#[must_use]
pub fn unknown(failure: &Failure) -> String {
    format!("of which nobody knows what is in it ({failure})")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn guest(group: &str, kind: &str, metadata: &Value) -> bool {
        let resource = ApiResource::from_gvk(&kube::core::GroupVersionKind::gvk(group, "v1", kind));
        let namespaced = [("apps", "Deployment"), ("apps", "ReplicaSet"), ("", "Service")];
        let namespaced = namespaced.map(|(group, kind)| (group.to_owned(), kind.to_owned())).into();
        is_guest(&resource, &serde_json::from_value(metadata.clone()).unwrap(), &namespaced)
    }

    #[test]
    fn every_object_of_somebody_is_a_guest_whatever_its_kind() {
        let of_the_user = json!({ "name": "mine", "uid": "u" });
        for (group, kind) in [
            ("gateway.envoyproxy.io", "EnvoyProxy"),
            ("gateway.networking.k8s.io", "Gateway"),
            ("apps", "StatefulSet"),
            ("", "PersistentVolumeClaim"),
            ("", "ConfigMap"),
            ("apps", "Deployment"),
        ] {
            assert!(guest(group, kind, &of_the_user), "{kind}");
        }
        assert!(guest("apps", "Deployment", &json!({ "name": "envoy-gateway", "uid": "u" })), "ours would be gone");
        let owner = |api_version: &str, kind: &str| json!({ "name": "n", "uid": "u", "ownerReferences": [{ "apiVersion": api_version, "kind": kind, "name": "o", "uid": "o" }] });
        assert!(!guest("apps", "ReplicaSet", &owner("apps/v1", "Deployment")));
        assert!(!guest("discovery.k8s.io", "EndpointSlice", &owner("v1", "Service")));
        assert!(guest("apps", "Deployment", &owner("gateway.networking.k8s.io/v1", "GatewayClass")));
    }

    #[tokio::test]
    async fn where_not_every_kind_can_be_listed_nobody_knows() {
        let (cluster, _) = crate::installation::pretended::cluster(Vec::new());
        let failure = of(&cluster, "gw").await.unwrap_err();
        assert!(unknown(&failure).contains("can't list all kinds"), "{}", unknown(&failure));
    }

    #[test]
    fn what_the_cluster_makes_or_takes_is_no_guest() {
        let named = |name: &str| json!({ "name": name, "uid": "u" });
        assert!(!guest("", "ConfigMap", &named("kube-root-ca.crt")));
        assert!(!guest("", "ServiceAccount", &named("default")) && guest("", "ServiceAccount", &named("mine")));
        assert!(!guest("events.k8s.io", "Event", &named("e")) && !guest("", "Endpoints", &named("envoy-gateway")));
        assert!(!guest("coordination.k8s.io", "Lease", &named(LEASE)));
        assert!(!guest("metrics.k8s.io", "PodMetrics", &json!({ "name": "p" })));
        assert!(!guest("", "Pod", &json!({ "name": "p", "uid": "u", "deletionTimestamp": "2026-01-01T00:00:00Z" })));
    }
}
