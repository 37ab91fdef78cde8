//! TCP and TLS listeners and their routes.

use crate::diagnostic::Diagnostic;
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
use crate::ir::validation::fault;
use crate::ir::validation::within;
use crate::ir::validation::within_item;
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

impl TcpListener {
    /// Faults of the listener and its routes.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = self.core.validate();
        for (index, route) in self.routes.iter().enumerate() {
            faults.extend(within_item("routes", index, route.validate()));
        }
        faults
    }
}

impl TcpRoute {
    /// Whether the upstream is resolved from the connection's server name.
    #[must_use]
    pub fn is_dynamic_resolver(&self) -> bool {
        self.destination.as_deref().is_some_and(RouteDestination::is_dynamic_resolver)
    }

    /// Faults of the route.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        if self.name.is_empty() {
            faults.push(fault("name", "the route has no name"));
        }
        if let Some(tls) = &self.tls {
            faults.extend(within("tls", tls.validate()));
        }
        if let Some(destination) = &self.destination {
            faults.extend(within("destination", destination.validate()));
        }
        if let Some(load_balancer) = &self.load_balancer {
            faults.extend(within("loadBalancer", load_balancer.validate()));
        }
        if let Some(health_check) = &self.health_check {
            faults.extend(within("healthCheck", health_check.validate()));
        }
        faults
    }
}

impl Tls {
    /// Faults: server names to match must be named, certificates must be whole.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        if self.inspector.as_ref().is_some_and(|inspector| inspector.snis.is_empty()) {
            faults.push(fault("snis", "no server name is matched; * stands for all").within("inspector"));
        }
        if let Some(terminate) = &self.terminate {
            faults.extend(within("terminate", terminate.validate()));
        }
        faults
    }
}
