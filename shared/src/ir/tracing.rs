//! Tracing of every HTTP listener.

use crate::api::http_route_rule_filter::HttpHeader;
use crate::api::tracing::TracingProvider;
use crate::api::tracing::TracingSpanName;
use crate::ir::absence::is_default;
use crate::ir::destination::RouteDestination;
use crate::ir::map_entry::CustomTagMapEntry;
use crate::ir::map_entry::MapEntry;
use crate::ir::traffic::TrafficFeatures;
use serde::Deserialize;
use serde::Serialize;
use std::sync::Arc;

/// Tracing of every HTTP listener.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tracing {
    /// The service spans belong to.
    #[serde(default)]
    pub service_name: String,
    /// The authority header.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub authority: String,
    /// How many requests are traced, in percent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sampling_rate: f64,
    /// How many of those that clients ask for, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_sampling_rate: Option<f64>,
    /// How many at most, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall_sampling_rate: Option<f64>,
    /// Tags of spans.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub custom_tags: Vec<CustomTagMapEntry>,
    /// Tags of spans, as format strings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<MapEntry>,
    /// Attributes of the proxy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_attributes: Vec<MapEntry>,
    /// The collector.
    #[serde(default, skip_serializing_if = "is_default")]
    pub destination: RouteDestination,
    /// How the collector is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Arc<TrafficFeatures>>,
    /// What the collector speaks.
    pub provider: TracingProvider,
    /// Headers sent to the collector.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<HttpHeader>,
    /// Names of spans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span_name: Option<TracingSpanName>,
}
