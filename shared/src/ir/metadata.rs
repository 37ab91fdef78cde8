//! Which Kubernetes object something was made from.

use crate::ir::map_entry::MapEntry;
use serde::Deserialize;
use serde::Serialize;

/// The object something was made from, for Envoy's metadata and for explanations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceMetadata {
    /// Its kind.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Its name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its namespace.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Its annotations meant for Envoy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub annotations: Vec<MapEntry>,
    /// The rule, listener or port of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub section_name: String,
    /// Policies that shaped it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<PolicyMetadata>,
}

/// A policy that shaped something.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyMetadata {
    /// Its kind.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Its name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its namespace.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
}
