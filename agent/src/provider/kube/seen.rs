//! What the cluster says of an object beside what translation reads: its version, and the status it has now.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use gateway_shared::api::metadata::ObjectKey;
use serde_json::Value;
use tokio::sync::Notify;

use crate::provider::Identity;

/// The objects our watches know, with the statuses they have in the cluster: what a status writer compares with, and
/// where it finds the entries of other controllers. Clones look at the same.
///
/// Only kinds that we write statuses of are here (the registry says which). A change of a status changes
/// nothing but this: it makes no new set of objects and no translation. The watches are behind the API server: an object
/// that isn't here may exist all the same, so ask the API server before giving one up, and read the object anew when a
/// write conflicts.
#[derive(Clone, Debug, Default)]
pub struct Seen(Arc<RwLock<Objects>>);

#[derive(Debug, Default)]
struct Objects {
    by_kind: HashMap<&'static str, HashMap<ObjectKey, Entry>>,
    /// The version each kind is watched in.
    versions: HashMap<&'static str, &'static str>,
    /// Who is told of changes.
    listeners: Vec<Weak<Changed>>,
}

/// The objects whose statuses changed and that nobody has looked at since.
#[derive(Debug, Default)]
struct Changed {
    objects: Mutex<HashSet<Identity>>,
    more: Notify,
}

/// Hears of every object whose status changes, whoever changed it.
#[derive(Debug)]
pub struct SeenChanges(Arc<Changed>);

impl SeenChanges {
    /// Waits until there are any, and takes them: each object once, however often it changed.
    pub async fn next(&mut self) -> HashSet<Identity> {
        loop {
            let more = self.0.more.notified();
            let objects = std::mem::take(&mut *self.0.objects.lock().unwrap_or_else(PoisonError::into_inner));
            if !objects.is_empty() {
                return objects;
            }
            more.await;
        }
    }
}

/// One object as our watches saw it last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenObject {
    /// The version the API server gave it.
    pub resource_version: Box<str>,
    /// Its status as JSON text; empty where it has none. [`SeenObject::status`] reads it.
    status: Box<[u8]>,
}

/// Text takes a tenth of the memory of a tree, and there are thousands.
type Entry = SeenObject;

impl SeenObject {
    /// An object of this version and with this status.
    #[must_use]
    pub fn new(resource_version: &str, status: Option<&Value>) -> Self {
        let status = status.and_then(|status| serde_json::to_vec(status).ok()).unwrap_or_default();
        Self { resource_version: resource_version.into(), status: status.into() }
    }

    /// The status; `None` where the object has none.
    #[must_use]
    pub fn status(&self) -> Option<Value> {
        serde_json::from_slice(&self.status).ok()
    }
}

impl Seen {
    /// The object of `kind` (as in a manifest) under `key`; `None` if our watches don't know it.
    #[must_use]
    pub fn get(&self, kind: &str, key: &ObjectKey) -> Option<SeenObject> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).by_kind.get(kind)?.get(key).cloned()
    }

    /// The status the object has now; `None` if it has none, or our watches don't know the object.
    #[must_use]
    pub fn status(&self, kind: &str, key: &ObjectKey) -> Option<Value> {
        self.get(kind, key)?.status()
    }

    /// Whether our watches know the object.
    #[must_use]
    pub fn exists(&self, kind: &str, key: &ObjectKey) -> bool {
        let objects = self.0.read().unwrap_or_else(PoisonError::into_inner);
        objects.by_kind.get(kind).is_some_and(|kind| kind.contains_key(key))
    }

    /// The version in which objects of `kind` are watched, which is one in which they can be written; `None` if they
    /// aren't watched.
    #[must_use]
    pub fn version(&self, kind: &str) -> Option<&'static str> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).versions.get(kind).copied()
    }

    /// Notes that objects of `kind` are watched in `version`. Tests of readers use it, too.
    pub fn watched_in(&self, kind: &'static str, version: &'static str) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).versions.insert(kind, version);
    }

    /// Tells of every change from now on.
    #[must_use]
    pub fn changes(&self) -> SeenChanges {
        let changed = Arc::<Changed>::default();
        let mut objects = self.0.write().unwrap_or_else(PoisonError::into_inner);
        objects.listeners.retain(|listener| listener.strong_count() > 0);
        objects.listeners.push(Arc::downgrade(&changed));
        SeenChanges(changed)
    }

    /// Takes in what an object looks like now. Tests of readers use it, too.
    pub fn put(&self, kind: &'static str, key: ObjectKey, object: SeenObject) {
        let mut objects = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let of_kind = objects.by_kind.entry(kind).or_default();
        let empty = object.status.is_empty();
        let same = of_kind.get(&key).map_or(empty, |known| known.status == object.status);
        of_kind.insert(key.clone(), object);
        if same {
            return;
        }
        for listener in objects.listeners.iter().filter_map(Weak::upgrade) {
            listener.objects.lock().unwrap_or_else(PoisonError::into_inner).insert((kind, key.clone()));
            listener.more.notify_one();
        }
    }

    /// Forgets an object that is gone.
    pub fn remove(&self, kind: &str, key: &ObjectKey) {
        if let Some(kind) = self.0.write().unwrap_or_else(PoisonError::into_inner).by_kind.get_mut(kind) {
            kind.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn clones_see_what_one_of_them_puts_in() {
        let (seen, key) = (Seen::default(), ObjectKey::new("shop", "cart"));
        let reader = seen.clone();
        assert!(!reader.exists("HTTPRoute", &key));
        let status = json!({"parents": [{"controllerName": "other"}]});
        seen.put("HTTPRoute", key.clone(), SeenObject::new("7", Some(&status)));
        assert_eq!(reader.status("HTTPRoute", &key), Some(status));
        seen.put("HTTPRoute", key.clone(), SeenObject::new("8", None));
        assert_eq!(reader.get("HTTPRoute", &key).map(|it| it.resource_version), Some("8".into()));
        assert_eq!(reader.status("HTTPRoute", &key), None);
        seen.remove("HTTPRoute", &key);
        assert!(!reader.exists("HTTPRoute", &key));
    }

    #[tokio::test]
    async fn a_status_that_changes_is_told_of_once_and_a_version_is_not() {
        let (seen, key) = (Seen::default(), ObjectKey::new("shop", "cart"));
        seen.put("HTTPRoute", key.clone(), SeenObject::new("1", None));
        let mut changes = seen.changes();
        seen.put("HTTPRoute", key.clone(), SeenObject::new("2", None));
        for version in ["3", "4"] {
            seen.put("Gateway", key.clone(), SeenObject::new(version, Some(&json!({ "n": version }))));
        }
        assert_eq!(changes.next().await, [("Gateway", key.clone())].into());
        seen.put("HTTPRoute", key.clone(), SeenObject::new("5", Some(&json!({}))));
        assert_eq!(changes.next().await, [("HTTPRoute", key)].into());
    }
}
