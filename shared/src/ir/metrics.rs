//! Which statistics the proxies keep.

use serde::Deserialize;
use serde::Serialize;

/// Which statistics the proxies keep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// For each virtual host.
    #[serde(default)]
    pub enable_virtual_host_stats: bool,
    /// For each endpoint.
    #[serde(default)]
    pub enable_per_endpoint_stats: bool,
    /// Sizes of requests and responses.
    #[serde(default)]
    pub enable_request_response_sizes_stats: bool,
}
