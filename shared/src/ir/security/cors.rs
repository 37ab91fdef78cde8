//! Cross-origin rules.

use crate::api::duration::Duration;
use crate::ir::absence::is_default;
use crate::ir::string_match::StringMatch;
use serde::Deserialize;
use serde::Serialize;

/// Which other origins may use a route, and how.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cors {
    /// Origins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_origins: Vec<StringMatch>,
    /// Methods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_methods: Vec<String>,
    /// Request headers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_headers: Vec<String>,
    /// Response headers scripts may read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expose_headers: Vec<String>,
    /// How long browsers keep the answer to a preflight request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age: Option<Duration>,
    /// Whether cookies and the like may be sent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub allow_credentials: bool,
}
