//! Passwords.

use crate::ir::bytes::PrivateBytes;
use serde::Deserialize;
use serde::Serialize;

/// Passwords to check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BasicAuth {
    /// Unique name; the filter goes by it.
    #[serde(default)]
    pub name: String,
    /// The htpasswd file.
    #[serde(default, skip_serializing_if = "PrivateBytes::is_empty")]
    pub users: PrivateBytes,
    /// The header in which the user is sent upstream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forward_username_header: Option<String>,
}
