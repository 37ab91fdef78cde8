//! API keys.

use crate::ir::absence::null_as_default;
use crate::ir::bytes::PrivateBytes;
use serde::Deserialize;
use serde::Serialize;

/// API keys to check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiKeyAuth {
    /// Clients and their keys.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub credentials: Vec<ApiKeyCredential>,
    /// Where keys are looked for, in order.
    #[serde(default, deserialize_with = "null_as_default")]
    pub extract_from: Vec<ExtractFrom>,
    /// The header in which the client is sent upstream.
    #[serde(rename = "forwardClientIDHeader", default, skip_serializing_if = "Option::is_none")]
    pub forward_client_id_header: Option<String>,
    /// Whether keys are removed from requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sanitize: Option<bool>,
}

/// A client and its key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiKeyCredential {
    /// The client.
    #[serde(default)]
    pub client: PrivateBytes,
    /// Its key.
    #[serde(default)]
    pub key: PrivateBytes,
}

/// Where keys are looked for. One place is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtractFrom {
    /// In these headers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
    /// In these query parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<String>,
    /// In these cookies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cookies: Vec<String>,
}
