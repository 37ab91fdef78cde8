//! The BackendTrafficPolicy kind: how backends are spoken to, and limits of requests on their way.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::admission_control::AdmissionControl;
use crate::api::bandwidth_limit::BandwidthLimitSpec;
use crate::api::circuit_breaker::CircuitBreaker;
use crate::api::compression::Compression;
use crate::api::connection::BackendConnection;
use crate::api::constraints::Bytes;
use crate::api::dns::Dns;
use crate::api::envoy_proxy::RoutingType;
use crate::api::fault_injection::FaultInjection;
use crate::api::health_check::HealthCheck;
use crate::api::http2::Http2Settings;
use crate::api::kubernetes_infra::MergeType;
use crate::api::load_balancer::LoadBalancer;
use crate::api::metadata::ObjectMeta;
use crate::api::metadata::object;
use crate::api::policy_status::PolicyStatus;
use crate::api::policy_target::LocalPolicyTargetReferenceWithSectionName;
use crate::api::policy_target::TargetSelector;
use crate::api::proxy_protocol::ProxyProtocol;
use crate::api::quantity::Quantity;
use crate::api::rate_limit::RateLimitSpec;
use crate::api::response_override::ResponseOverride;
use crate::api::retry::Retry;
use crate::api::rules::MERGED_NOT_REPLACED;
use crate::api::rules::PRECONNECT_BALANCERS;
use crate::api::rules::rule;
use crate::api::rules::target_rules;
use crate::api::tcp_keepalive::TcpKeepalive;
use crate::api::timeout::Timeout;
use crate::api::tracing::Tracing;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// How backends of routes are spoken to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackendTrafficPolicy {
    #[serde(default)]
    #[schemars(!default)]
    pub metadata: ObjectMeta,
    pub spec: BackendTrafficPolicySpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<PolicyStatus>,
}

/// What the policy is attached to and what it sets; the settings of clusters are its own fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = target_rules(
    &["Gateway", "ListenerSet", "HTTPRoute", "GRPCRoute", "UDPRoute", "TCPRoute", "TLSRoute"],
    &["HTTPRoute", "GRPCRoute", "UDPRoute", "TCPRoute", "TLSRoute"],
    &[
        rule("!has(self.compression) || !has(self.compressor)", "set compressor; compression is its deprecated form"),
        rule(
            "!has(self.requestBuffer) || !has(self.httpUpgrade) || self.httpUpgrade.size() == 0",
            "requests that are upgraded can't be buffered: set requestBuffer or httpUpgrade",
        ),
        rule(
            "!has(self.admissionControl) || ((!has(self.targetRef) || self.targetRef.kind in ['Gateway', \
             'ListenerSet', 'HTTPRoute', 'GRPCRoute']) && (!has(self.targetRefs) || self.targetRefs.all(ref, \
             ref.kind in ['Gateway', 'ListenerSet', 'HTTPRoute', 'GRPCRoute'])) && (!has(self.targetSelectors) || \
             self.targetSelectors.all(sel, sel.kind in ['Gateway', 'ListenerSet', 'HTTPRoute', 'GRPCRoute'])))",
            "admissionControl works on Gateway, ListenerSet, HTTPRoute and GRPCRoute only",
        ),
        PRECONNECT_BALANCERS,
    ],
)))]
pub struct BackendTrafficPolicySpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_ref: Option<LocalPolicyTargetReferenceWithSectionName>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target_refs: Vec<LocalPolicyTargetReferenceWithSectionName>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target_selectors: Vec<TargetSelector>,
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("x-kubernetes-validations" = [MERGED_NOT_REPLACED]))]
    pub merge_type: Option<MergeType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimitSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth_limit: Option<BandwidthLimitSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault_injection: Option<FaultInjection>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admission_control: Option<AdmissionControl>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_client_protocol: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compression: Vec<Compression>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compressor: Vec<Compression>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub response_override: Vec<ResponseOverride>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub http_upgrade: Vec<ProtocolUpgradeConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_buffer: Option<RequestBuffer>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telemetry: Option<BackendTelemetry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub routing_type: Option<RoutingType>,
}

/// A protocol requests may switch to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("!has(self.connect) || self.type == 'CONNECT'", "connect needs type CONNECT"),
]))]
pub struct ProtocolUpgradeConfig {
    pub r#type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect: Option<ConnectConfig>,
}

/// How CONNECT is treated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectConfig {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminate: Option<bool>,
}

/// Requests kept back until they are complete.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestBuffer {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Bytes")]
    pub limit: Option<Quantity>,
}

/// What is told about requests of these routes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackendTelemetry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracing: Option<Tracing>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<BackendMetrics>,
}

/// Metrics of these routes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackendMetrics {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route_stat_name: Option<String>,
}

object!(
    BackendTrafficPolicy,
    "gateway.envoyproxy.io",
    "v1alpha1",
    "BackendTrafficPolicy",
    "backendtrafficpolicies",
    true
);
