//! Key-value pairs, in lists so that their order is the writer's.

use crate::api::tracing::CustomTag;
use serde::Deserialize;
use serde::Serialize;

/// One pair of a string map.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MapEntry {
    /// The key.
    #[serde(default)]
    pub key: String,
    /// The value.
    #[serde(default)]
    pub value: String,
}

/// One named tag of a span.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomTagMapEntry {
    /// The tag's name.
    #[serde(default)]
    pub key: String,
    /// Where the tag's value comes from.
    pub value: CustomTag,
}
