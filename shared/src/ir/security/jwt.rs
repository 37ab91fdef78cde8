//! JSON Web Tokens.

use crate::api::duration::Duration;
use crate::api::jwt::ClaimToHeader;
use crate::api::jwt::JwtExtractor;
use crate::ir::absence::is_default;
use crate::ir::destination::RouteDestination;
use crate::ir::traffic::TrafficFeatures;
use serde::Deserialize;
use serde::Serialize;
use std::sync::Arc;

/// Tokens to check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Jwt {
    /// Whether requests without one pass.
    #[serde(default, skip_serializing_if = "is_default")]
    pub allow_missing: bool,
    /// Whether requests with a bad one pass too.
    #[serde(default, skip_serializing_if = "is_default")]
    pub allow_missing_or_failed: bool,
    /// Issuers whose tokens are good; any of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub providers: Vec<JwtProvider>,
}

/// An issuer of tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JwtProvider {
    /// Unique name.
    #[serde(default)]
    pub name: String,
    /// Its `iss` claim.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub issuer: String,
    /// Accepted `aud` claims; all when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audiences: Vec<String>,
    /// Where its keys are fetched from.
    #[serde(rename = "remoteJWKS", default, skip_serializing_if = "Option::is_none")]
    pub remote_jwks: Option<RemoteJwks>,
    /// Its keys.
    #[serde(rename = "localJWKS", default, skip_serializing_if = "Option::is_none")]
    pub local_jwks: Option<String>,
    /// Claims to copy into request headers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claim_to_headers: Vec<ClaimToHeader>,
    /// Whether routing starts again afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recompute_route: Option<bool>,
    /// Where tokens are looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extract_from: Option<JwtExtractor>,
}

/// Keys fetched by the proxy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteJwks {
    /// The server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<Arc<RouteDestination>>,
    /// How the server is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Arc<TrafficFeatures>>,
    /// The keys' URI.
    #[serde(default)]
    pub uri: String,
    /// How long they are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_duration: Option<Duration>,
    /// How long to wait after a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_refetch_duration: Option<Duration>,
}
