//! How upstreams' health is found out.

use crate::api::duration::Duration;
use crate::ir::absence::is_default;
use crate::ir::bytes::Bytes;
use serde::Deserialize;
use serde::Serialize;

/// How upstreams' health is found out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HealthCheck {
    /// By asking them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<ActiveHealthCheck>,
    /// By watching their answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passive: Option<OutlierDetection>,
    /// Below this share of healthy endpoints, all are used; in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panic_threshold: Option<u32>,
}

/// Endpoints put aside because of their answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutlierDetection {
    /// Time between sweeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Duration>,
    /// Whether local errors are counted apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split_external_local_origin_errors: Option<bool>,
    /// Local errors in a row that put one aside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consecutive_local_origin_failures: Option<u32>,
    /// Gateway errors in a row that put one aside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consecutive_gateway_errors: Option<u32>,
    /// Server errors in a row that put one aside.
    #[serde(rename = "consecutive5XxErrors", default, skip_serializing_if = "Option::is_none")]
    pub consecutive_5xx_errors: Option<u32>,
    /// How long, times the number of ejections so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_ejection_time: Option<Duration>,
    /// How many at most, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_ejection_percent: Option<u32>,
    /// The share of failures that puts one aside, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_percentage_threshold: Option<u32>,
    /// Whether one may go whatever the maximum says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub always_eject_one_endpoint: Option<bool>,
}

/// Upstreams are asked how they are. One kind of question is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActiveHealthCheck {
    /// How long an answer may take.
    #[serde(default)]
    pub timeout: Option<Duration>,
    /// Time between questions.
    #[serde(default)]
    pub interval: Option<Duration>,
    /// Random delay before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_jitter: Option<Duration>,
    /// Failures in a row until unhealthy.
    #[serde(default)]
    pub unhealthy_threshold: Option<u32>,
    /// Successes in a row until healthy.
    #[serde(default)]
    pub healthy_threshold: Option<u32>,
    /// By an HTTP request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpHealthChecker>,
    /// By connecting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpHealthChecker>,
    /// By the gRPC health protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grpc: Option<GrpcHealthChecker>,
    /// Where to ask instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overrides: Option<HealthCheckOverrides>,
    /// Where events are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_health_check_log: Option<ProxyHealthCheckLog>,
}

/// Where health check events are written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProxyHealthCheckLog {
    /// Files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub file_sinks: Vec<FileEnvoyProxyHealthCheckLog>,
    /// Whether every failure is written, not only changes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub always_log_health_check_failures: bool,
    /// Whether every success is written, not only changes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub always_log_health_check_success: bool,
}

/// A file for health check events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileEnvoyProxyHealthCheckLog {
    /// Its path inside the proxy.
    #[serde(default)]
    pub path: String,
}

/// Health asked by HTTP.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpHealthChecker {
    /// The Host header.
    #[serde(default)]
    pub host: String,
    /// The path.
    #[serde(default)]
    pub path: String,
    /// The method; GET when not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Statuses that mean healthy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected_statuses: Vec<u16>,
    /// Statuses that count as failure only at the threshold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retriable_statuses: Vec<u16>,
    /// What the body must hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_response: Option<HealthCheckPayload>,
    /// The body sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_body: Option<HealthCheckPayload>,
}

/// Health asked by gRPC.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GrpcHealthChecker {
    /// The service asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
}

/// Health asked by connecting.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TcpHealthChecker {
    /// What to send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send: Option<HealthCheckPayload>,
    /// What must come back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive: Option<HealthCheckPayload>,
}

/// Where to ask instead of the endpoint's own port.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HealthCheckOverrides {
    /// This port.
    #[serde(default, skip_serializing_if = "is_default")]
    pub port: u32,
}

/// Bytes of a health check. One form is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HealthCheckPayload {
    /// As text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// As bytes.
    #[serde(default, skip_serializing_if = "Bytes::is_empty")]
    pub binary: Bytes,
}
