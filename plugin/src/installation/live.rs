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
    let api = api(cluster, kind, namespace);
    let found = cluster.ask(&what, if_there(api.get(name))).await?;
    Ok(found.map(|object| document(&object)))
}

/// The objects of a kind with these labels, everywhere; none where the API server doesn't know the kind.
///
/// # Errors
/// When the API server doesn't answer or refuses.
pub async fn list(cluster: &Cluster, kind: InstallKind, labels: &str) -> Result<Vec<Value>, Failure> {
    let api = api(cluster, kind, None);
    let params = ListParams::default().labels(labels);
    let found = cluster.ask(&format!("list {}", kind.plural()), if_there(api.list(&params))).await?;
    Ok(found.iter().flat_map(|found| &found.items).map(document).collect())
}

/// An answer, unless there is nothing to answer about: no such object or, in words that aren't a Status, no such kind.
pub(super) async fn if_there<T>(
    answer: impl Future<Output = Result<T, kube::Error>>,
) -> Result<Option<T>, kube::Error> {
    match answer.await {
        Ok(answer) => Ok(Some(answer)),
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(None),
        Err(error) => Err(error),
    }
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
    let mut content: DynamicObject = serde_json::from_value(object.content.clone()).map_err(|error| {
        Failure::new(crate::exit::Exit::Undetermined, format!("{} can't be read: {error}", object.title()))
    })?;
    (content.metadata.uid, content.metadata.creation_timestamp, content.metadata.generation) = (None, None, None);
    let params = PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() };
    let put = async {
        let mut tries = 0..TRIES;
        loop {
            let there = api.get_opt(&object.name).await?;
            content.metadata.resource_version =
                there.as_ref().and_then(|there| there.metadata.resource_version.clone());
            let written = match there {
                Some(_) => api.replace(&object.name, &params, &content).await,
                None => api.create(&params, &content).await,
            };
            match written {
                // Others, such as who counts its pods, write it at the same time.
                Err(kube::Error::Api(status)) if status.code == 409 && tries.next().is_some() => {}
                other => return other.map(drop),
            }
        }
    };
    cluster.ask(&what, put).await
}

/// How often a write is tried again when others write at the same time.
const TRIES: usize = 10;

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
    let params = DeleteParams::background();
    let deleted = if_there(api.delete(name, &params));
    Ok(cluster.ask(&format!("delete {} {name}", kind.kind()), deleted).await?.is_some())
}

/// An object as a document.
fn document(object: &DynamicObject) -> Value {
    serde_json::to_value(object).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::installation::pretended::{answering, response};

    #[tokio::test]
    async fn what_others_write_at_the_same_time_is_put_back_all_the_same() {
        let written = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&written);
        let cluster = answering(move |request| {
            let conflict = request.method() == "PUT" && count.fetch_add(1, Ordering::Relaxed) < 2;
            let (code, body) = if conflict {
                (409, r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","code":409}"#)
            } else {
                (200, r#"{"kind":"Service","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7"}}"#)
            };
            response(code, body)
        });
        let object = InstallObject::new(
            gateway_shared::install::Step::Agent,
            InstallKind::Service,
            serde_json::json!({ "metadata": { "name": "a", "namespace": "gw", "resourceVersion": "1" } }),
        );
        put_back(&cluster, &object).await.unwrap();
        assert_eq!(written.load(Ordering::Relaxed), 3);
    }

    #[tokio::test]
    async fn of_a_kind_that_is_not_known_there_are_no_objects() {
        let unknown = answering(|_| response(404, "404 page not found\n"));
        assert_eq!(list(&unknown, InstallKind::GatewayClass, "").await.unwrap(), Vec::<Value>::new());
        assert_eq!(get(&unknown, InstallKind::GatewayClass, None, "eg").await.unwrap(), None);
        assert!(!delete(&unknown, InstallKind::GatewayClass, None, "eg").await.unwrap());
        list(&answering(|_| response(500, "out of order")), InstallKind::GatewayClass, "").await.unwrap_err();
    }
}
