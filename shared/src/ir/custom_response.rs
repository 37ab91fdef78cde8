//! Responses that Envoy gives itself.

use crate::ir::bytes::Bytes;
use crate::ir::header::AddHeader;
use serde::Deserialize;
use serde::Serialize;

/// A response.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomResponse {
    /// Its content type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Its body.
    #[serde(default, skip_serializing_if = "Bytes::is_empty")]
    pub body: Bytes,
    /// Its status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_code: Option<u32>,
    /// Its headers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_response_headers: Vec<AddHeader>,
}
