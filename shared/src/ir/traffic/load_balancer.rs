//! How endpoints are chosen.

use crate::api::duration::Duration;
use crate::api::load_balancer::Cookie;
use crate::api::load_balancer::Header;
use crate::api::load_balancer::QueryParam;
use crate::diagnostic::Diagnostic;
use crate::ir::absence::null_as_default;
use crate::ir::validation::fault_here;
use serde::Deserialize;
use serde::Serialize;

/// How endpoints are chosen. One algorithm is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoadBalancer {
    /// In turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_robin: Option<RoundRobin>,
    /// The one with the fewest active requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least_request: Option<LeastRequest>,
    /// At random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random: Option<Random>,
    /// By a hash of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consistent_hash: Option<ConsistentHash>,
    /// By the load that endpoints report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_utilization: Option<BackendUtilization>,
    /// Prefer endpoints in the proxy's zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefer_local: Option<PreferLocalZone>,
    /// Shares of zones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weighted_zones: Vec<WeightedZoneConfig>,
    /// Let requests name their endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint_override: Option<EndpointOverride>,
}

/// Endpoints in turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RoundRobin {
    /// Ease new endpoints in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slow_start: Option<SlowStart>,
}

/// The endpoint with the fewest active requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeastRequest {
    /// Ease new endpoints in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slow_start: Option<SlowStart>,
}

/// Endpoints weighted by the load they report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackendUtilization {
    /// How long an endpoint must report before it is weighted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blackout_period: Option<Duration>,
    /// How long a report counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_expiration_period: Option<Duration>,
    /// How often weights are computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_update_period: Option<Duration>,
    /// How much errors lower a weight, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_utilization_penalty_percent: Option<u32>,
    /// The reported metrics to use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metric_names_for_computing_utilization: Vec<String>,
    /// Ease new endpoints in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slow_start: Option<SlowStart>,
    /// Whether load reports stay in responses to clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_response_headers: Option<bool>,
    /// Reports fetched apart from responses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out_of_band: Option<OutOfBandReporting>,
}

/// Load reports fetched apart from responses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutOfBandReporting {
    /// How often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reporting_period: Option<Duration>,
    /// On which port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<i32>,
    /// Under which authority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority: Option<String>,
}

/// What is hashed to choose an endpoint. One source is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsistentHash {
    /// The client's address.
    #[serde(rename = "sourceIP", default, skip_serializing_if = "Option::is_none")]
    pub source_ip: Option<bool>,
    /// These headers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<Header>,
    /// This cookie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cookie: Option<Cookie>,
    /// These query parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub query_params: Vec<QueryParam>,
    /// Size of the Maglev table, a prime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_size: Option<u64>,
}

/// New endpoints get their share gradually.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SlowStart {
    /// Over this time.
    #[serde(default)]
    pub window: Option<Duration>,
}

/// Prefer endpoints in the proxy's zone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreferLocalZone {
    /// Stay in the zone even if that is uneven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<ForceLocalZone>,
    /// Only with at least this many endpoints in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_endpoints_threshold: Option<u64>,
    /// For this share of requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentage_enabled: Option<u32>,
}

/// Stay in the proxy's zone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ForceLocalZone {
    /// Only with at least this many endpoints there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_endpoints_in_zone_threshold: Option<u32>,
}

/// A zone's share of the traffic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WeightedZoneConfig {
    /// The zone.
    #[serde(default)]
    pub zone: String,
    /// Its share.
    #[serde(default)]
    pub weight: u32,
}

/// Requests may name their endpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EndpointOverride {
    /// Where the endpoint's address is looked for, in order.
    #[serde(default, deserialize_with = "null_as_default")]
    pub extract_from: Vec<EndpointOverrideExtractFrom>,
}

/// Where an endpoint's address is looked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EndpointOverrideExtractFrom {
    /// In this header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
}

/// An endpoint at random; this has no options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Random {}

impl LoadBalancer {
    /// Faults: exactly one algorithm must be set.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let algorithms = [
            self.round_robin.is_some(),
            self.least_request.is_some(),
            self.random.is_some(),
            self.consistent_hash.is_some(),
            self.backend_utilization.is_some(),
        ];
        match algorithms.iter().filter(|set| **set).count() {
            1 => Vec::new(),
            0 => vec![fault_here("no algorithm is set; choose one")],
            more => vec![fault_here(format!("{more} algorithms are set; keep one"))],
        }
    }
}
