//! Load balancing over the endpoints of a cluster.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::constraints::ModuleName;
use crate::api::constraints::ObjectName;
use crate::api::duration::Duration;
use crate::api::rules::exactly_for;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// How an endpoint is chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    exactly_for("ConsistentHash", "consistentHash"),
    exactly_for("BackendUtilization", "backendUtilization"),
    exactly_for("DynamicModule", "dynamicModule"),
    rule(
        "self.type in ['Random', 'ConsistentHash', 'DynamicModule'] ? !has(self.slowStart) : true",
        "slowStart works with RoundRobin, LeastRequest and BackendUtilization only",
    ),
    rule(
        "self.type == 'ConsistentHash' && has(self.zoneAware) ? !has(self.zoneAware.preferLocal) : true",
        "preferLocal doesn't work with ConsistentHash: use weightedZones",
    ),
    rule(
        "self.type == 'BackendUtilization' && has(self.zoneAware) ? !has(self.zoneAware.preferLocal) : true",
        "preferLocal doesn't work with BackendUtilization: use weightedZones",
    ),
    rule("self.type == 'DynamicModule' ? !has(self.zoneAware) : true", "zoneAware doesn't work with DynamicModule"),
    rule(
        "has(self.zoneAware) ? !(has(self.zoneAware.preferLocal) && has(self.zoneAware.weightedZones)) : true",
        "set preferLocal or weightedZones, not both",
    ),
    rule(
        "self.type == 'DynamicModule' ? !has(self.endpointOverride) : true",
        "endpointOverride doesn't work with DynamicModule",
    ),
]))]
pub struct LoadBalancer {
    pub r#type: LoadBalancerType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consistent_hash: Option<ConsistentHash>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_utilization: Option<BackendUtilization>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dynamic_module: Option<DynamicModuleLbPolicy>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint_override: Option<EndpointOverride>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slow_start: Option<SlowStart>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_aware: Option<ZoneAware>,
}

string_enum! {
    /// The algorithm.
    pub closed enum LoadBalancerType {
        ConsistentHash = "ConsistentHash",
        LeastRequest = "LeastRequest",
        Random = "Random",
        RoundRobin = "RoundRobin",
        BackendUtilization = "BackendUtilization",
        DynamicModule = "DynamicModule",
    }
}

/// What decides the endpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    exactly_for("Header", "header"),
    exactly_for("Headers", "headers"),
    exactly_for("Cookie", "cookie"),
    exactly_for("QueryParams", "queryParams"),
]))]
pub struct ConsistentHash {
    pub r#type: ConsistentHashType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<Header>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<Option<Header>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cookie: Option<Cookie>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub query_params: Vec<Option<QueryParam>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2, max = 5000011), extend("default" = 65537))]
    pub table_size: Option<u64>,
}

string_enum! {
    /// Kind of that key.
    pub closed enum ConsistentHashType {
        SourceIp = "SourceIP",
        Header = "Header",
        Headers = "Headers",
        Cookie = "Cookie",
        QueryParams = "QueryParams",
    }
}

/// A header to hash.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    pub name: String,
}

/// A query parameter to hash.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueryParam {
    pub name: String,
}

/// Weights from load the endpoints report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackendUtilization {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blackout_period: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_expiration_period: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_update_period: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_utilization_penalty_percent: Option<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metric_names_for_computing_utilization: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub keep_response_headers: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out_of_band: Option<OutOfBandReporting>,
}

/// A load balancer from a dynamic module.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DynamicModuleLbPolicy {
    #[schemars(with = "ModuleName")]
    pub name: String,
    #[schemars(with = "ObjectName")]
    pub lb_policy_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Value>,
}

/// Endpoints named by the request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndpointOverride {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 10), !default, !skip_serializing_if)]
    pub extract_from: Vec<EndpointOverrideExtractFrom>,
}

/// Where the request names them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndpointOverrideExtractFrom {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
}

/// Gentle start of new endpoints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlowStart {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!default, !skip_serializing_if)]
    pub window: Option<Duration>,
}

/// Preference for near zones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ZoneAware {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefer_local: Option<PreferLocalZone>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-map-keys" = ["zone"], "x-kubernetes-list-type" = "map"))]
    pub weighted_zones: Vec<WeightedZoneConfig>,
}

/// Weight of a zone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WeightedZoneConfig {
    pub zone: String,
    #[schemars(extend("minimum" = null))]
    pub weight: u32,
}

/// A cookie to hash.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cookie {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<Duration>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
}

/// Load reports outside of responses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutOfBandReporting {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-validations" = [
        rule("duration(self) > duration('0s')", "reportingPeriod must be above 0s"),
    ]))]
    pub reporting_period: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65535))]
    pub port: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 259), regex(pattern = r"^[^\x00\n\r]*$"))]
    pub authority: Option<String>,
}

/// Preference for the zone of the proxy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreferLocalZone {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<ForceLocalZone>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = null))]
    pub min_endpoints_threshold: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100))]
    pub percentage_enabled: Option<u32>,
}

/// When only the zone of the proxy is used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForceLocalZone {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = null))]
    pub min_endpoints_in_zone_threshold: Option<u32>,
}
