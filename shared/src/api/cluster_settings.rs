//! Settings of an upstream cluster, shared by everything that names backends.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::circuit_breaker::CircuitBreaker;
use crate::api::connection::BackendConnection;
use crate::api::constraints::Group;
use crate::api::constraints::Kind;
use crate::api::constraints::NamespaceName;
use crate::api::constraints::ObjectName;
use crate::api::dns::Dns;
use crate::api::health_check::HealthCheck;
use crate::api::http2::Http2Settings;
use crate::api::load_balancer::LoadBalancer;
use crate::api::proxy_protocol::ProxyProtocol;
use crate::api::retry::Retry;
use crate::api::rules::PRECONNECT_BALANCERS;
use crate::api::rules::SERVICE_NEEDS_PORT;
use crate::api::tcp_keepalive::TcpKeepalive;
use crate::api::timeout::Timeout;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// A backend with weight and fallback.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [SERVICE_NEEDS_PORT]))]
pub struct EnvoyBackendRef {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Group", extend("default" = ""))]
    pub group: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Kind", extend("default" = "Service"))]
    pub kind: Option<String>,
    #[schemars(with = "ObjectName")]
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NamespaceName")]
    pub namespace: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65535))]
    pub port: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1000000), extend("default" = 1))]
    pub weight: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<bool>,
}

/// Settings of an upstream cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [PRECONNECT_BALANCERS]))]
pub struct ClusterSettings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_balancer: Option<LoadBalancer>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Retry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy_protocol: Option<ProxyProtocol>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp_keepalive: Option<TcpKeepalive>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_check: Option<HealthCheck>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circuit_breaker: Option<CircuitBreaker>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Timeout>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<BackendConnection>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dns: Option<Dns>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http2: Option<Http2Settings>,
}
