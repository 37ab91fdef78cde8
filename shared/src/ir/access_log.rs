//! Access logs.

use crate::api::access_log::AlsEnvoyProxyAccessLogType;
use crate::api::access_log::ProxyAccessLogType;
use crate::api::http_route_rule_filter::HttpHeader;
use crate::ir::absence::is_default;
use crate::ir::destination::RouteDestination;
use crate::ir::map_entry::MapEntry;
use crate::ir::traffic::TrafficFeatures;
use serde::Deserialize;
use serde::Serialize;
use std::sync::Arc;

/// All access logs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccessLog {
    /// Lines of text in files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub text: Vec<TextAccessLog>,
    /// JSON in files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub json: Vec<JsonAccessLog>,
    /// Sent to gRPC access log services.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub als: Vec<AlsAccessLog>,
    /// Sent to OpenTelemetry collectors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_telemetry: Vec<OpenTelemetryAccessLog>,
}

/// Lines of text in a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextAccessLog {
    /// CEL expressions that must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cel_matches: Vec<String>,
    /// The line's format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The file.
    #[serde(default)]
    pub path: String,
    /// Whose log it is; listener and routes when not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_type: Option<ProxyAccessLogType>,
}

/// JSON in a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonAccessLog {
    /// CEL expressions that must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cel_matches: Vec<String>,
    /// The object's fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub json: Vec<MapEntry>,
    /// The file.
    #[serde(default)]
    pub path: String,
    /// Whose log it is; listener and routes when not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_type: Option<ProxyAccessLogType>,
}

/// Sent to a gRPC access log service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AlsAccessLog {
    /// CEL expressions that must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cel_matches: Vec<String>,
    /// The log's name.
    #[serde(default)]
    pub name: String,
    /// The server.
    #[serde(default, skip_serializing_if = "is_default")]
    pub destination: RouteDestination,
    /// How the server is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Arc<TrafficFeatures>>,
    /// Whether entries are HTTP or TCP.
    pub r#type: AlsEnvoyProxyAccessLogType,
    /// The entry's format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The entry's attributes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<MapEntry>,
    /// Headers of HTTP entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<AlsAccessLogHttp>,
    /// Whose log it is; listener and routes when not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_type: Option<ProxyAccessLogType>,
}

/// Headers that are logged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AlsAccessLogHttp {
    /// Of requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub request_headers: Vec<String>,
    /// Of responses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub response_headers: Vec<String>,
    /// Of trailers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub response_trailers: Vec<String>,
}

/// Sent to an OpenTelemetry collector.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenTelemetryAccessLog {
    /// CEL expressions that must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cel_matches: Vec<String>,
    /// The authority header.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub authority: String,
    /// The entry's body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The entry's attributes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<MapEntry>,
    /// Attributes of the proxy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_attributes: Vec<MapEntry>,
    /// Headers sent to the collector.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<HttpHeader>,
    /// The server.
    #[serde(default, skip_serializing_if = "is_default")]
    pub destination: RouteDestination,
    /// How the server is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Arc<TrafficFeatures>>,
    /// Whose log it is; listener and routes when not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_type: Option<ProxyAccessLogType>,
}
