//! From what the API server gives to what is kept: trimmed, typed, and its status aside.

use gateway_shared::api::any_object::AnyObject;
use gateway_shared::api::metadata::ObjectKey;
use gateway_shared::resources::decode::Fault;
use serde_json::Value;

use super::registry::Watched;
use super::seen::SeenObject;

/// What `kubectl apply` notes for itself: the whole object once more.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// One object, as it came.
#[derive(Debug)]
pub(super) struct Decoded {
    /// Which object it is.
    pub(super) key: ObjectKey,
    /// Its version and status, for kinds whose statuses we write.
    pub(super) seen: Option<SeenObject>,
    /// The object without what nobody reads, or what is wrong with it.
    pub(super) result: Result<AnyObject, Fault>,
}

/// Reads an object of the kind `watched`. `None` where it has not even a name.
pub(super) fn decode(watched: &Watched, mut value: Value) -> Option<Decoded> {
    let key = key_of(watched, &value)?;
    let version = trim(&mut value);
    let status = value.as_object_mut().and_then(|object| object.remove("status"));
    if let Some(trim) = watched.trim {
        trim(&mut value);
    }
    let seen = watched.status.then(|| SeenObject::new(version.as_deref().unwrap_or_default(), status.as_ref()));
    Some(Decoded { key, seen, result: (watched.decode)(&value) })
}

/// Which object this is.
pub(super) fn key_of(watched: &Watched, value: &Value) -> Option<ObjectKey> {
    let metadata = value.get("metadata")?;
    let name = metadata.get("name")?.as_str()?;
    if watched.namespaced {
        Some(ObjectKey::new(metadata.get("namespace")?.as_str()?, name))
    } else {
        Some(ObjectKey::cluster(name))
    }
}

/// Takes out the bookkeeping of the API server and of kubectl, which is most of an object. Returns its version, with
/// which no two states of an object would be equal.
fn trim(value: &mut Value) -> Option<String> {
    let metadata = value.get_mut("metadata").and_then(Value::as_object_mut)?;
    metadata.remove("managedFields");
    metadata.remove("selfLink");
    if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
        annotations.remove(LAST_APPLIED);
    }
    metadata.remove("resourceVersion").and_then(|version| version.as_str().map(str::to_owned))
}
