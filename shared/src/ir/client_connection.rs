//! Timeouts, limits and buffers of connections from clients.

use crate::api::duration::Duration;
use serde::Deserialize;
use serde::Serialize;

/// Timeouts towards clients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientTimeout {
    /// Timeouts of the connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpClientTimeout>,
    /// Timeouts of requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpClientTimeout>,
}

/// Timeouts of a client connection.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TcpClientTimeout {
    /// How long it may be idle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_timeout: Option<Duration>,
    /// How long the TLS handshake may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_handshake_timeout: Option<Duration>,
    /// How long listener filters may wait for data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_inspection_timeout: Option<Duration>,
}

/// Timeouts of a client's requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpClientTimeout {
    /// How long the whole request may take to arrive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_received_timeout: Option<Duration>,
    /// How long its headers may take to arrive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_headers_received_timeout: Option<Duration>,
    /// How long a connection may be without requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_timeout: Option<Duration>,
    /// How long a stream may be without activity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_idle_timeout: Option<Duration>,
}

/// Limits and buffers of client connections.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientConnection {
    /// Limits on connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<ConnectionLimit>,
    /// Read and write buffer of a connection, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_limit: Option<u32>,
    /// How many connections one socket event accepts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_accept_per_socket_event: Option<u32>,
}

/// Limits on client connections.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionLimit {
    /// Connections allowed at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<u64>,
    /// How long a refused connection is held before it is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub close_delay: Option<Duration>,
    /// How long a connection may live.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_connection_duration: Option<Duration>,
    /// How many requests it may carry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_requests_per_connection: Option<u32>,
    /// How long a stream may live.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_stream_duration: Option<Duration>,
}

/// TCP keepalive probes, towards clients or upstreams.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TcpKeepalive {
    /// Unanswered probes before the connection is dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probes: Option<u32>,
    /// Idle seconds before the first probe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_time: Option<u32>,
    /// Seconds between probes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<u32>,
}
