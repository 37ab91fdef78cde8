//! Connections to upstreams: buffers, preconnecting, PROXY protocol, name resolution.

use crate::api::dns::DnsLookupFamily;
use crate::api::duration::Duration;
use crate::api::proxy_protocol::ProxyProtocolVersion;
use crate::ir::absence::empty_as_none;
use serde::Deserialize;
use serde::Serialize;

/// Buffers of upstream connections.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackendConnection {
    /// Read and write buffer, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_limit: Option<u32>,
    /// Connections opened ahead of need.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preconnect: Option<Preconnect>,
}

/// Connections opened ahead of need.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Preconnect {
    /// For each endpoint, in percent of those in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_endpoint_percent: Option<u32>,
    /// For the cluster, in percent of those in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predictive_percent: Option<u32>,
}

/// PROXY protocol sent to upstreams.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProxyProtocol {
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "empty_as_none")]
    pub version: Option<ProxyProtocolVersion>,
}

/// How names of upstreams are resolved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dns {
    /// How often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dns_refresh_rate: Option<Duration>,
    /// Whether the record's own lifetime decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub respect_dns_ttl: Option<bool>,
    /// Which IP families are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lookup_family: Option<DnsLookupFamily>,
    /// A name that tells configurations apart.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
}
