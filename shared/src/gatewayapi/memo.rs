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
    readers: FxHashMap<Read, FxHashSet<K>>,
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
        let mut keys: Vec<K> =
            changed.iter().filter_map(|read| self.readers.get(read)).flat_map(|keys| keys.iter().cloned()).collect();
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
            self.readers.entry(read.clone()).or_default().insert(key.clone());
        }
    }

    fn forget_reader<'r>(&mut self, key: &K, reads: impl Iterator<Item = &'r Read>) {
        for read in reads {
            if let Some(keys) = self.readers.get_mut(read) {
                keys.remove(key);
                if keys.is_empty() {
                    self.readers.remove(read);
                }
            }
        }
    }
}
