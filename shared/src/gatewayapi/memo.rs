//! Kept results: each with what it looked up, made again only when one of those answers changed.

use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::resources::Read;

/// Kept results of type `V`, by `K`.
#[derive(Debug)]
pub struct Memo<K, V> {
    entries: FxHashMap<K, Entry<V>>,
    /// Who looked up what, so that a change finds its readers without asking everyone.
    readers: FxHashMap<Read, Readers<K>>,
}

/// Who made the same look-up. Most look-ups have one reader, which then needs no set of its own.
#[derive(Debug)]
enum Readers<K> {
    One(K),
    Many(FxHashSet<K>),
}

impl<K: Clone + Eq + Hash> Readers<K> {
    fn insert(&mut self, key: &K) {
        match self {
            Self::One(only) if only == key => {}
            Self::One(only) => *self = Self::Many([only.clone(), key.clone()].into_iter().collect()),
            Self::Many(keys) => drop(keys.insert(key.clone())),
        }
    }

    /// Takes `key` out; says whether nobody is left.
    fn remove(&mut self, key: &K) -> bool {
        match self {
            Self::One(only) => only == key,
            Self::Many(keys) => {
                keys.remove(key);
                keys.is_empty()
            }
        }
    }

    fn add_to(&self, keys: &mut Vec<K>) {
        match self {
            Self::One(only) => keys.push(only.clone()),
            Self::Many(many) => keys.extend(many.iter().cloned()),
        }
    }
}

#[derive(Debug)]
struct Entry<V> {
    value: Arc<V>,
    reads: Vec<Read>,
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self { entries: FxHashMap::default(), readers: FxHashMap::default() }
    }
}

impl<K: Clone + Eq + Hash + Ord, V> Memo<K, V> {
    /// The kept result for `key`.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<&Arc<V>> {
        self.entries.get(key).map(|entry| &entry.value)
    }

    /// Who looked up something that `changed`, in order.
    #[must_use]
    pub fn readers_of(&self, changed: &FxHashSet<Read>) -> Vec<K> {
        let mut keys = Vec::new();
        changed.iter().filter_map(|read| self.readers.get(read)).for_each(|readers| readers.add_to(&mut keys));
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Keeps `value`, made from `reads` (sorted, each once), in the place of what was kept for `key`; returns that.
    pub fn put(&mut self, key: K, value: Arc<V>, reads: Vec<Read>) -> Option<Arc<V>> {
        match self.entries.get_mut(&key) {
            Some(entry) => {
                let old = std::mem::replace(&mut entry.value, value);
                if entry.reads != reads {
                    let dropped = std::mem::replace(&mut entry.reads, reads.clone());
                    self.forget_reader(&key, dropped.iter().filter(|read| reads.binary_search(read).is_err()));
                    self.note_reader(&key, reads.iter().filter(|read| dropped.binary_search(read).is_err()));
                }
                Some(old)
            }
            None => {
                self.note_reader(&key, reads.iter());
                self.entries.insert(key, Entry { value, reads });
                None
            }
        }
    }

    /// Forgets what was kept for `key` and returns it.
    pub fn remove(&mut self, key: &K) -> Option<Arc<V>> {
        let Entry { value, reads } = self.entries.remove(key)?;
        self.forget_reader(key, reads.iter());
        Some(value)
    }

    /// The keys of everything kept, in no order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.entries.keys()
    }

    fn note_reader<'r>(&mut self, key: &K, reads: impl Iterator<Item = &'r Read>) {
        for read in reads {
            match self.readers.get_mut(read) {
                Some(readers) => readers.insert(key),
                None => drop(self.readers.insert(read.clone(), Readers::One(key.clone()))),
            }
        }
    }

    fn forget_reader<'r>(&mut self, key: &K, reads: impl Iterator<Item = &'r Read>) {
        for read in reads {
            if self.readers.get_mut(read).is_some_and(|readers| readers.remove(key)) {
                self.readers.remove(read);
            }
        }
    }
}
