//! Tracing and statistics of a route.

use crate::api::fraction::Fraction;
use crate::api::tracing::TracingSpanName;
use crate::ir::map_entry::CustomTagMapEntry;
use crate::ir::map_entry::MapEntry;
use serde::Deserialize;
use serde::Serialize;

/// Tracing and statistics of a route.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackendTelemetry {
    /// Its tracing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracing: Option<BackendTracing>,
    /// Its statistics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<BackendMetrics>,
}

/// Tracing of a route, instead of the listener's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackendTracing {
    /// How many requests are traced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling_fraction: Option<Fraction>,
    /// How many of those that clients ask for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_sampling_fraction: Option<Fraction>,
    /// How many at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall_sampling_fraction: Option<Fraction>,
    /// Tags of spans.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub custom_tags: Vec<CustomTagMapEntry>,
    /// Tags of spans, as format strings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<MapEntry>,
    /// Names of spans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span_name: Option<TracingSpanName>,
}

/// Statistics of a route.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackendMetrics {
    /// The name they go by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route_stat_name: Option<String>,
}
