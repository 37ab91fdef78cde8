//! Responses that Envoy gives itself.

use crate::diagnostic::Diagnostic;
use crate::ir::bytes::Bytes;
use crate::ir::header::AddHeader;
use crate::ir::validation::fault;
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

impl CustomResponse {
    /// Faults of the status.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let status = self.status_code.filter(|status| !(100..=599).contains(status));
        status
            .map(|status| fault("statusCode", format!("{status} is no HTTP status; use 100 to 599")))
            .into_iter()
            .collect()
    }
}
