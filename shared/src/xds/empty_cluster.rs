//! The cluster without endpoints that listeners without routes point at: Envoy wants a target in every chain.

use super::pb::cluster::{Cluster, cluster};

/// Its name.
pub(super) const NAME: &str = "EmptyCluster";

/// The cluster.
pub(super) fn cluster() -> Cluster {
    Cluster {
        name: NAME.to_owned(),
        cluster_discovery_type: Some(cluster::ClusterDiscoveryType::Type(cluster::DiscoveryType::Static.into())),
        ..Cluster::default()
    }
}
