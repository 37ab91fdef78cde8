//! The snapshot cache: one snapshot for each IR key, one writer, many readers.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use gateway_shared::xds::table::{Resource, ResourceType, Table};
use tokio::sync::watch;

use super::references::mentioned;

/// What one fleet is served, from one publication until the next.
#[derive(Debug)]
pub struct Snapshot {
    /// The IR key of the fleet.
    pub ir_key: Arc<str>,
    /// The hash of the content, shortened for people ([`Table::version`]).
    pub version: String,
    /// When it was published.
    pub published_at: SystemTime,
    /// The resources.
    pub table: Arc<Table>,
    /// Which clusters a listener or route configuration mentions; filled when somebody has to wait for one.
    references: Mutex<HashMap<(ResourceType, Arc<str>), Names>>,
}

/// Names of resources, shared between streams.
pub type Names = Arc<[Arc<str>]>;

impl Snapshot {
    /// The snapshot of `table` for the fleet `ir_key`.
    #[must_use]
    pub fn new(ir_key: Arc<str>, table: Arc<Table>, published_at: SystemTime) -> Self {
        Self { ir_key, version: table.version(), published_at, table, references: Mutex::default() }
    }

    /// The clusters of this snapshot that `resource`, one of its own, mentions. Computed once, for all streams.
    #[must_use]
    pub fn clusters_of(&self, kind: ResourceType, resource: &Resource) -> Names {
        let key = (kind, Arc::clone(&resource.name));
        let mut references = self.references.lock().unwrap_or_else(PoisonError::into_inner);
        let clusters = self.table.of(ResourceType::Cluster);
        let found = references.entry(key).or_insert_with(|| {
            mentioned(&resource.body, |name| clusters.get(name).map(|cluster| Arc::clone(&cluster.name))).into()
        });
        Arc::clone(found)
    }
}

/// What a publication did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// The content equals what was there: nobody was told.
    Unchanged,
    /// Everyone who follows this key sees the new snapshot.
    Replaced,
    /// The key had no snapshot before.
    Created,
}

/// The snapshots of all fleets. Clones share their content.
#[derive(Clone, Debug, Default)]
pub struct SnapshotCache {
    slots: Arc<Mutex<BTreeMap<Arc<str>, Slot>>>,
}

#[derive(Debug)]
struct Slot {
    sender: watch::Sender<Option<Arc<Snapshot>>>,
    /// False when the key was removed (or never published) and only its followers keep the slot alive.
    live: bool,
}

/// One reader's view of one key: `None` until the first snapshot, afterwards the latest one.
pub type Follower = watch::Receiver<Option<Arc<Snapshot>>>;

impl SnapshotCache {
    /// An empty cache.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces the snapshot of `ir_key`, if `table` differs from it; `at` is the time of publication.
    pub fn publish(&self, ir_key: &Arc<str>, table: Arc<Table>, at: SystemTime) -> Published {
        self.with_slots(|slots| {
            let slot = slots.entry(Arc::clone(ir_key)).or_insert_with(Slot::empty);
            let was_live = std::mem::replace(&mut slot.live, true);
            let same = slot.sender.borrow().as_ref().is_some_and(|current| current.table == table);
            if same {
                return if was_live { Published::Unchanged } else { Published::Created };
            }
            slot.sender.send_replace(Some(Arc::new(Snapshot::new(Arc::clone(ir_key), table, at))));
            if was_live { Published::Replaced } else { Published::Created }
        })
    }

    /// Forgets `ir_key`: proxies that are connected get an empty snapshot (design rule 18), new ones wait.
    /// Returns whether there was something to forget.
    pub fn remove(&self, ir_key: &str, at: SystemTime) -> bool {
        self.with_slots(|slots| {
            let Some(slot) = slots.get_mut(ir_key) else { return false };
            let was_live = std::mem::replace(&mut slot.live, false);
            if slot.sender.receiver_count() == 0 {
                slots.remove(ir_key);
            } else if was_live {
                let empty = Snapshot::new(Arc::from(ir_key), Arc::new(Table::default()), at);
                slot.sender.send_replace(Some(Arc::new(empty)));
            }
            was_live
        })
    }

    /// The current snapshot of `ir_key`.
    #[must_use]
    pub fn get(&self, ir_key: &str) -> Option<Arc<Snapshot>> {
        self.with_slots(|slots| {
            slots.get(ir_key).filter(|slot| slot.live).and_then(|slot| slot.sender.borrow().clone())
        })
    }

    /// All keys that have a snapshot, in order.
    #[must_use]
    pub fn keys(&self) -> Vec<Arc<str>> {
        self.with_slots(|slots| slots.iter().filter(|(_, slot)| slot.live).map(|(key, _)| Arc::clone(key)).collect())
    }

    /// Follows `ir_key`, which need not exist yet. A slow follower misses snapshots, never the latest.
    #[must_use]
    pub fn follow(&self, ir_key: &Arc<str>) -> Follower {
        self.with_slots(|slots| {
            slots.retain(|_, slot| slot.live || slot.sender.receiver_count() > 0);
            slots.entry(Arc::clone(ir_key)).or_insert_with(Slot::empty).sender.subscribe()
        })
    }

    fn with_slots<T>(&self, work: impl FnOnce(&mut BTreeMap<Arc<str>, Slot>) -> T) -> T {
        work(&mut self.slots.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Slot {
    fn empty() -> Self {
        Self { sender: watch::Sender::new(None), live: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(body: &'static [u8]) -> Arc<Table> {
        let mut table = Table::default();
        table.of_mut(ResourceType::Cluster).insert(Arc::new(Resource::new("a", body)));
        Arc::new(table)
    }

    fn key() -> Arc<str> {
        Arc::from("infra/edge")
    }

    const AT: SystemTime = SystemTime::UNIX_EPOCH;

    #[test]
    fn a_follower_sees_the_latest_and_only_changes() {
        let cache = SnapshotCache::new();
        let mut follower = cache.follow(&key());
        assert!(follower.borrow_and_update().is_none());
        assert_eq!(cache.publish(&key(), table(b"1"), AT), Published::Created);
        assert_eq!(cache.publish(&key(), table(b"2"), AT), Published::Replaced);
        assert_eq!(follower.has_changed().ok(), Some(true));
        assert_eq!(follower.borrow_and_update().as_ref().map(|it| it.table.clone()), Some(table(b"2")));
        assert_eq!(cache.publish(&key(), table(b"2"), AT), Published::Unchanged);
        assert_eq!(follower.has_changed().ok(), Some(false));
    }

    #[test]
    fn removal_empties_connected_proxies_and_new_ones_wait() {
        let cache = SnapshotCache::new();
        cache.publish(&key(), table(b"1"), AT);
        let connected = cache.follow(&key());
        assert!(cache.remove("infra/edge", AT));
        assert!(!cache.remove("infra/edge", AT));
        assert_eq!(connected.borrow().as_ref().map(|it| Table::clone(&it.table)), Some(Table::default()));
        assert!(cache.get("infra/edge").is_none());
        assert!(cache.keys().is_empty());
        drop(connected);
        assert!(cache.follow(&key()).borrow().is_none());
    }

    #[test]
    fn a_removed_key_can_come_back_with_the_same_content() {
        let cache = SnapshotCache::new();
        let connected = cache.follow(&key());
        cache.publish(&key(), table(b"1"), AT);
        cache.remove("infra/edge", AT);
        assert_eq!(cache.publish(&key(), table(b"1"), AT), Published::Created);
        assert_eq!(connected.borrow().as_ref().map(|it| it.table.clone()), Some(table(b"1")));
    }
}
