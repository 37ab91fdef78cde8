//! The Secret kind of the core group. Its values never reach a log: `Debug` shows the keys only.

use std::collections::BTreeMap;
use std::fmt;

use k8s_openapi::ByteString;
use serde::{Deserialize, Serialize};

use crate::api::metadata::{ObjectMeta, object};

/// Type of Secrets with a certificate and its key.
pub const TLS_SECRET_TYPE: &str = "kubernetes.io/tls";

/// Bytes by key, to be kept from view.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Secret {
    /// Metadata.
    #[serde(default)]
    pub metadata: ObjectMeta,
    /// What the keys mean, such as `kubernetes.io/tls`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    /// Values, in base64 in a manifest. Ask [`Secret::value`], which knows `stringData` as well.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, ByteString>,
    /// Values written as text; they win over `data`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub string_data: BTreeMap<String, String>,
    /// Whether it can still change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub immutable: Option<bool>,
}

object!(Secret, "", "v1", "Secret", "secrets", true);

impl Secret {
    /// The bytes of a key.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&[u8]> {
        match self.string_data.get(key) {
            Some(text) => Some(text.as_bytes()),
            None => self.data.get(key).map(|bytes| bytes.0.as_slice()),
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret")
            .field("metadata", &self.metadata.name)
            .field("type", &self.r#type)
            .field("keys", &self.data.keys().chain(self.string_data.keys()).collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_wins_over_bytes_and_neither_is_shown() {
        let json = r#"{"metadata":{"name":"s"},"data":{"a":"YWE=","b":"YmI="},"stringData":{"b":"text"}}"#;
        let secret: Secret = serde_json::from_str(json).unwrap();
        assert_eq!(secret.value("a"), Some(b"aa".as_slice()));
        assert_eq!(secret.value("b"), Some(b"text".as_slice()));
        let shown = format!("{secret:?}");
        assert!(!shown.contains("text") && shown.contains("\"b\""), "{shown}");
    }
}
