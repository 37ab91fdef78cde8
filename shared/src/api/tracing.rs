//! Tracing of requests: providers, tags, sampling.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::cluster_settings::ClusterSettings;
use crate::api::cluster_settings::EnvoyBackendRef;
use crate::api::fraction::Fraction;
use crate::api::http_route_rule_filter::HttpHeader;
use crate::api::references::BackendObjectReference;
use crate::api::rules::ONLY_BACKEND_REFS;
use crate::api::rules::SOME_BACKEND_OR_HOST;
use crate::api::rules::TELEMETRY_GROUPS;
use crate::api::rules::TELEMETRY_KINDS;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use std::collections::BTreeMap;

/// Tracing in the proxies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("!(has(self.samplingRate) && has(self.samplingFraction))", "set samplingFraction or samplingRate, not both"),
]))]
pub struct ProxyTracing {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling_fraction: Option<Fraction>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_sampling_fraction: Option<Fraction>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall_sampling_fraction: Option<Fraction>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub custom_tags: BTreeMap<String, CustomTag>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span_name: Option<TracingSpanName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100))]
    pub sampling_rate: Option<u32>,
    pub provider: TracingProvider,
}

/// Where spans go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    SOME_BACKEND_OR_HOST,
    ONLY_BACKEND_REFS,
    TELEMETRY_KINDS,
    TELEMETRY_GROUPS,
    rule("has(self.openTelemetry) ? self.type == 'OpenTelemetry' : true", "openTelemetry needs type OpenTelemetry"),
]))]
pub struct TracingProvider {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_ref: Option<BackendObjectReference>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub backend_refs: Vec<EnvoyBackendRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_settings: Option<ClusterSettings>,
    #[schemars(extend("default" = "OpenTelemetry"))]
    pub r#type: TracingProviderType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), extend("default" = 4317))]
    pub port: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-validations" = [
        rule(r#"self != """#, "serviceName must not be empty: leave it out"),
    ]))]
    pub service_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zipkin: Option<ZipkinTracingProvider>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_telemetry: Option<OpenTelemetryTracingProvider>,
}

string_enum! {
    /// Kind of tracer.
    pub closed enum TracingProviderType {
        OpenTelemetry = "OpenTelemetry",
        Zipkin = "Zipkin",
        Datadog = "Datadog",
    }
}

/// A tag and where its value comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomTag {
    #[schemars(extend("default" = "Literal"))]
    pub r#type: CustomTagType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub literal: Option<LiteralCustomTag>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<EnvironmentCustomTag>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_header: Option<RequestHeaderCustomTag>,
}

string_enum! {
    /// Kind of that source.
    pub closed enum CustomTagType {
        Literal = "Literal",
        Environment = "Environment",
        RequestHeader = "RequestHeader",
    }
}

/// Names of spans.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TracingSpanName {
    pub client: String,
    pub server: String,
}

/// Settings for Zipkin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ZipkinTracingProvider {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable128_bit_trace_id: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disable_shared_span_context: Option<bool>,
}

/// Settings for OpenTelemetry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenTelemetryTracingProvider {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 32))]
    pub headers: Vec<HttpHeader>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resource_attributes: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampler: Option<OtelSampler>,
}

/// A fixed value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiteralCustomTag {
    pub value: String,
}

/// A value from the environment of the proxy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentCustomTag {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_value: Option<String>,
}

/// A value from a request header.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestHeaderCustomTag {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_value: Option<String>,
}

/// How spans are sampled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "has(self.samplingPercentage) ? (self.type == 'TraceIdRatio' || self.type == 'ParentBasedTraceIdRatio') : \
         true",
        "samplingPercentage needs type TraceIdRatio or ParentBasedTraceIdRatio",
    ),
]))]
pub struct OtelSampler {
    #[schemars(extend("default" = "AlwaysOn"))]
    pub r#type: OtelSamplerType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling_percentage: Option<Fraction>,
}

string_enum! {
    /// Kind of sampler.
    pub closed enum OtelSamplerType {
        AlwaysOn = "AlwaysOn",
        AlwaysOff = "AlwaysOff",
        TraceIdRatio = "TraceIdRatio",
        ParentBasedAlwaysOn = "ParentBasedAlwaysOn",
        ParentBasedAlwaysOff = "ParentBasedAlwaysOff",
        ParentBasedTraceIdRatio = "ParentBasedTraceIdRatio",
    }
}

/// What is traced of the requests of a route.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tracing {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling_fraction: Option<Fraction>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_sampling_fraction: Option<Fraction>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall_sampling_fraction: Option<Fraction>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub custom_tags: BTreeMap<String, CustomTag>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span_name: Option<TracingSpanName>,
}
