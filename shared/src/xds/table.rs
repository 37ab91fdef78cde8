//! What one fleet is served: encoded resources by type and name, each with the hash of its content.
//!
//! A [`Table`] is persistent: a copy shares everything that did not change, and two versions of a table are compared
//! in time proportional to their difference.

use std::sync::Arc;

use bytes::Bytes;
use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// The kinds of resource a fleet is served, in the order they are pushed (make before break: what is referred to first).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResourceType {
    /// `envoy.config.cluster.v3.Cluster` (CDS).
    Cluster,
    /// `envoy.config.endpoint.v3.ClusterLoadAssignment` (EDS).
    Endpoints,
    /// `envoy.extensions.transport_sockets.tls.v3.Secret` (SDS).
    Secret,
    /// `envoy.config.listener.v3.Listener` (LDS).
    Listener,
    /// `envoy.config.route.v3.RouteConfiguration` (RDS).
    Route,
    /// `envoy.service.runtime.v3.Runtime` (RTDS).
    Runtime,
}

impl ResourceType {
    /// Every type, in push order.
    pub const ALL: [Self; 6] =
        [Self::Cluster, Self::Endpoints, Self::Secret, Self::Listener, Self::Route, Self::Runtime];

    /// The type URL on the wire.
    #[must_use]
    pub const fn type_url(self) -> &'static str {
        match self {
            Self::Cluster => "type.googleapis.com/envoy.config.cluster.v3.Cluster",
            Self::Endpoints => "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
            Self::Secret => "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret",
            Self::Listener => "type.googleapis.com/envoy.config.listener.v3.Listener",
            Self::Route => "type.googleapis.com/envoy.config.route.v3.RouteConfiguration",
            Self::Runtime => "type.googleapis.com/envoy.service.runtime.v3.Runtime",
        }
    }

    /// The type with this URL, if it is one we serve.
    #[must_use]
    pub fn from_type_url(url: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.type_url() == url)
    }

    /// What Envoy's users call it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Cluster => "cluster",
            Self::Endpoints => "endpoints",
            Self::Secret => "secret",
            Self::Listener => "listener",
            Self::Route => "route configuration",
            Self::Runtime => "runtime",
        }
    }

    /// Whether an Envoy that asks for this type without names wants all of it (xDS wildcard types, LDS and CDS).
    #[must_use]
    pub const fn is_wildcard_by_default(self) -> bool {
        matches!(self, Self::Cluster | Self::Listener)
    }
}

/// One encoded resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The name Envoy knows it by.
    pub name: Arc<str>,
    /// A hash of `body`: equal content has an equal version, across restarts and replicas.
    pub version: u64,
    /// The protobuf message, ready to be the value of an `Any`.
    pub body: Bytes,
}

impl Resource {
    /// The resource `name` with the encoded message `body`.
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        Self { name: name.into(), version: xxh3_64(&body), body }
    }

    /// The version as it stands on the wire.
    #[must_use]
    pub fn version_info(&self) -> String {
        format!("{:016x}", self.version)
    }
}

/// All resources of one type.
#[derive(Clone, Debug, Default)]
pub struct TypeTable {
    resources: OrdMap<Arc<str>, Arc<Resource>>,
    /// Sum of the hashes of all (name, version) pairs: independent of order, kept up to date on each change.
    digest: u128,
}

/// How a resource differs between two tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<'a> {
    /// New, or with new content.
    Updated(&'a Arc<Resource>),
    /// No longer there.
    Removed(&'a Arc<str>),
}

impl TypeTable {
    /// Puts `resource` in the place of whatever had its name.
    pub fn insert(&mut self, resource: Arc<Resource>) {
        if let Some(old) = self.resources.get(&resource.name) {
            if Arc::ptr_eq(old, &resource) || **old == *resource {
                return;
            }
            self.digest = self.digest.wrapping_sub(fingerprint(old));
        }
        self.digest = self.digest.wrapping_add(fingerprint(&resource));
        self.resources.insert(Arc::clone(&resource.name), resource);
    }

    /// Takes the resource `name` out, if it is there.
    pub fn remove(&mut self, name: &str) {
        if let Some(old) = self.resources.remove(name) {
            self.digest = self.digest.wrapping_sub(fingerprint(&old));
        }
    }

    /// The resource with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Resource>> {
        self.resources.get(name)
    }

    /// All resources, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.resources.values()
    }

    /// How many resources there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.resources.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty()
    }

    /// The version of the whole set, as it stands on the wire (SotW). Equal sets have equal versions.
    #[must_use]
    pub fn version_info(&self) -> String {
        format!("{:032x}", self.digest)
    }

    /// What has to happen to `self` to become `newer`.
    pub fn changes<'a>(&'a self, newer: &'a Self) -> impl Iterator<Item = Change<'a>> {
        self.resources.diff(&newer.resources).filter_map(|item| match item {
            DiffItem::Add(_, resource) => Some(Change::Updated(resource)),
            DiffItem::Update { old, new } => (old.1.version != new.1.version).then_some(Change::Updated(new.1)),
            DiffItem::Remove(name, _) => Some(Change::Removed(name)),
        })
    }
}

impl PartialEq for TypeTable {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest && self.resources == other.resources
    }
}

/// The hash of a name and the content under it.
fn fingerprint(resource: &Resource) -> u128 {
    let mut bytes = Vec::with_capacity(resource.name.len() + 8);
    bytes.extend_from_slice(&resource.version.to_le_bytes());
    bytes.extend_from_slice(resource.name.as_bytes());
    xxh3_128(&bytes)
}

/// Everything one fleet is served: one [`TypeTable`] for each [`ResourceType`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    clusters: TypeTable,
    endpoints: TypeTable,
    secrets: TypeTable,
    listeners: TypeTable,
    routes: TypeTable,
    runtimes: TypeTable,
}

impl Table {
    /// The resources of one type.
    #[must_use]
    pub const fn of(&self, kind: ResourceType) -> &TypeTable {
        match kind {
            ResourceType::Cluster => &self.clusters,
            ResourceType::Endpoints => &self.endpoints,
            ResourceType::Secret => &self.secrets,
            ResourceType::Listener => &self.listeners,
            ResourceType::Route => &self.routes,
            ResourceType::Runtime => &self.runtimes,
        }
    }

    /// The resources of one type, to change them.
    pub const fn of_mut(&mut self, kind: ResourceType) -> &mut TypeTable {
        match kind {
            ResourceType::Cluster => &mut self.clusters,
            ResourceType::Endpoints => &mut self.endpoints,
            ResourceType::Secret => &mut self.secrets,
            ResourceType::Listener => &mut self.listeners,
            ResourceType::Route => &mut self.routes,
            ResourceType::Runtime => &mut self.runtimes,
        }
    }

    /// A short version of the whole table, for people.
    #[must_use]
    pub fn version(&self) -> String {
        let digest =
            ResourceType::ALL.iter().fold(0u128, |sum, kind| sum.rotate_left(19).wrapping_add(self.of(*kind).digest));
        format!("{:032x}", digest).chars().take(8).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(name: &str, body: &'static [u8]) -> Arc<Resource> {
        Arc::new(Resource::new(name, body))
    }

    #[test]
    fn a_version_depends_on_content_and_not_on_history() {
        let mut a = TypeTable::default();
        a.insert(resource("x", b"1"));
        a.insert(resource("y", b"2"));
        a.insert(resource("x", b"3"));
        let mut b = TypeTable::default();
        b.insert(resource("y", b"2"));
        b.insert(resource("z", b"9"));
        b.insert(resource("x", b"3"));
        assert_ne!(a.version_info(), b.version_info());
        b.remove("z");
        assert_eq!(a.version_info(), b.version_info());
    }

    #[test]
    fn changes_name_only_what_differs() {
        let mut old = TypeTable::default();
        for name in ["a", "b", "c"] {
            old.insert(resource(name, b"1"));
        }
        let mut new = old.clone();
        new.insert(resource("a", b"1"));
        new.insert(resource("b", b"2"));
        new.remove("c");
        new.insert(resource("d", b"1"));
        let changes: Vec<String> = old
            .changes(&new)
            .map(|change| match change {
                Change::Updated(resource) => format!("+{}", resource.name),
                Change::Removed(name) => format!("-{name}"),
            })
            .collect();
        assert_eq!(changes, ["+b", "-c", "+d"]);
    }
}
