//! What every object has: its metadata, its identity, and the trait that says which kind it is.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::api::labels::Labels;

/// Metadata of an object. `managedFields` is never kept: it is bookkeeping of the API server, and most of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectMeta {
    /// Name, unique among objects of the kind in the namespace.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Prefix of a name the API server was to make up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generate_name: Option<Box<str>>,
    /// Namespace; absent for cluster-scoped objects, and in a manifest that means the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Labels.
    #[serde(deserialize_with = "null_is_empty", skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
    /// Annotations.
    #[serde(deserialize_with = "null_is_empty", skip_serializing_if = "Labels::is_empty")]
    pub annotations: Labels,
    /// Counts changes of the spec; 0 when the object never met an API server.
    #[serde(skip_serializing_if = "is_zero")]
    pub generation: i64,
    /// When the object was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creation_timestamp: Option<Timestamp>,
    /// When deletion was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion_timestamp: Option<Timestamp>,
    /// How long deletion may take, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion_grace_period_seconds: Option<i64>,
    /// Identity across time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<Box<str>>,
    /// Version for conflict-safe writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_version: Option<Box<str>>,
    /// What holds deletion up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub finalizers: Vec<String>,
    /// Objects this one goes away with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub owner_references: Vec<OwnerReference>,
}

impl schemars::JsonSchema for ObjectMeta {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ObjectMeta".into()
    }

    /// What is inside is the API server's own business.
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "object"})
    }
}

fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// `labels:` with nothing behind it is an empty map, as for the API server.
fn null_is_empty<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Labels, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// An object another one goes away with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnerReference {
    /// Group and version.
    pub api_version: String,
    /// Kind.
    pub kind: String,
    /// Name; owners are in the same namespace or cluster-scoped.
    pub name: String,
    /// Identity across time.
    pub uid: String,
    /// Whether the owner manages the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controller: Option<bool>,
    /// Whether the owner waits for the object to go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_owner_deletion: Option<bool>,
}

/// A point in time, as RFC 3339 writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(k8s_openapi::jiff::Timestamp);

impl Timestamp {
    /// So many seconds after 1970 (UTC); `None` beyond the years RFC 3339 can write.
    #[must_use]
    pub fn from_unix_seconds(seconds: i64) -> Option<Self> {
        k8s_openapi::jiff::Timestamp::from_second(seconds).ok().map(Self)
    }

    /// Seconds since 1970 (UTC), rounded towards zero.
    #[must_use]
    pub fn unix_seconds(&self) -> i64 {
        self.0.as_second()
    }
}

/// Text that is no RFC 3339 time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidTimestamp(String);

impl fmt::Display for InvalidTimestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no time, write it as 2026-01-31T12:00:00Z", self.0)
    }
}

impl std::error::Error for InvalidTimestamp {}

impl std::str::FromStr for Timestamp {
    type Err = InvalidTimestamp;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self).map_err(|_| InvalidTimestamp(text.to_owned()))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::api::string_enum::deserialize(deserializer, str::parse::<Self>)
    }
}

impl schemars::JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "format": "date-time"})
    }
}

/// Identity of an object among those of its kind. The namespace is empty for cluster-scoped kinds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectKey {
    /// Namespace, or nothing.
    pub namespace: Arc<str>,
    /// Name.
    pub name: Arc<str>,
}

impl ObjectKey {
    /// The key of an object in a namespace.
    #[must_use]
    pub fn new(namespace: &str, name: &str) -> Self {
        Self { namespace: namespace.into(), name: name.into() }
    }

    /// The key of a cluster-scoped object.
    #[must_use]
    pub fn cluster(name: &str) -> Self {
        Self::new("", name)
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace.is_empty() { f.write_str(&self.name) } else { write!(f, "{}/{}", self.namespace, self.name) }
    }
}

/// A kind of object: what it is called in the API, and where its metadata is.
pub trait Object {
    /// API group; empty for the core group.
    const GROUP: &'static str;
    /// Version the types here are of.
    const VERSION: &'static str;
    /// Kind, as in a manifest.
    const KIND: &'static str;
    /// Plural in lower case, as in a URL.
    const PLURAL: &'static str;
    /// Whether objects of the kind are in namespaces.
    const NAMESPACED: bool;

    /// The metadata.
    fn metadata(&self) -> &ObjectMeta;

    /// The identity among objects of the kind. An object without namespace is in `default`.
    fn key(&self) -> ObjectKey {
        let metadata = self.metadata();
        if Self::NAMESPACED {
            ObjectKey::new(metadata.namespace.as_deref().unwrap_or("default"), &metadata.name)
        } else {
            ObjectKey::cluster(&metadata.name)
        }
    }
}

/// `apiVersion` of a kind: `group/version`, or the version alone in the core group.
#[must_use]
pub fn api_version<T: Object>() -> String {
    if T::GROUP.is_empty() { T::VERSION.to_owned() } else { format!("{}/{}", T::GROUP, T::VERSION) }
}

/// The object as a whole manifest, with `apiVersion` and `kind` in front.
///
/// # Errors
/// Only where the object holds something JSON cannot express; none of the kinds here does.
pub fn manifest<T: Object + Serialize>(object: &T) -> serde_json::Result<serde_json::Value> {
    let mut map = serde_json::Map::new();
    map.insert("apiVersion".into(), api_version::<T>().into());
    map.insert("kind".into(), T::KIND.into());
    if let serde_json::Value::Object(fields) = serde_json::to_value(object)? {
        map.extend(fields);
    }
    Ok(serde_json::Value::Object(map))
}

/// Says for one type which kind it is.
macro_rules! object {
    ($type:ty, $group:literal, $version:literal, $kind:literal, $plural:literal, $namespaced:literal) => {
        impl crate::api::metadata::Object for $type {
            const GROUP: &'static str = $group;
            const VERSION: &'static str = $version;
            const KIND: &'static str = $kind;
            const PLURAL: &'static str = $plural;
            const NAMESPACED: bool = $namespaced;

            fn metadata(&self) -> &crate::api::metadata::ObjectMeta {
                &self.metadata
            }
        }
    };
}
pub(crate) use object;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_their_order_and_print_without_needless_digits() {
        let early: Timestamp = "2024-02-29T09:00:00+02:00".parse().unwrap();
        let late: Timestamp = "2024-02-29T07:00:01Z".parse().unwrap();
        assert!(early < late);
        assert_eq!(early.to_string(), "2024-02-29T07:00:00Z");
        assert!("yesterday".parse::<Timestamp>().is_err());
    }

    #[test]
    fn keys_print_as_kubectl_shows_them() {
        assert_eq!(ObjectKey::new("shop", "cart").to_string(), "shop/cart");
        assert_eq!(ObjectKey::cluster("eg").to_string(), "eg");
    }
}
