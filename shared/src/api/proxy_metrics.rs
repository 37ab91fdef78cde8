//! Metrics of the proxies and where they go.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::cluster_settings::ClusterSettings;
use crate::api::cluster_settings::EnvoyBackendRef;
use crate::api::compression::Compression;
use crate::api::http_route_rule_filter::HttpHeader;
use crate::api::references::BackendObjectReference;
use crate::api::rules::ONLY_BACKEND_REFS;
use crate::api::rules::SOME_BACKEND_OR_HOST;
use crate::api::rules::TELEMETRY_GROUPS;
use crate::api::rules::TELEMETRY_KINDS;
use crate::api::rules::exactly_for;
use crate::api::string_enum::string_enum;
use crate::api::string_match::StringMatch;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use std::collections::BTreeMap;

string_enum! {
    /// Kind of sink.
    pub closed enum MetricSinkType {
        OpenTelemetry = "OpenTelemetry",
    }
}

/// Metrics of the proxies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProxyMetrics {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prometheus: Option<ProxyPrometheusProvider>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub sinks: Vec<ProxyMetricSink>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<StringMatch>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable_virtual_host_stats: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable_per_endpoint_stats: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable_request_response_sizes_stats: Option<bool>,
    #[serde(rename = "enableGRPCStats", default, skip_serializing_if = "Option::is_none")]
    pub enable_grpc_stats: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster_stat_name: Option<String>,
}

/// Where metrics of the proxies are sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [exactly_for("OpenTelemetry", "openTelemetry")]))]
pub struct ProxyMetricSink {
    #[schemars(extend("default" = "OpenTelemetry"))]
    pub r#type: MetricSinkType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_telemetry: Option<ProxyOpenTelemetrySink>,
}

/// Prometheus metrics of the proxies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProxyPrometheusProvider {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disable: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compression: Option<Compression>,
}

/// An OpenTelemetry collector for metrics of the proxies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    SOME_BACKEND_OR_HOST,
    ONLY_BACKEND_REFS,
    TELEMETRY_KINDS,
    TELEMETRY_GROUPS,
]))]
pub struct ProxyOpenTelemetrySink {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_ref: Option<BackendObjectReference>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub backend_refs: Vec<EnvoyBackendRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_settings: Option<ClusterSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 65535), extend("default" = 4317))]
    pub port: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report_counters_as_deltas: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report_histograms_as_deltas: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 32))]
    pub headers: Vec<HttpHeader>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resource_attributes: BTreeMap<String, String>,
}
