//! Redirects that Envoy gives itself.

use serde::Deserialize;
use serde::Serialize;

/// A redirect; what isn't set stays as it was requested.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Redirect {
    /// The scheme to go to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// The host to go to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    /// The path to go to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<HttpPathModifier>,
    /// The port to go to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u32>,
    /// The status; Envoy's default is 301.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_code: Option<i32>,
}

/// How a path changes. One of both is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpPathModifier {
    /// The whole new path.
    #[serde(default)]
    pub full_replace: Option<String>,
    /// What replaces the matched prefix.
    #[serde(default)]
    pub prefix_match_replace: Option<String>,
}
