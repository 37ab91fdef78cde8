//! How HTTP listeners treat what clients send: paths, hosts, headers, protocol options.

use crate::api::client_traffic::PathEscapedSlashAction;
use crate::api::client_traffic::RequestIdAction;
use crate::api::client_traffic::WithUnderscoresAction;
use crate::api::client_traffic::XfccCertData;
use crate::api::client_traffic::XfccForwardMode;
use crate::api::duration::Duration;
use crate::ir::absence::empty_as_none;
use crate::ir::absence::is_default;
use crate::ir::header::AddHeader;
use crate::ir::string_match::StringMatch;
use serde::Deserialize;
use serde::Serialize;

/// Normalization of request paths.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PathSettings {
    /// Whether adjacent slashes become one.
    #[serde(default)]
    pub merge_slashes: bool,
    /// What happens to `%2F` and `%5C`; none leaves it to Envoy.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "empty_as_none")]
    pub escaped_slashes_action: Option<PathEscapedSlashAction>,
}

/// Normalization of the Host header.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HostSettings {
    /// Whether a trailing dot is removed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub strip_trailing_host_dot: bool,
}

/// PROXY protocol expected from clients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProxyProtocolSettings {
    /// Whether connections without it are accepted too.
    #[serde(default, skip_serializing_if = "is_default")]
    pub optional: bool,
}

/// Treatment of the `x-forwarded-client-cert` header.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct XForwardedClientCert {
    /// Whether to strip, keep, append or set it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "empty_as_none")]
    pub mode: Option<XfccForwardMode>,
    /// Parts of the client certificate to write into it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cert_details_to_add: Vec<XfccCertData>,
}

/// HTTP/1 options of a listener.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Http1Settings {
    /// Whether trailers are proxied.
    #[serde(default, skip_serializing_if = "is_default")]
    pub enable_trailers: bool,
    /// Whether header names keep their case.
    #[serde(default, skip_serializing_if = "is_default")]
    pub preserve_header_case: bool,
    /// HTTP/1.0 is accepted when set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http10: Option<Http10Settings>,
    /// Whether the connection duration limit closes HTTP/1 connections without waiting for a response.
    #[serde(default, skip_serializing_if = "is_default")]
    pub disable_safe_max_connection_duration: bool,
    /// Upgrades to ignore instead of refusing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored_upgrade_types: Vec<StringMatch>,
}

/// HTTP/1.0 options.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Http10Settings {
    /// The host of requests that have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_host: Option<String>,
}

/// HTTP/2 options, of a listener or an upstream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Http2Settings {
    /// Flow control window of a stream, in bytes. The two windows have each other's names in the serialized form:
    /// Envoy Gateway v1.9.0 writes them so.
    #[serde(rename = "initialConnectionWindowSize", default, skip_serializing_if = "Option::is_none")]
    pub initial_stream_window_size: Option<u32>,
    /// Flow control window of a connection, in bytes.
    #[serde(rename = "initialStreamWindowSize", default, skip_serializing_if = "Option::is_none")]
    pub initial_connection_window_size: Option<u32>,
    /// Streams allowed at once on a connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_concurrent_streams: Option<u32>,
    /// Whether a malformed message resets its stream (true) or closes the connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reset_stream_on_error: Option<bool>,
    /// PING frames that find dead connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_keepalive: Option<Http2KeepaliveSettings>,
}

/// HTTP/2 PING keepalive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Http2KeepaliveSettings {
    /// Time between PINGs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Duration>,
    /// How long to wait for the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    /// Random share of the interval to add, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_jitter: Option<u32>,
    /// How long a connection may be quiet before a PING precedes new streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_interval: Option<Duration>,
}

/// gRPC filters of a listener.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GrpcSettings {
    /// Whether gRPC-Web is translated.
    #[serde(rename = "enableGRPCWeb", default, skip_serializing_if = "Option::is_none")]
    pub enable_grpc_web: Option<bool>,
    /// Whether gRPC statistics are kept.
    #[serde(rename = "enableGRPCStats", default, skip_serializing_if = "Option::is_none")]
    pub enable_grpc_stats: Option<bool>,
}

/// What a listener does to headers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeaderSettings {
    /// Whether `x-envoy-*` headers are sent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub enable_envoy_headers: bool,
    /// Whether `x-ratelimit-*` headers are left out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub disable_rate_limit_headers: bool,
    /// Treatment of `x-forwarded-client-cert`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_forwarded_client_cert: Option<XForwardedClientCert>,
    /// What happens to headers with underscores in their name; none leaves it to Envoy.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "empty_as_none")]
    pub with_underscores_action: Option<WithUnderscoresAction>,
    /// What happens to `x-request-id`.
    #[serde(rename = "requestID", default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestIdAction>,
    /// Headers to add before routing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub early_add_request_headers: Vec<AddHeader>,
    /// Headers to remove before routing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub early_remove_request_headers: Vec<String>,
    /// Headers to remove before routing, by name pattern.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub early_remove_request_headers_on_match: Vec<StringMatch>,
    /// Headers to add to responses at the very end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub late_add_response_headers: Vec<AddHeader>,
    /// Headers to remove from responses at the very end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub late_remove_response_headers: Vec<String>,
    /// Headers to remove from responses at the very end, by name pattern.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub late_remove_response_headers_on_match: Vec<StringMatch>,
}

/// HTTP/3 is served; it has no options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Http3Settings {}
