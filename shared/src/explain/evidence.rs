//! What only a running agent knows: its snapshots, what proxies took, what Envoy says of itself, what runs.
//!
//! Every part may be unknown, with the reason: a proxy that doesn't answer is one unknown, never a failed answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::xds::table::{ResourceType, Table};

/// Something that may not be known.
#[derive(Clone, Debug, PartialEq)]
pub enum Known<T> {
    /// It is known.
    Is(T),
    /// It isn't, because of this.
    Unknown(String),
}

impl<T> Known<T> {
    /// Unknown, because of `reason`.
    #[must_use]
    pub fn unknown(reason: impl Into<String>) -> Self {
        Self::Unknown(reason.into())
    }
}

/// What the agent knows beyond its last translation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveEvidence {
    /// By IR key: what the agent serves that fleet.
    pub fleets: BTreeMap<Arc<str>, FleetEvidence>,
}

/// What the agent knows about one fleet.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetEvidence {
    /// The snapshot that is being served.
    pub snapshot: Known<SnapshotFacts>,
    /// The proxies that are, or lately were, connected.
    pub proxies: Known<Vec<ProxyFacts>>,
    /// What runs the proxies.
    pub infra: Known<InfraFacts>,
}

/// The snapshot of one fleet.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotFacts {
    /// What is served.
    pub table: Table,
    /// Set when the last translation was not published and an older snapshot stays: the reason.
    pub held_back: Option<String>,
}

/// One proxy.
#[derive(Clone, Debug, PartialEq)]
pub struct ProxyFacts {
    /// Its node id: the pod's name in a cluster.
    pub node: String,
    /// Whether it has a stream open.
    pub connected: bool,
    /// The ledger: one row for each type it asked for.
    pub deliveries: Vec<Delivery>,
    /// What its Envoy says of itself.
    pub admin: Known<AdminFacts>,
}

/// What happened to one type of resource at one proxy.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivery {
    /// The type.
    pub kind: ResourceType,
    /// The version of the snapshot that was sent last, as [`crate::xds::table::TypeTable::version_info`] gives it.
    pub sent: Option<String>,
    /// The last version it acknowledged.
    pub acked: Option<String>,
    /// The last rejection, until the proxy accepted a replacement of all it rejected.
    pub rejected: Option<Rejection>,
    /// Changes that wait for others to be made first.
    pub held: Vec<Held>,
}

/// A change that is not sent yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The resource.
    pub name: String,
    /// Why it waits, in words.
    pub because: String,
}

/// A rejection (NACK).
#[derive(Clone, Debug, PartialEq)]
pub struct Rejection {
    /// The version that was rejected.
    pub version: String,
    /// Envoy's own words.
    pub error: String,
    /// How long ago, in seconds.
    pub seconds_ago: u64,
    /// The resources that were rejected, each with Envoy's words on it, as far as Envoy named them.
    pub resources: Vec<RejectedResource>,
}

/// One resource that was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedResource {
    /// Its name.
    pub name: String,
    /// Envoy's words on it.
    pub error: String,
}

/// What Envoy's admin interface says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AdminFacts {
    /// Listeners that take traffic.
    pub active_listeners: Vec<String>,
    /// Listeners that wait for something, such as a certificate or a route configuration.
    pub warming_listeners: Vec<String>,
    /// Route configurations that are loaded.
    pub routes: Vec<String>,
    /// Clusters that can be used.
    pub active_clusters: Vec<String>,
    /// Clusters that wait for something, such as endpoints.
    pub warming_clusters: Vec<String>,
    /// Endpoints by cluster.
    pub endpoints: BTreeMap<String, EndpointCount>,
}

/// The endpoints of one cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndpointCount {
    /// How many Envoy would send to.
    pub healthy: usize,
    /// How many there are.
    pub total: usize,
}

/// What runs the proxies of a fleet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InfraFacts {
    /// How many proxies are wanted.
    pub wanted: usize,
    /// How many are ready.
    pub ready: usize,
    /// Where clients reach them.
    pub addresses: Vec<String>,
    /// What went wrong last, in words.
    pub trouble: Option<String>,
}
