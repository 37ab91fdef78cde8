//! Where the locations of client addresses come from.

use serde::Deserialize;
use serde::Serialize;

/// A source of locations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GeoIpProvider {
    /// MaxMind database files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_mind: Option<GeoIpMaxMindProvider>,
}

/// Paths of MaxMind databases inside the proxy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GeoIpMaxMindProvider {
    /// Cities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub city_db_path: Option<String>,
    /// Countries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country_db_path: Option<String>,
    /// Autonomous systems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asn_db_path: Option<String>,
    /// Internet providers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isp_db_path: Option<String>,
    /// Anonymous addresses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anonymous_ip_db_path: Option<String>,
}
