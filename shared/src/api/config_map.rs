//! The ConfigMap kind of the core group.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use serde::{Deserialize, Serialize};

use crate::api::metadata::{ObjectMeta, object};

/// Text and bytes by key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigMap {
    /// Metadata.
    #[serde(default)]
    pub metadata: ObjectMeta,
    /// Text.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, String>,
    /// Bytes, in base64 in a manifest.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub binary_data: BTreeMap<String, ByteString>,
    /// Whether it can still change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub immutable: Option<bool>,
}

object!(ConfigMap, "", "v1", "ConfigMap", "configmaps", true);

impl ConfigMap {
    /// The bytes of a key, text or not.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&[u8]> {
        match self.data.get(key) {
            Some(text) => Some(text.as_bytes()),
            None => self.binary_data.get(key).map(|bytes| bytes.0.as_slice()),
        }
    }
}
