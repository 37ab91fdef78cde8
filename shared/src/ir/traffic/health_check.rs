//! How upstreams' health is found out.

use crate::api::duration::Duration;
use crate::diagnostic::Diagnostic;
use crate::ir::absence::is_default;
use crate::ir::bytes::Bytes;
use crate::ir::validation::fault;
use crate::ir::validation::fault_here;
use crate::ir::validation::within;
use crate::ir::validation::within_item;
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

/// Methods a health check may use.
const METHODS: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"];

impl HealthCheck {
    /// Faults of both kinds of checks and the panic threshold.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        if let Some(active) = &self.active {
            faults.extend(within("active", active.validate()));
        }
        if let Some(passive) = &self.passive {
            faults.extend(within("passive", passive.validate()));
        }
        if let Some(percent) = self.panic_threshold.filter(|percent| *percent > 100) {
            faults.push(fault("panicThreshold", format!("{percent} is no percentage; use 0 to 100")));
        }
        faults
    }
}

impl OutlierDetection {
    /// Faults: set times are not zero.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        [("baseEjectionTime", self.base_ejection_time), ("interval", self.interval)]
            .into_iter()
            .filter_map(|(field, time)| zero_time(field, time))
            .collect()
    }
}

impl ActiveHealthCheck {
    /// Faults of times, thresholds and the question asked.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults: Vec<Diagnostic> = [("timeout", self.timeout), ("interval", self.interval)]
            .into_iter()
            .filter_map(|(field, time)| zero_time(field, time))
            .collect();
        if self.initial_jitter.is_some_and(|jitter| jitter < Duration::ZERO) {
            faults.push(fault("initialJitter", "the delay is negative; use zero or more"));
        }
        for (field, threshold) in
            [("unhealthyThreshold", self.unhealthy_threshold), ("healthyThreshold", self.healthy_threshold)]
        {
            if threshold == Some(0) {
                faults.push(fault(field, "a threshold of 0 is never reached; use 1 or more"));
            }
        }
        let questions = [self.http.is_some(), self.tcp.is_some(), self.grpc.is_some()];
        if questions.iter().filter(|set| **set).count() > 1 {
            faults.push(fault_here("more than one of http, tcp and grpc is set; keep one"));
        }
        if let Some(http) = &self.http {
            faults.extend(within("http", http.validate()));
        }
        if let Some(tcp) = &self.tcp {
            faults.extend(within("tcp", tcp.validate()));
        }
        if let Some(overrides) = &self.overrides {
            faults.extend(within("overrides", overrides.validate()));
        }
        faults
    }
}

/// The fault of a time that is set to zero.
fn zero_time(field: &str, time: Option<Duration>) -> Option<Diagnostic> {
    (time == Some(Duration::ZERO)).then(|| fault(field, "the time is zero; use more, or leave it out"))
}

impl HttpHealthChecker {
    /// Faults of path, method, statuses and payloads.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        if self.path.is_empty() {
            faults.push(fault("path", "there is no path to ask"));
        }
        if let Some(method) = self.method.as_deref().filter(|method| !method.is_empty() && !METHODS.contains(method)) {
            let message = format!("can't ask by {method:?}; use one of {}", METHODS.join(", "));
            faults.push(fault("method", message));
        }
        if self.expected_statuses.is_empty() {
            faults.push(fault("expectedStatuses", "no status means healthy; name at least one"));
        }
        for (field, statuses) in
            [("expectedStatuses", &self.expected_statuses), ("retriableStatuses", &self.retriable_statuses)]
        {
            for (index, status) in statuses.iter().enumerate() {
                if !(100..600).contains(status) {
                    let wrong = fault_here(format!("{status} is no HTTP status; use 100 to 599"));
                    faults.extend(within_item(field, index, vec![wrong]));
                }
            }
        }
        if let Some(payload) = &self.expected_response {
            faults.extend(within("expectedResponse", payload.validate()));
        }
        if let Some(payload) = &self.request_body {
            faults.extend(within("requestBody", payload.validate()));
        }
        faults
    }
}

impl TcpHealthChecker {
    /// Faults of the payloads.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        [("send", &self.send), ("receive", &self.receive)]
            .into_iter()
            .filter_map(|(field, payload)| Some((field, payload.as_ref()?)))
            .flat_map(|(field, payload)| within(field, payload.validate()))
            .collect()
    }
}

impl HealthCheckOverrides {
    /// Faults of the port.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        if (1..=65535).contains(&self.port) {
            return Vec::new();
        }
        vec![fault("port", format!("{} is not a port; use 1 to 65535", self.port))]
    }
}

impl HealthCheckPayload {
    /// Faults: exactly one form is set.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let text = self.text.as_deref().is_some_and(|text| !text.is_empty());
        match (text, !self.binary.is_empty()) {
            (true, true) => vec![fault_here("both text and binary are set; keep one")],
            (false, false) => vec![fault_here("the payload is empty; set text or binary")],
            (true, false) | (false, true) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_can_never_pass_is_found() {
        let http = HttpHealthChecker { path: "/".into(), retriable_statuses: vec![99], ..HttpHealthChecker::default() };
        let active = ActiveHealthCheck {
            timeout: Some(Duration::ZERO),
            healthy_threshold: Some(0),
            http: Some(http),
            ..ActiveHealthCheck::default()
        };
        let check = HealthCheck { active: Some(active), passive: None, panic_threshold: Some(101) };
        let paths: Vec<String> = check.validate().iter().map(|fault| fault.path.to_string()).collect();
        assert_eq!(
            paths,
            [
                "active.timeout",
                "active.healthyThreshold",
                "active.http.expectedStatuses",
                "active.http.retriableStatuses[0]",
                "panicThreshold"
            ]
        );
    }
}
