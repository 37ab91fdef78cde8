//! What is known of running fleets: what a Gateway's `Programmed` condition and its addresses are read off.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Every fleet somebody runs for us, by IR key. A fleet that isn't here has no object yet.
pub type LiveFleets = BTreeMap<Arc<str>, LiveFleet>;

/// What is known of one fleet's objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveFleet {
    /// The Service clients come through; `None` while there is none.
    pub service: Option<LiveService>,
    /// The Deployment or DaemonSet; `None` while there is none.
    pub workload: Option<LiveWorkload>,
    /// What stands in the way of making or changing an object of this fleet, in words: object, cause, remedy.
    pub problem: Option<String>,
}

/// The Service of a fleet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveService {
    /// Where clients reach it, in the order the cluster gives. A Service of type ClusterIP has its cluster addresses
    /// here, one of type NodePort the addresses of the nodes, one of type LoadBalancer those of its balancer.
    pub addresses: Vec<LiveAddress>,
    /// The addresses it has because the Gateway asks for them: its external IPs (`spec.externalIPs`), or where it has
    /// none its cluster addresses, without `None`. They are shown instead of `addresses` for a Gateway that asks.
    pub fixed: Vec<String>,
}

/// One address of a fleet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LiveAddress {
    /// An IP address.
    Ip(String),
    /// A DNS name.
    Hostname(String),
}

/// The Deployment or DaemonSet of a fleet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveWorkload {
    /// How many proxies there are to be.
    pub desired: i32,
    /// How many exist in any state.
    pub existing: i32,
    /// How many can serve.
    pub available: i32,
}
