//! TCP and TLS listeners and their routes.

use crate::ir::client_connection::ClientConnection;
use crate::ir::client_connection::ClientTimeout;
use crate::ir::client_connection::TcpKeepalive;
use crate::ir::client_settings::ProxyProtocolSettings;
use crate::ir::destination::RouteDestination;
use crate::ir::listener::CoreListenerDetails;
use crate::ir::metadata::ResourceMetadata;
use crate::ir::security::authorization::Authorization;
use crate::ir::tls::TlsConfig;
use crate::ir::traffic::circuit_breaker::CircuitBreaker;
use crate::ir::traffic::connection::BackendConnection;
use crate::ir::traffic::connection::Dns;
use crate::ir::traffic::connection::Preconnect;
use crate::ir::traffic::connection::ProxyProtocol;
use crate::ir::traffic::health_check::HealthCheck;
use crate::ir::traffic::load_balancer::LoadBalancer;
use crate::ir::traffic::timeout::Timeout;
use serde::Deserialize;
use serde::Serialize;
use std::sync::Arc;

/// One TCP or TLS listener.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TcpListener {
    /// Name, address and port.
    #[serde(flatten)]
    pub core: CoreListenerDetails,
    /// TLS termination.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsConfig>,
    /// Keepalive of client connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp_keepalive: Option<TcpKeepalive>,
    /// PROXY protocol expected from clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy_protocol: Option<ProxyProtocolSettings>,
    /// Timeouts towards clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<ClientTimeout>,
    /// Limits and buffers of client connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<ClientConnection>,
    /// Its routes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<TcpRoute>,
}

/// One TCP or TLS route.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TcpRoute {
    /// Unique in its listener.
    #[serde(default)]
    pub name: String,
    /// The name its statistics go by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stat_name: Option<String>,
    /// How TLS is matched or terminated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<Tls>,
    /// Where connections go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<Arc<RouteDestination>>,
    /// Keepalive of upstream connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp_keepalive: Option<TcpKeepalive>,
    /// How endpoints are chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_balancer: Option<LoadBalancer>,
    /// Timeouts towards upstreams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Timeout>,
    /// Limits towards upstreams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circuit_breaker: Option<CircuitBreaker>,
    /// How upstreams' health is found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_check: Option<HealthCheck>,
    /// PROXY protocol sent to upstreams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy_protocol: Option<ProxyProtocol>,
    /// The object it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Arc<ResourceMetadata>>,
    /// Buffers of upstream connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_connection: Option<BackendConnection>,
    /// Connections opened ahead of need.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preconnect: Option<Preconnect>,
    /// How names of upstreams are resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dns: Option<Dns>,
    /// Who may connect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization: Option<Authorization>,
}

/// TLS of a TCP route.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tls {
    /// Server names to match without terminating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inspector: Option<TlsInspectorConfig>,
    /// Terminate with these options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminate: Option<TlsConfig>,
}

/// Server names a connection must ask for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TlsInspectorConfig {
    /// The names; a leading `*.` matches any subdomain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub snis: Vec<String>,
}
