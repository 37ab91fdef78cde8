//! Timeouts towards upstreams.

use crate::api::duration::Duration;
use serde::Deserialize;
use serde::Serialize;

/// Timeouts towards upstreams.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Timeout {
    /// Of connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpTimeout>,
    /// Of requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpTimeout>,
}

/// Timeouts of an upstream connection.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TcpTimeout {
    /// How long connecting may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect_timeout: Option<Duration>,
}

/// The timeouts that shape a cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterTimeout {
    /// Of connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpTimeout>,
    /// Of streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<ClusterHttpTimeout>,
}

/// HTTP timeouts that shape a cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterHttpTimeout {
    /// How long a connection may be without requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_idle_timeout: Option<Duration>,
    /// How long a connection may live.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_connection_duration: Option<Duration>,
    /// How long a stream may live.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_stream_duration: Option<Duration>,
}

/// All HTTP timeouts towards upstreams.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpTimeout {
    /// The ones that shape a cluster.
    #[serde(flatten)]
    pub cluster: ClusterHttpTimeout,
    /// How long a whole response may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_timeout: Option<Duration>,
    /// How long a stream may be without activity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_idle_timeout: Option<Duration>,
}

impl Timeout {
    /// The timeouts that shape a cluster; the others belong to routes and filters.
    #[must_use]
    pub fn cluster_only(&self) -> ClusterTimeout {
        ClusterTimeout { tcp: self.tcp.clone(), http: self.http.as_ref().map(|http| http.cluster.clone()) }
    }
}
