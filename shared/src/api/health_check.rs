//! Active and passive health checks of backends.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::constraints::DnsName;
use crate::api::constraints::HttpStatus;
use crate::api::duration::Duration;
use crate::api::health_check_log::ProxyHealthCheckLog;
use crate::api::rules::exactly_for;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use k8s_openapi::ByteString;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// Health checks of endpoints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthCheck {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<ActiveHealthCheck>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passive: Option<PassiveHealthCheck>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100))]
    pub panic_threshold: Option<u32>,
}

/// Probes sent to endpoints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    exactly_for("HTTP", "http"),
    exactly_for("TCP", "tcp"),
    rule("has(self.grpc) ? self.type == 'GRPC' : true", "grpc needs type GRPC"),
]))]
pub struct ActiveHealthCheck {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "1s"))]
    pub timeout: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "3s"))]
    pub interval: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_jitter: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1), extend("default" = 3))]
    pub unhealthy_threshold: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1), extend("default" = 1))]
    pub healthy_threshold: Option<u32>,
    pub r#type: ActiveHealthCheckerType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpActiveHealthChecker>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpActiveHealthChecker>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grpc: Option<GrpcActiveHealthChecker>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overrides: Option<HealthCheckOverrides>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_check_log: Option<ProxyHealthCheckLog>,
}

string_enum! {
    /// Kind of probe.
    pub closed enum ActiveHealthCheckerType {
        Http = "HTTP",
        Tcp = "TCP",
        Grpc = "GRPC",
    }
}

/// Ejection of endpoints that fail requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PassiveHealthCheck {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub split_external_local_origin_errors: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "3s"))]
    pub interval: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = null, "default" = 5))]
    pub consecutive_local_origin_failures: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = null))]
    pub consecutive_gateway_errors: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = null, "default" = 5))]
    pub consecutive5_xx_errors: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "30s"))]
    pub base_ejection_time: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 100), extend("default" = 10))]
    pub max_ejection_percent: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100))]
    pub failure_percentage_threshold: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub always_eject_one_endpoint: Option<bool>,
}

/// A probe by HTTP.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "!has(self.requestBody) || (has(self.method) && self.method.upperAscii() in ['POST','PUT'])",
        "requestBody needs a method that carries one: POST or PUT",
    ),
]))]
pub struct HttpActiveHealthChecker {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DnsName")]
    pub hostname: Option<String>,
    #[schemars(length(min = 1, max = 1024))]
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 16))]
    pub method: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<HttpStatus>")]
    pub expected_statuses: Vec<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<HttpStatus>")]
    pub retriable_statuses: Vec<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_response: Option<ActiveHealthCheckPayload>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_body: Option<ActiveHealthCheckPayload>,
}

/// A probe by TCP.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TcpActiveHealthChecker {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send: Option<ActiveHealthCheckPayload>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive: Option<ActiveHealthCheckPayload>,
}

/// A probe by gRPC.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GrpcActiveHealthChecker {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
}

/// Where probes go instead.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthCheckOverrides {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65535))]
    pub port: Option<i32>,
}

/// Bytes sent or expected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    exactly_for("Text", "text"),
    exactly_for("Binary", "binary"),
]))]
pub struct ActiveHealthCheckPayload {
    pub r#type: ActiveHealthCheckPayloadType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("format" = "byte"))]
    pub binary: Option<ByteString>,
}

string_enum! {
    /// Form of these bytes.
    pub closed enum ActiveHealthCheckPayloadType {
        Text = "Text",
        Binary = "Binary",
    }
}
