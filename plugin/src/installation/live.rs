//! The objects of an installation in the cluster: read, applied, replaced, deleted.

use gateway_shared::install::changes::changes;
use gateway_shared::install::{InstallKind, InstallObject, MANAGER};
use kube::api::{Api, ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use serde_json::Value;

use crate::cluster::Cluster;
use crate::exit::Failure;

/// The objects of one kind, in a namespace or of the whole cluster.
pub fn api(cluster: &Cluster, kind: InstallKind, namespace: Option<&str>) -> Api<DynamicObject> {
    let resource = ApiResource {
        group: kind.group().to_owned(),
        version: kind.version().to_owned(),
        api_version: kind.api_version(),
        kind: kind.kind().to_owned(),
        plural: kind.plural().to_owned(),
    };
    match namespace {
        Some(namespace) => Api::namespaced_with(cluster.client.clone(), namespace, &resource),
        None => Api::all_with(cluster.client.clone(), &resource),
    }
}

/// One object, if it is there.
///
/// # Errors
/// When the API server doesn't answer or refuses.
pub async fn get(
    cluster: &Cluster,
    kind: InstallKind,
    namespace: Option<&str>,
    name: &str,
) -> Result<Option<Value>, Failure> {
    let what = format!("get {} {name}", kind.kind());
    let found = cluster.ask(&what, api(cluster, kind, namespace).get_opt(name)).await;
    Ok(found?.map(|object| document(&object)))
}

/// The objects of a kind with these labels, everywhere.
///
/// # Errors
/// When the API server doesn't answer or refuses.
pub async fn list(cluster: &Cluster, kind: InstallKind, labels: &str) -> Result<Vec<Value>, Failure> {
    let what = format!("list {}", kind.plural());
    let params = ListParams::default().labels(labels);
    let found = cluster.ask(&what, api(cluster, kind, None).list(&params)).await?;
    Ok(found.items.iter().map(document).collect())
}

/// All objects of a kind in one namespace.
///
/// # Errors
/// When the API server doesn't answer or refuses.
pub async fn list_in(cluster: &Cluster, kind: InstallKind, namespace: &str) -> Result<Vec<Value>, Failure> {
    let what = format!("list {}", kind.plural());
    let found = cluster.ask(&what, api(cluster, kind, Some(namespace)).list(&ListParams::default())).await?;
    Ok(found.items.iter().map(document).collect())
}

/// What became of an object that was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It is new.
    Created,
    /// It is different now.
    Changed,
    /// It was so already.
    Unchanged,
}

/// Applies an object; `before` is what was there. With `dry` the API server only says what would become of it.
///
/// # Errors
/// When the API server doesn't answer or refuses.
pub async fn apply(
    cluster: &Cluster,
    object: &InstallObject,
    before: Option<&Value>,
    dry: bool,
) -> Result<(Applied, Value), Failure> {
    let params = PatchParams { dry_run: dry, ..PatchParams::apply(MANAGER).force() };
    let what = format!("apply {}", object.title());
    let api = api(cluster, object.kind, object.namespace.as_deref());
    let after = document(&cluster.ask(&what, api.patch(&object.name, &params, &Patch::Apply(&object.content))).await?);
    let applied = match before {
        None => Applied::Created,
        // Others may have written its status meanwhile.
        Some(before) if changes(before, &after).is_empty() => Applied::Unchanged,
        Some(_) => Applied::Changed,
    };
    Ok((applied, after))
}

/// Puts an object back as it was, whatever became of it since.
///
/// # Errors
/// When the API server doesn't answer or refuses.
pub async fn put_back(cluster: &Cluster, object: &InstallObject) -> Result<(), Failure> {
    let api = api(cluster, object.kind, object.namespace.as_deref());
    let what = format!("put back {}", object.title());
    let mut content = object.content.clone();
    let there = cluster.ask(&what, api.get_opt(&object.name)).await?;
    if let Some(Value::Object(metadata)) = content.get_mut("metadata") {
        for field in ["uid", "creationTimestamp", "generation", "resourceVersion"] {
            metadata.remove(field);
        }
        if let Some(version) = there.as_ref().and_then(|there| there.metadata.resource_version.clone()) {
            metadata.insert("resourceVersion".to_owned(), Value::String(version));
        }
    }
    let content: DynamicObject = serde_json::from_value(content).map_err(|error| {
        Failure::new(crate::exit::Exit::Undetermined, format!("{} can't be read: {error}", object.title()))
    })?;
    let params = PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() };
    match there {
        Some(_) => cluster.ask(&what, api.replace(&object.name, &params, &content)).await.map(drop),
        None => cluster.ask(&what, api.create(&params, &content)).await.map(drop),
    }
}

/// Deletes an object, what it owns after it. Says whether it was there.
///
/// # Errors
/// When the API server doesn't answer or refuses.
pub async fn delete(
    cluster: &Cluster,
    kind: InstallKind,
    namespace: Option<&str>,
    name: &str,
) -> Result<bool, Failure> {
    let api = api(cluster, kind, namespace);
    let deleted = async {
        match api.delete(name, &DeleteParams::background()).await {
            Ok(_) => Ok(true),
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(false),
            Err(error) => Err(error),
        }
    };
    cluster.ask(&format!("delete {} {name}", kind.kind()), deleted).await
}

/// An object as a document.
fn document(object: &DynamicObject) -> Value {
    serde_json::to_value(object).unwrap_or_default()
}
