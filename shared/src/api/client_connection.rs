//! Limits and time-outs of connections of clients in ClientTrafficPolicy.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::constraints::Bytes;
use crate::api::duration::Duration;
use crate::api::quantity::Quantity;
use crate::api::rules::rule;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// Connections of clients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientConnection {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_limit: Option<ConnectionLimit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Bytes")]
    pub buffer_limit: Option<Quantity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Bytes")]
    pub socket_buffer_limit: Option<Quantity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = null, "default" = 1))]
    pub max_accept_per_socket_event: Option<u32>,
}

/// How many, how long, how much.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("!has(self.closeDelay) || has(self.value)", "closeDelay needs value"),
]))]
pub struct ConnectionLimit {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub value: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub close_delay: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_connection_duration: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = null))]
    pub max_requests_per_connection: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_stream_duration: Option<Duration>,
}

/// Time-outs of clients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientTimeout {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpClientTimeout>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpClientTimeout>,
}

/// Time-outs of their connections.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TcpClientTimeout {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_timeout: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_handshake_timeout: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_inspection_timeout: Option<Duration>,
}

/// Time-outs of their requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HttpClientTimeout {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_received_timeout: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_headers_received_timeout: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_timeout: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_idle_timeout: Option<Duration>,
}
