//! The global rate limit service in the EnvoyGateway configuration.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::duration::Duration;
use crate::api::references::SecretObjectReference;
use crate::api::string_enum::string_enum;
use k8s_openapi::api::core::v1::SecretKeySelector;
use serde::Deserialize;
use serde::Serialize;

/// The global rate limit service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayRateLimit {
    pub backend: RateLimitDatabaseBackend,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    #[serde(default)]
    pub fail_closed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telemetry: Option<RateLimitTelemetry>,
}

/// Where counts are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitDatabaseBackend {
    pub r#type: RateLimitDatabaseBackendType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis: Option<RateLimitRedisSettings>,
}

string_enum! {
    /// Kind of that store.
    pub closed enum RateLimitDatabaseBackendType {
        Redis = "Redis",
    }
}

/// What the rate limit service tells about itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitTelemetry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<RateLimitMetrics>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracing: Option<RateLimitTracing>,
}

/// The Redis server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitRedisSettings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url_ref: Option<RedisUrlSource>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<RedisTlsSettings>,
}

/// Metrics of the rate limit service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitMetrics {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prometheus: Option<RateLimitMetricsPrometheusProvider>,
}

/// Traces of the rate limit service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitTracing {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling_rate: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<RateLimitTracingProvider>,
}

/// The address of the Redis server in a Secret.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RedisUrlSource {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_key_ref: Option<SecretKeySelector>,
}

/// TLS towards Redis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RedisTlsSettings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_ref: Option<SecretObjectReference>,
}

/// Prometheus metrics of the rate limit service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitMetricsPrometheusProvider {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disable: bool,
}

/// Where its traces go.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitTracingProvider {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    pub url: String,
}
