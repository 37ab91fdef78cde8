//! What was there before a take-over, kept in the cluster so that there is a way back.

use std::collections::BTreeMap;

use gateway_shared::install::{InstallKind, InstallObject, MANAGED_BY, MANAGER, Step};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::{Api, DeleteParams, PostParams};
use serde_json::Value;

use super::facts::{Facts, key};
use super::removal::is_ours;
use crate::cluster::Cluster;
use crate::exit::{Exit, Failure};

/// The Secret with the objects: their environment variables may be nobody's business.
pub const NAME: &str = "envoy-gateway-before-take-over";

const KEY: &str = "objects.json";

/// The objects that will be replaced, as they are; those that an earlier attempt replaced, as it kept them. Definitions
/// and the namespace aren't.
#[must_use]
pub fn replaced(facts: &Facts, objects: &[InstallObject], earlier: &[InstallObject]) -> Vec<Value> {
    let kept =
        [InstallKind::CustomResourceDefinition, InstallKind::Namespace, InstallKind::GatewayClass, InstallKind::Job];
    objects
        .iter()
        .filter(|object| !kept.contains(&object.kind))
        .filter_map(|object| {
            let there = facts.there.get(&key(object))?;
            let kept = || earlier.iter().find(|kept| key(kept) == key(object)).map(|kept| &kept.content);
            if is_ours(there) { kept() } else { Some(there) }
        })
        .map(|there| {
            let mut there = there.clone();
            if let Value::Object(fields) = &mut there {
                fields.remove("status");
            }
            there
        })
        .collect()
}

/// Keeps the objects that will be replaced.
///
/// # Errors
/// When the API server doesn't answer or refuses, or what an earlier attempt kept can't be read.
pub async fn keep(cluster: &Cluster, namespace: &str, facts: &Facts, objects: &[InstallObject]) -> Result<(), Failure> {
    let earlier = kept(cluster, namespace).await?;
    let replaced = replaced(facts, objects, earlier.as_deref().unwrap_or_default());
    if replaced.is_empty() {
        return Ok(());
    }
    let text = serde_json::to_vec(&replaced)
        .map_err(|error| Failure::new(Exit::Undetermined, format!("what is there can't be kept: {error}")))?;
    let secret = Secret {
        metadata: ObjectMeta {
            name: Some(NAME.to_owned()),
            namespace: Some(namespace.to_owned()),
            labels: Some(BTreeMap::from([(MANAGED_BY.to_owned(), MANAGER.to_owned())])),
            ..ObjectMeta::default()
        },
        data: Some(BTreeMap::from([(KEY.to_owned(), ByteString(text))])),
        ..Secret::default()
    };
    let (api, params) = (api(cluster, namespace), PostParams::default());
    let what = "keep what is there in a Secret";
    match earlier {
        Some(_) => cluster.ask(what, api.replace(NAME, &params, &secret)).await.map(drop),
        None => cluster.ask(what, api.create(&params, &secret)).await.map(drop),
    }
}

/// The objects that were kept, if any.
///
/// # Errors
/// When the API server doesn't answer or refuses, or what was kept can't be read.
pub async fn kept(cluster: &Cluster, namespace: &str) -> Result<Option<Vec<InstallObject>>, Failure> {
    let found = cluster.ask(&format!("get Secret {NAME}"), api(cluster, namespace).get_opt(NAME)).await?;
    let Some(ByteString(text)) = found.and_then(|secret| secret.data?.remove(KEY)) else { return Ok(None) };
    let unreadable = |why: String| {
        Failure::new(Exit::Undetermined, format!("what Secret {namespace}/{NAME} keeps can't be read: {why}"))
    };
    let contents: Vec<Value> = serde_json::from_slice(&text).map_err(|error| unreadable(error.to_string()))?;
    objects(contents).map(Some).map_err(unreadable)
}

/// The contents as objects, in the order they are put back: permissions before what needs them.
fn objects(contents: Vec<Value>) -> Result<Vec<InstallObject>, String> {
    let mut objects = Vec::new();
    for content in contents {
        let text = |key: &str| content.get(key).and_then(Value::as_str).unwrap_or_default();
        let Some(kind) = InstallKind::of(text("apiVersion"), text("kind")) else {
            return Err(format!("a {} is none of ours", text("kind")));
        };
        let step = match kind {
            InstallKind::Deployment | InstallKind::Service | InstallKind::PodDisruptionBudget => Step::Agent,
            InstallKind::ConfigMap => Step::Configuration,
            InstallKind::MutatingWebhookConfiguration => Step::Webhook,
            _ => Step::Permissions,
        };
        objects.push(InstallObject::new(step, kind, content));
    }
    objects.sort_by_key(|object| object.step);
    Ok(objects)
}

/// Forgets what was kept.
///
/// # Errors
/// When the API server doesn't answer or refuses.
pub async fn forget(cluster: &Cluster, namespace: &str) -> Result<(), Failure> {
    let api = api(cluster, namespace);
    cluster.ask(&format!("delete Secret {NAME}"), api.delete(NAME, &DeleteParams::default())).await.map(drop)
}

fn api(cluster: &Cluster, namespace: &str) -> Api<Secret> {
    Api::namespaced(cluster.client.clone(), namespace)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_replaced_is_kept_without_its_status() {
        let deployment = InstallObject::new(
            Step::Agent,
            InstallKind::Deployment,
            json!({ "metadata": { "name": "envoy-gateway", "namespace": "gw" } }),
        );
        let namespace =
            InstallObject::new(Step::Namespace, InstallKind::Namespace, json!({ "metadata": { "name": "gw" } }));
        let mut facts = Facts::default();
        let mut there = deployment.content.clone();
        there.as_object_mut().unwrap().insert("status".to_owned(), json!({ "replicas": 1 }));
        facts.there.insert(key(&deployment), there);
        facts.there.insert(key(&namespace), namespace.content.clone());
        let kept = replaced(&facts, &[namespace, deployment.clone()], &[]);
        assert_eq!(kept, std::slice::from_ref(&deployment.content));
        assert_eq!(objects(kept).unwrap(), [deployment]);
        assert!(objects(vec![json!({ "apiVersion": "v1", "kind": "Pod" })]).is_err());
    }

    #[test]
    fn what_is_there_is_kept_anew_and_what_we_replaced_as_it_was() {
        let object = |kind, replicas: u32, managed_by: &str| {
            let content = json!({
                "metadata": { "name": "a", "namespace": "gw", "labels": { MANAGED_BY: managed_by } },
                "spec": { "replicas": replicas },
            });
            InstallObject::new(Step::Agent, kind, content)
        };
        let (deployment, service) = (InstallKind::Deployment, InstallKind::Service);
        let earlier = [object(deployment, 1, "Helm"), object(service, 1, "Helm")];
        let mut facts = Facts::default();
        for there in [object(deployment, 2, "Helm"), object(service, 2, MANAGER)] {
            facts.there.insert(key(&there), there.content);
        }
        let wanted = [object(deployment, 3, MANAGER), object(service, 3, MANAGER)];
        let kept = replaced(&facts, &wanted, &earlier);
        assert_eq!(kept, [object(deployment, 2, "Helm").content, object(service, 1, "Helm").content]);
        assert!(replaced(&facts, &wanted[1..], &[]).is_empty(), "what is ours is nothing to go back to");
    }
}
