//! HTTP and HTTPS listeners.

use crate::api::client_traffic::ClientIpDetectionSettings;
use crate::api::client_traffic::HealthCheckSettings;
use crate::api::envoy_proxy::RequestIdExtensionAction;
use crate::diagnostic::Diagnostic;
use crate::ir::absence::is_default;
use crate::ir::absence::null_as_default;
use crate::ir::client_connection::ClientConnection;
use crate::ir::client_connection::ClientTimeout;
use crate::ir::client_connection::TcpKeepalive;
use crate::ir::client_settings::GrpcSettings;
use crate::ir::client_settings::HeaderSettings;
use crate::ir::client_settings::HostSettings;
use crate::ir::client_settings::Http1Settings;
use crate::ir::client_settings::Http2Settings;
use crate::ir::client_settings::Http3Settings;
use crate::ir::client_settings::PathSettings;
use crate::ir::client_settings::ProxyProtocolSettings;
use crate::ir::geo_ip::GeoIpProvider;
use crate::ir::http_route::HttpRoute;
use crate::ir::listener::CoreListenerDetails;
use crate::ir::tls::TlsConfig;
use crate::ir::validation::fault;
use crate::ir::validation::within;
use crate::ir::validation::within_item;
use serde::Deserialize;
use serde::Serialize;
use std::sync::Arc;

/// One HTTP or HTTPS listener with its routes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpListener {
    /// Name, address and port.
    #[serde(flatten)]
    pub core: CoreListenerDetails,
    /// Hostnames it serves; `*` stands for all.
    #[serde(default, deserialize_with = "null_as_default")]
    pub hostnames: Vec<String>,
    /// TLS termination; none on cleartext listeners.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsConfig>,
    /// Whether its certificates also fit another listener of the port, which rules out HTTP/2 connection reuse.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tls_overlaps: bool,
    /// Routes in the order Envoy is to try them; shared with the fragments they were made as.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<Arc<HttpRoute>>,
    /// Keepalive of client connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp_keepalive: Option<TcpKeepalive>,
    /// What happens to headers on the way in and out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers: Option<HeaderSettings>,
    /// PROXY protocol expected from clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy_protocol: Option<ProxyProtocolSettings>,
    /// How the client's address is found.
    #[serde(rename = "clientIPDetection", default, skip_serializing_if = "Option::is_none")]
    pub client_ip_detection: Option<ClientIpDetectionSettings>,
    /// Where locations of client addresses come from.
    #[serde(rename = "geoIPProvider", default, skip_serializing_if = "Option::is_none")]
    pub geo_ip_provider: Option<GeoIpProvider>,
    /// Normalization of request paths.
    #[serde(default)]
    pub path: PathSettings,
    /// Normalization of the Host header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostSettings>,
    /// HTTP/1 options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http1: Option<Http1Settings>,
    /// HTTP/2 options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http2: Option<Http2Settings>,
    /// HTTP/3 is served when set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http3: Option<Http3Settings>,
    /// gRPC filters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grpc: Option<GrpcSettings>,
    /// A path on which the proxy itself answers health checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_check: Option<HealthCheckSettings>,
    /// Timeouts towards clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<ClientTimeout>,
    /// Limits and buffers of client connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<ClientConnection>,
    /// Keep routes as written instead of sorting by precedence.
    #[serde(default, skip_serializing_if = "is_default")]
    pub preserve_route_order: bool,
    /// Set the scheme header from the upstream connection.
    #[serde(default, skip_serializing_if = "is_default")]
    pub match_backend_scheme: bool,
    /// What the request id extension does with the trace.
    #[serde(rename = "requestID", default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestIdExtensionAction>,
}

impl HttpListener {
    /// Faults of the listener, its TLS and its routes.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = self.core.validate();
        if self.hostnames.is_empty() {
            faults.push(fault("hostnames", "the listener serves no hostname; * stands for all"));
        }
        if let Some(tls) = &self.tls {
            faults.extend(within("tls", tls.validate()));
        }
        for (index, route) in self.routes.iter().enumerate() {
            faults.extend(within_item("routes", index, route.validate()));
        }
        if let Some(detection) = &self.client_ip_detection {
            let forwarded = detection.x_forwarded_for.as_ref();
            if forwarded.is_some() && detection.custom_header.is_some() {
                let message = "both xForwardedFor and customHeader are set; keep one";
                faults.push(fault("clientIPDetection", message));
            } else if forwarded.is_some_and(|it| it.num_trusted_hops.is_some() && !it.trusted_cidrs.is_empty()) {
                let message = "both numTrustedHops and trustedCIDRs are set; keep one";
                faults.push(fault("xForwardedFor", message).within("clientIPDetection"));
            }
        }
        faults
    }
}
