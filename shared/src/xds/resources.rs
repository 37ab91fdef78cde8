//! What one piece of the IR contributes to the table, in the order it was made.

use std::sync::Arc;

use prost::{Message, Name};

use super::encode::encode;
use super::pb::cluster::Cluster;
use super::pb::endpoint::ClusterLoadAssignment;
use super::pb::tls::Secret;
use super::table::{Resource, ResourceType};

/// A resource and its type.
pub(super) type Contribution = (ResourceType, Arc<Resource>);

/// Collects contributions. Of two with one name the first one stays.
#[derive(Debug, Default)]
pub(super) struct Resources {
    found: Vec<Contribution>,
}

impl Resources {
    pub(super) fn cluster(&mut self, cluster: &Cluster) {
        self.add(ResourceType::Cluster, &cluster.name, cluster);
    }

    pub(super) fn endpoints(&mut self, assignment: &ClusterLoadAssignment) {
        self.add(ResourceType::Endpoints, &assignment.cluster_name, assignment);
    }

    pub(super) fn secret(&mut self, secret: Secret) {
        self.add(ResourceType::Secret, &secret.name, &secret);
    }

    pub(super) fn optional_secret(&mut self, secret: Option<Secret>) {
        if let Some(secret) = secret {
            self.secret(secret);
        }
    }

    /// Adds `message` unless its name is taken.
    pub(super) fn add<M: Message + Name>(&mut self, kind: ResourceType, name: &str, message: &M) {
        if self.found.iter().any(|(other, resource)| *other == kind && *resource.name == *name) {
            return;
        }
        // A cluster and its endpoints have one name: they share its memory.
        let name = self
            .found
            .iter()
            .find(|(_, resource)| *resource.name == *name)
            .map_or_else(|| Arc::from(name), |(_, resource)| Arc::clone(&resource.name));
        self.found.push((kind, Arc::new(Resource::new(name, encode(message)))));
    }

    /// Everything collected.
    pub(super) fn into_contributions(self) -> Box<[Contribution]> {
        self.found.into_boxed_slice()
    }
}
