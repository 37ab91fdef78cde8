//! Metrics and traces of the control plane itself.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::duration::Duration;
use crate::api::fraction::Fraction;
use crate::api::proxy_metrics::MetricSinkType;
use crate::api::string_enum::string_enum;
use serde::Deserialize;
use serde::Serialize;

/// Metrics of the control plane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayMetrics {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sinks: Vec<EnvoyGatewayMetricSink>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prometheus: Option<EnvoyGatewayPrometheusProvider>,
}

/// Where metrics are sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayMetricSink {
    pub r#type: MetricSinkType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_telemetry: Option<EnvoyGatewayOpenTelemetrySink>,
}

/// Traces of the control plane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayTraces {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sink: Option<EnvoyGatewayTraceSink>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling_rate: Option<Fraction>,
}

/// Prometheus metrics of the control plane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayPrometheusProvider {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disable: bool,
}

/// An OpenTelemetry collector.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayOpenTelemetrySink {
    pub host: String,
    pub protocol: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub export_interval: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub export_timeout: Option<Duration>,
}

/// Where its traces are sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayTraceSink {
    pub r#type: TraceSinkType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_telemetry: Option<EnvoyGatewayOpenTelemetrySink>,
}

string_enum! {
    /// Kind of sink.
    pub closed enum TraceSinkType {
        OpenTelemetry = "OpenTelemetry",
    }
}
