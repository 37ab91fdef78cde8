//! Upstreams asked how they are.

use std::fmt::Write as _;

use super::pb::core::{self, health_check};
use super::pb::extensions::health_check::event_sinks::file::v3::HealthCheckEventFileSink;
use super::pb::types::Int64Range;
use super::values::{duration, extension, uint32};
use crate::ir::{ActiveHealthCheck, HealthCheckPayload, HttpHealthChecker, ProxyHealthCheckLog, TcpHealthChecker};

/// The active check of a cluster. `hostname` is the route's, for checks that name none; `log` is the fleet's, for
/// checks without a log of their own.
pub(super) fn health_check(
    source: &ActiveHealthCheck,
    hostname: &str,
    log: Option<&ProxyHealthCheckLog>,
) -> core::HealthCheck {
    use health_check::HealthChecker;
    // Overrides stand at the endpoints.
    let ActiveHealthCheck {
        timeout,
        interval,
        initial_jitter,
        unhealthy_threshold,
        healthy_threshold,
        http,
        tcp,
        grpc,
        overrides: _,
        backend_health_check_log,
    } = source;
    let checker = if let Some(http) = http {
        Some(HealthChecker::HttpHealthCheck(http_check(http, hostname)))
    } else if let Some(TcpHealthChecker { send, receive }) = tcp {
        Some(HealthChecker::TcpHealthCheck(health_check::TcpHealthCheck {
            send: send.as_ref().map(payload),
            receive: receive.iter().map(payload).collect(),
            ..health_check::TcpHealthCheck::default()
        }))
    } else {
        grpc.as_ref().map(|grpc| {
            HealthChecker::GrpcHealthCheck(health_check::GrpcHealthCheck {
                service_name: grpc.service.clone().unwrap_or_default(),
                ..health_check::GrpcHealthCheck::default()
            })
        })
    };
    let mut check = core::HealthCheck {
        timeout: timeout.map(duration),
        interval: interval.map(duration),
        initial_jitter: initial_jitter.map(duration),
        unhealthy_threshold: unhealthy_threshold.map(uint32),
        healthy_threshold: healthy_threshold.map(uint32),
        health_checker: checker,
        ..core::HealthCheck::default()
    };
    if let Some(log) = backend_health_check_log.as_ref().or(log) {
        let ProxyHealthCheckLog { file_sinks, always_log_health_check_failures, always_log_health_check_success } = log;
        check.always_log_health_check_failures = *always_log_health_check_failures;
        check.always_log_health_check_success = *always_log_health_check_success;
        check.event_logger = file_sinks
            .iter()
            .map(|sink| {
                extension(
                    "envoy.health_check.event_sinks.file",
                    &HealthCheckEventFileSink { event_log_path: sink.path.clone() },
                )
            })
            .collect();
    }
    check
}

fn http_check(source: &HttpHealthChecker, hostname: &str) -> health_check::HttpHealthCheck {
    let HttpHealthChecker {
        host,
        path,
        method,
        expected_statuses,
        retriable_statuses,
        expected_response,
        request_body,
    } = source;
    let method = method.as_deref().and_then(core::RequestMethod::from_str_name).unwrap_or_default();
    health_check::HttpHealthCheck {
        host: if host.is_empty() { hostname } else { host }.to_owned(),
        path: path.clone(),
        method: method.into(),
        expected_statuses: ranges(expected_statuses),
        retriable_statuses: ranges(retriable_statuses),
        receive: expected_response.iter().map(payload).collect(),
        send: request_body.as_ref().map(payload),
        ..health_check::HttpHealthCheck::default()
    }
}

/// Statuses as half-open ranges, neighbours joined.
fn ranges(statuses: &[u16]) -> Vec<Int64Range> {
    let mut sorted: Vec<i64> = statuses.iter().copied().map(i64::from).collect();
    sorted.sort_unstable();
    let mut ranges: Vec<Int64Range> = Vec::new();
    for status in sorted {
        match ranges.last_mut() {
            Some(last) if last.end == status => last.end += 1,
            _ => ranges.push(Int64Range { start: status, end: status + 1 }),
        }
    }
    ranges
}

/// Envoy takes text in hexadecimal.
fn payload(source: &HealthCheckPayload) -> health_check::Payload {
    use health_check::payload::Payload;
    let HealthCheckPayload { text, binary } = source;
    let payload = if binary.is_empty() {
        text.as_ref().filter(|text| !text.is_empty()).map(|text| {
            let mut hexadecimal = String::with_capacity(text.len() * 2);
            for byte in text.bytes() {
                let _ = write!(hexadecimal, "{byte:02x}");
            }
            Payload::Text(hexadecimal)
        })
    } else {
        Some(Payload::Binary(binary.as_slice().to_vec()))
    };
    health_check::Payload { payload }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_statuses_join() {
        let joined: Vec<(i64, i64)> =
            ranges(&[204, 200, 201, 300]).into_iter().map(|range| (range.start, range.end)).collect();
        assert_eq!(joined, [(200, 202), (204, 205), (300, 301)]);
    }

    #[test]
    fn text_is_hexadecimal() {
        let made = payload(&HealthCheckPayload { text: Some("ok".to_owned()), ..HealthCheckPayload::default() });
        assert_eq!(made.payload, Some(health_check::payload::Payload::Text("6f6b".to_owned())));
    }
}
