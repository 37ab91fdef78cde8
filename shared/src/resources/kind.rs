//! All objects of one kind, by key: a persistent map, so that a copy costs nothing and a comparison only what differs.

use std::sync::Arc;

use imbl::OrdMap;
use imbl::ordmap::DiffItem;

use crate::api::metadata::{Object, ObjectKey};

/// All objects of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind<T> {
    by_key: OrdMap<ObjectKey, Arc<T>>,
}

/// One key under which two versions hold different objects.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a, T> {
    /// The key.
    pub key: &'a ObjectKey,
    /// The older object.
    pub old: Option<&'a Arc<T>>,
    /// The newer object.
    pub new: Option<&'a Arc<T>>,
}

impl<T> Default for Kind<T> {
    fn default() -> Self {
        Self { by_key: OrdMap::new() }
    }
}

impl<T: Object + PartialEq> Kind<T> {
    /// Puts `object` in the place of whatever had its key.
    pub fn insert(&mut self, object: Arc<T>) {
        self.by_key.insert(object.key(), object);
    }

    /// Takes the object with this key out and returns it.
    pub fn remove(&mut self, key: &ObjectKey) -> Option<Arc<T>> {
        self.by_key.remove(key)
    }

    /// The object with this key.
    #[must_use]
    pub fn get(&self, key: &ObjectKey) -> Option<&Arc<T>> {
        self.by_key.get(key)
    }

    /// The object with this key, and the key it is kept under: to hold on to that one costs no memory.
    #[must_use]
    pub fn entry(&self, key: &ObjectKey) -> Option<(&ObjectKey, &Arc<T>)> {
        self.by_key.get_key_value(key)
    }

    /// All objects, by namespace and name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<T>> {
        self.by_key.values()
    }

    /// All keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = &ObjectKey> {
        self.by_key.keys()
    }

    /// All objects of one namespace, by name.
    pub fn in_namespace<'a, 'n>(&'a self, namespace: &'n str) -> impl Iterator<Item = &'a Arc<T>> + use<'a, 'n, T> {
        self.by_key
            .range(ObjectKey::new(namespace, "")..)
            .take_while(move |(key, _)| &*key.namespace == namespace)
            .map(|(_, object)| object)
    }

    /// All objects from the oldest to the youngest, then by namespace and name: the canonical order.
    #[must_use]
    pub fn by_age(&self) -> Vec<&Arc<T>> {
        let mut objects: Vec<&Arc<T>> = self.iter().collect();
        // Keys are unique and already in order, so a stable sort by age alone gives the canonical order.
        objects.sort_by_key(|object| object.metadata().creation_timestamp);
        objects
    }

    /// How many objects there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// What differs between `self` and `newer`. Costs in time what differs.
    pub fn changes<'a>(&'a self, newer: &'a Self) -> impl Iterator<Item = Change<'a, T>> {
        self.by_key.diff(&newer.by_key).map(|item| match item {
            DiffItem::Add(key, new) => Change { key, old: None, new: Some(new) },
            DiffItem::Update { old: (_, old), new: (key, new) } => Change { key, old: Some(old), new: Some(new) },
            DiffItem::Remove(key, old) => Change { key, old: Some(old), new: None },
        })
    }
}
