//! The delivery ledger: what each proxy was sent, accepted, rejected and is kept waiting for. For each node and type,
//! never for each object; readable at any time, without asking the proxies.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use gateway_shared::xds::table::ResourceType;

use super::node::NodeIdentity;

/// What one connected proxy was delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeDelivery {
    /// The proxy and its fleet.
    pub node: NodeIdentity,
    /// Since when its oldest stream is open.
    pub connected_since: SystemTime,
    /// Whether it speaks Delta (on its youngest stream).
    pub delta: bool,
    /// The version of the snapshot its streams work towards ([`super::cache::Snapshot::version`]); `None`: it waits for one.
    pub snapshot: Option<String>,
    /// What it asked for, by type. A type it never asked for is absent.
    pub types: BTreeMap<ResourceType, TypeDelivery>,
}

/// What one proxy was delivered of one type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeDelivery {
    /// How many resources it subscribes to.
    pub subscribed: usize,
    /// The last response sent.
    pub sent: Option<Sent>,
    /// The last response accepted.
    pub acknowledged: Option<Acknowledged>,
    /// The last rejection. Stays until the proxy accepted a replacement of all it rejected.
    pub rejected: Option<Rejection>,
    /// Changes that are not sent yet.
    pub held: Vec<HeldBack>,
}

/// A response that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The version of the type.
    pub version: String,
    /// The response's nonce.
    pub nonce: String,
    /// When.
    pub at: SystemTime,
}

/// A response that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    /// The version of the type.
    pub version: String,
    /// When.
    pub at: SystemTime,
}

/// A response that was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The version of the type.
    pub version: String,
    /// Envoy's words, unchanged.
    pub text: String,
    /// When.
    pub at: SystemTime,
    /// The resources that were rejected and that the proxy has in an older version or not at all.
    pub resources: Vec<RejectedResource>,
}

/// One resource that a proxy rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedResource {
    /// Its name.
    pub name: Arc<str>,
    /// Envoy's words on it, unchanged.
    pub text: Arc<str>,
    /// The version that was rejected, as on the wire.
    pub version: String,
}

/// A change that is not sent yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldBack {
    /// The resource.
    pub name: Arc<str>,
    /// Whether it is to be removed.
    pub removal: bool,
    /// Why it waits, in words.
    pub because: String,
}

/// The ledger of all connected proxies. Clones share their content.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    streams: Arc<Mutex<Streams>>,
}

#[derive(Debug, Default)]
struct Streams {
    next: u64,
    open: BTreeMap<u64, NodeDelivery>,
}

/// A stream's page in the ledger. It is torn out when the stream ends.
#[derive(Debug)]
pub struct Page {
    ledger: Ledger,
    stream: u64,
}

impl Ledger {
    /// An empty ledger.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A proxy opened a stream.
    #[must_use]
    pub fn connect(&self, node: NodeIdentity, delta: bool, at: SystemTime) -> Page {
        let stream = self.with(|streams| {
            let stream = streams.next;
            streams.next = stream.wrapping_add(1);
            let delivery = NodeDelivery { node, connected_since: at, delta, snapshot: None, types: BTreeMap::new() };
            streams.open.insert(stream, delivery);
            stream
        });
        Page { ledger: self.clone(), stream }
    }

    /// All connected proxies, by IR key, then node id. Several streams of one proxy are one entry.
    #[must_use]
    pub fn read(&self) -> Vec<NodeDelivery> {
        let mut nodes: BTreeMap<(Arc<str>, Arc<str>), NodeDelivery> = BTreeMap::new();
        self.with(|streams| {
            for delivery in streams.open.values() {
                let key = (Arc::clone(&delivery.node.ir_key), Arc::clone(&delivery.node.id));
                match nodes.get_mut(&key) {
                    Some(merged) => merged.merge(delivery),
                    None => drop(nodes.insert(key, delivery.clone())),
                }
            }
        });
        nodes.into_values().collect()
    }

    /// How many proxies of the fleet `ir_key` are connected.
    #[must_use]
    pub fn connected(&self, ir_key: &str) -> usize {
        self.read().iter().filter(|delivery| &*delivery.node.ir_key == ir_key).count()
    }

    fn with<T>(&self, work: impl FnOnce(&mut Streams) -> T) -> T {
        work(&mut self.streams.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl NodeDelivery {
    /// Adds what a younger stream of the same proxy says.
    fn merge(&mut self, younger: &Self) {
        let Self { node: _, connected_since, delta, snapshot, types } = younger;
        self.connected_since = self.connected_since.min(*connected_since);
        self.delta = *delta;
        if snapshot.is_some() {
            self.snapshot.clone_from(snapshot);
        }
        self.types.extend(types.iter().map(|(kind, delivery)| (*kind, delivery.clone())));
    }
}

impl Page {
    /// Writes on the page of `kind`.
    pub fn of(&self, kind: ResourceType, write: impl FnOnce(&mut TypeDelivery)) {
        self.with(|delivery| write(delivery.types.entry(kind).or_default()));
    }

    /// The stream works towards the snapshot of this version.
    pub fn snapshot(&self, version: &str) {
        self.with(|delivery| delivery.snapshot = Some(version.to_owned()));
    }

    fn with(&self, write: impl FnOnce(&mut NodeDelivery)) {
        self.ledger.with(|streams| {
            if let Some(delivery) = streams.open.get_mut(&self.stream) {
                write(delivery);
            }
        });
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.ledger.with(|streams| streams.open.remove(&self.stream));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: &str) -> NodeIdentity {
        NodeIdentity { id: Arc::from(id), ir_key: Arc::from("infra/edge") }
    }

    #[test]
    fn streams_of_one_proxy_are_one_entry_and_disappear_with_the_last() {
        let ledger = Ledger::new();
        let at = SystemTime::UNIX_EPOCH;
        let first = ledger.connect(node("b"), true, at);
        let second = ledger.connect(node("b"), true, at);
        let _other = ledger.connect(node("a"), false, at);
        first.of(ResourceType::Cluster, |it| it.subscribed = 1);
        second.of(ResourceType::Route, |it| it.subscribed = 2);
        let read = ledger.read();
        assert_eq!(read.iter().map(|it| &*it.node.id).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(read.last().map(|it| it.types.len()), Some(2));
        drop((first, second));
        assert_eq!(ledger.connected("infra/edge"), 1);
    }
}
