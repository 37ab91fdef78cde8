//! What traffic policies say of a route or cluster.

pub mod admission_control;
pub mod bandwidth_limit;
pub mod circuit_breaker;
pub mod compression;
pub mod connection;
pub mod fault_injection;
pub mod health_check;
pub mod load_balancer;
pub mod rate_limit;
pub mod request_buffer;
pub mod response_override;
pub mod retry;
pub mod telemetry;
pub mod timeout;
pub mod upgrade;

use crate::diagnostic::Diagnostic;
use crate::ir::client_connection::TcpKeepalive;
use crate::ir::client_settings::Http2Settings;
use crate::ir::traffic::admission_control::AdmissionControl;
use crate::ir::traffic::bandwidth_limit::BandwidthLimit;
use crate::ir::traffic::circuit_breaker::CircuitBreaker;
use crate::ir::traffic::compression::Compression;
use crate::ir::traffic::connection::BackendConnection;
use crate::ir::traffic::connection::Dns;
use crate::ir::traffic::connection::ProxyProtocol;
use crate::ir::traffic::fault_injection::FaultInjection;
use crate::ir::traffic::health_check::HealthCheck;
use crate::ir::traffic::load_balancer::LoadBalancer;
use crate::ir::traffic::rate_limit::RateLimit;
use crate::ir::traffic::request_buffer::RequestBuffer;
use crate::ir::traffic::response_override::ResponseOverride;
use crate::ir::traffic::retry::Retry;
use crate::ir::traffic::telemetry::BackendTelemetry;
use crate::ir::traffic::timeout::Timeout;
use crate::ir::traffic::upgrade::HttpUpgradeConfig;
use crate::ir::validation::within;
use serde::Deserialize;
use serde::Serialize;

/// The part that shapes a cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterTrafficFeatures {
    /// How endpoints are chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_balancer: Option<LoadBalancer>,
    /// PROXY protocol sent to upstreams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy_protocol: Option<ProxyProtocol>,
    /// How upstreams' health is found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_check: Option<HealthCheck>,
    /// Requests refused by success rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admission_control: Option<AdmissionControl>,
    /// Limits towards upstreams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circuit_breaker: Option<CircuitBreaker>,
    /// Timeouts towards upstreams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Timeout>,
    /// Keepalive of upstream connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp_keepalive: Option<TcpKeepalive>,
    /// Buffers of upstream connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_connection: Option<BackendConnection>,
    /// HTTP/2 options towards upstreams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http2: Option<Http2Settings>,
    /// How names of upstreams are resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dns: Option<Dns>,
}

/// Everything traffic policies say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TrafficFeatures {
    /// The part that shapes a cluster.
    #[serde(flatten)]
    pub cluster: ClusterTrafficFeatures,
    /// How many requests are let through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<Box<RateLimit>>,
    /// How many bytes are let through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth_limit: Option<Box<BandwidthLimit>>,
    /// Faults made on purpose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault_injection: Option<Box<FaultInjection>>,
    /// When to try again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Box<Retry>>,
    /// Responses to replace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_override: Option<Box<ResponseOverride>>,
    /// How responses are compressed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compression: Vec<Compression>,
    /// Upgrades that are allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub http_upgrade: Vec<HttpUpgradeConfig>,
    /// Tracing and statistics of the route.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telemetry: Option<Box<BackendTelemetry>>,
    /// Buffering of requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_buffer: Option<Box<RequestBuffer>>,
}

impl TrafficFeatures {
    /// Whether CONNECT requests are upgraded.
    #[must_use]
    pub fn has_connect_upgrade(&self) -> bool {
        self.http_upgrade.iter().any(|upgrade| upgrade.r#type.eq_ignore_ascii_case("CONNECT"))
    }

    /// Faults of load balancing and health checks.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        if let Some(load_balancer) = &self.cluster.load_balancer {
            faults.extend(within("loadBalancer", load_balancer.validate()));
        }
        if let Some(health_check) = &self.cluster.health_check {
            faults.extend(within("healthCheck", health_check.validate()));
        }
        faults
    }
}
