//! How many bytes are let through.

use serde::Deserialize;
use serde::Serialize;

/// How many bytes are let through.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BandwidthLimit {
    /// Towards the upstream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<BandwidthLimitConfig>,
    /// Towards the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<BandwidthLimitConfig>,
}

/// The limit of one direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BandwidthLimitConfig {
    /// KiB a second.
    #[serde(default)]
    pub limit_kibps: u64,
    /// Trailers that tell of delays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_trailers: Option<BandwidthLimitResponseTrailers>,
}

/// Trailers that tell of delays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BandwidthLimitResponseTrailers {
    /// What their names begin with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
}
