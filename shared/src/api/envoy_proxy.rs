//! The EnvoyProxy kind: how a fleet of proxies looks and runs.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::access_log::ProxyAccessLog;
use crate::api::backend_tls::BackendTlsConfig;
use crate::api::condition::Condition;
use crate::api::duration::Duration;
use crate::api::dynamic_module::DynamicModuleEntry;
use crate::api::envoy_proxy_bootstrap::ProxyBootstrap;
use crate::api::envoy_proxy_provider::EnvoyProxyProvider;
use crate::api::filter_order::FilterPosition;
use crate::api::geo_ip::EnvoyProxyGeoIp;
use crate::api::health_check_log::ProxyHealthCheckLog;
use crate::api::kubernetes_infra::MergeType;
use crate::api::label_selector::LabelSelector;
use crate::api::log_level::LogLevel;
use crate::api::metadata::{ObjectMeta, object};
use crate::api::proxy_metrics::ProxyMetrics;
use crate::api::references::ParentReference;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use crate::api::tracing::ProxyTracing;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use std::collections::BTreeMap;

/// Parameters of a fleet of proxies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyProxy {
    #[serde(default)]
    #[schemars(!default)]
    pub metadata: ObjectMeta,
    #[serde(default)]
    #[schemars(!default)]
    pub spec: EnvoyProxySpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<EnvoyProxyStatus>,
}

/// What a fleet looks like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "!(has(self.mergeGateways) && self.mergeGateways && has(self.mergeBackends))",
        "mergeBackends doesn't work with mergeGateways",
    ),
]))]
pub struct EnvoyProxySpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<EnvoyProxyProvider>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = {"level": {"default": "warn"}}))]
    pub logging: Option<ProxyLogging>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telemetry: Option<ProxyTelemetry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<ProxyBootstrap>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub routing_type: Option<RoutingType>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra_args: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_gateways: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_backends: Option<MergeBackendsConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shutdown: Option<ShutdownConfig>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filter_order: Vec<FilterPosition>,
    #[serde(rename = "backendTLS", default, skip_serializing_if = "Option::is_none")]
    pub backend_tls: Option<BackendTlsConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip_family: Option<IpFamily>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preserve_route_order: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lua_validation: Option<LuaValidation>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16), extend("x-kubernetes-list-map-keys" = ["name"], "x-kubernetes-list-type" = "map"))]
    pub dynamic_modules: Vec<DynamicModuleEntry>,
    #[serde(rename = "geoIP", default, skip_serializing_if = "Option::is_none")]
    pub geo_ip: Option<EnvoyProxyGeoIp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_type: Option<MergeType>,
}

/// What controllers say about an EnvoyProxy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyProxyStatus {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ancestors: Vec<EnvoyProxyAncestorStatus>,
}

/// What is said for one GatewayClass or Gateway that uses it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyProxyAncestorStatus {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-map-keys" = ["type"], "x-kubernetes-list-type" = "map"))]
    pub conditions: Vec<Condition>,
    pub ancestor_ref: ParentReference,
}

/// Log levels of the proxies, by component.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProxyLogging {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("default" = {"default": "warn"}))]
    pub level: BTreeMap<String, LogLevel>,
}

/// What the proxies tell about themselves and the traffic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProxyTelemetry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_log: Option<ProxyAccessLog>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracing: Option<ProxyTracing>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<ProxyMetrics>,
    #[serde(rename = "requestID", default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestIdSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_check_log: Option<ProxyHealthCheckLog>,
}

string_enum! {
    /// Whether requests go to endpoints or to the ClusterIP of a Service.
    pub closed enum RoutingType {
        Service = "Service",
        Endpoint = "Endpoint",
    }
}

/// Which backends share clusters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MergeBackendsConfig {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
}

/// How a proxy leaves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShutdownConfig {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_check_failure_delay: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain_timeout: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_drain_duration: Option<Duration>,
}

string_enum! {
    /// Which IP versions are used.
    pub closed enum IpFamily {
        Ipv4 = "IPv4",
        Ipv6 = "IPv6",
        DualStack = "DualStack",
    }
}

string_enum! {
    /// How strictly Lua code is checked.
    pub closed enum LuaValidation {
        Strict = "Strict",
        InsecureSyntax = "InsecureSyntax",
        Disabled = "Disabled",
    }
}

/// How request identifiers are treated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestIdSettings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracing: Option<RequestIdExtensionAction>,
}

string_enum! {
    /// Whether trace information goes into the request identifier.
    pub closed enum RequestIdExtensionAction {
        PackAndSample = "PackAndSample",
        Sample = "Sample",
        Pack = "Pack",
        Disable = "Disable",
    }
}

object!(EnvoyProxy, "gateway.envoyproxy.io", "v1alpha1", "EnvoyProxy", "envoyproxies", true);
