//! Tracing, of a whole listener and of single routes.

use std::collections::BTreeMap;

use super::access_log::envoy_grpc;
use super::cluster::{ClusterSource, Traffic};
use super::encode::pack;
use super::pb::core::TypedExtensionConfig;
use super::pb::extensions::tracers::opentelemetry::resource_detectors::v3::StaticConfigResourceDetectorConfig;
use super::pb::extensions::tracers::opentelemetry::samplers::v3::{
    AlwaysOnSamplerConfig, ParentBasedSamplerConfig, TraceIdRatioBasedSamplerConfig,
};
use super::pb::hcm::http_connection_manager::Tracing as ListenerTracing;
use super::pb::route::Tracing as RouteTracing;
use super::pb::trace::{
    DatadogConfig, OpenTelemetryConfig, ZipkinConfig, tracing, zipkin_config::CollectorEndpointVersion,
};
use super::pb::tracing::{CustomTag as EnvoyTag, custom_tag};
use super::pb::wkt;
use super::problem::Invalid;
use super::values::{boolean, extension, fraction, hundredths, percent};
use crate::api::fraction::Fraction;
use crate::api::tracing::{CustomTag, CustomTagType, OtelSampler, OtelSamplerType, TracingProviderType};
use crate::ir::{BackendTracing, CustomTagMapEntry, MapEntry, Metrics, ProxyHealthCheckLog, Tracing};

/// Tracing of a listener. Clients can't force it unless they are allowed to.
pub(super) fn listener_tracing(source: &Tracing) -> Result<ListenerTracing, Invalid> {
    let (name, config) = provider(source);
    let sampler = source.provider.open_telemetry.as_ref().and_then(|options| options.sampler.as_ref());
    Ok(ListenerTracing {
        client_sampling: Some(percent(source.client_sampling_rate.unwrap_or(0.0))),
        overall_sampling: Some(percent(source.overall_sampling_rate.unwrap_or(100.0))),
        // A sampler decides alone; Envoy would drop requests before it is asked.
        random_sampling: Some(percent(if sampler.is_some() { 100.0 } else { source.sampling_rate })),
        provider: Some(tracing::Http {
            name: name.to_owned(),
            config_type: Some(tracing::http::ConfigType::TypedConfig(config)),
        }),
        custom_tags: tags(&source.custom_tags, &source.tags)?,
        spawn_upstream_span: Some(boolean(true)),
        operation: source.span_name.as_ref().map(|name| name.client.clone()).unwrap_or_default(),
        upstream_operation: source.span_name.as_ref().map(|name| name.server.clone()).unwrap_or_default(),
        ..ListenerTracing::default()
    })
}

/// Tracing of a route, instead of its listener's.
pub(super) fn route_tracing(source: &BackendTracing) -> Result<RouteTracing, Invalid> {
    let BackendTracing {
        sampling_fraction,
        client_sampling_fraction,
        overall_sampling_fraction,
        custom_tags,
        tags: plain_tags,
        span_name,
    } = source;
    Ok(RouteTracing {
        client_sampling: Some(client_sampling_fraction.as_ref().map_or_else(|| hundredths(0), fraction)),
        random_sampling: sampling_fraction.as_ref().map(fraction),
        overall_sampling: overall_sampling_fraction.as_ref().map(fraction),
        custom_tags: tags(custom_tags, plain_tags)?,
        operation: span_name.as_ref().map(|name| name.client.clone()).unwrap_or_default(),
        upstream_operation: span_name.as_ref().map(|name| name.server.clone()).unwrap_or_default(),
    })
}

/// The cluster of the collector.
pub(super) fn collector_cluster<'a>(
    source: &'a Tracing,
    metrics: Option<&'a Metrics>,
    health_check_log: Option<&'a ProxyHealthCheckLog>,
) -> ClusterSource<'a> {
    ClusterSource {
        traffic: Traffic::of(source.traffic.as_ref().map(|traffic| &traffic.cluster)),
        metrics,
        health_check_log,
        ..ClusterSource::of(&source.destination)
    }
}

/// The tracer's name, with the spelling Envoy has for each, and its options.
fn provider(source: &Tracing) -> (&'static str, wkt::Any) {
    let cluster = source.destination.name.to_string();
    match source.provider.r#type {
        TracingProviderType::Datadog => (
            "envoy.tracers.datadog",
            pack(&DatadogConfig {
                service_name: source.service_name.clone(),
                collector_cluster: cluster,
                ..DatadogConfig::default()
            }),
        ),
        TracingProviderType::OpenTelemetry => {
            let sampler = source.provider.open_telemetry.as_ref().and_then(|options| options.sampler.as_ref());
            (
                "envoy.tracers.opentelemetry",
                pack(&OpenTelemetryConfig {
                    grpc_service: Some(envoy_grpc(&cluster, &source.authority, &source.headers)),
                    service_name: source.service_name.clone(),
                    resource_detectors: resource_detectors(&source.resource_attributes),
                    sampler: sampler.map(sampler_of),
                    ..OpenTelemetryConfig::default()
                }),
            )
        }
        TracingProviderType::Zipkin => {
            let options = source.provider.zipkin.as_ref();
            let shares = !options.and_then(|options| options.disable_shared_span_context).unwrap_or_default();
            (
                "envoy.traces.zipkin",
                pack(&ZipkinConfig {
                    collector_cluster: cluster,
                    collector_endpoint: "/api/v2/spans".to_owned(),
                    trace_id_128bit: options.and_then(|options| options.enable128_bit_trace_id).unwrap_or_default(),
                    shared_span_context: Some(boolean(shares)),
                    collector_endpoint_version: CollectorEndpointVersion::HttpJson.into(),
                    ..ZipkinConfig::default()
                }),
            )
        }
    }
}

fn resource_detectors(attributes: &[MapEntry]) -> Vec<TypedExtensionConfig> {
    if attributes.is_empty() {
        return Vec::new();
    }
    vec![extension(
        "envoy.tracers.opentelemetry.resource_detectors.static_config",
        &StaticConfigResourceDetectorConfig {
            attributes: attributes.iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect(),
        },
    )]
}

fn sampler_of(source: &OtelSampler) -> TypedExtensionConfig {
    let never = Fraction { numerator: 0, denominator: None };
    let ratio = source.sampling_percentage.as_ref();
    match source.r#type {
        OtelSamplerType::AlwaysOn => always_on(),
        OtelSamplerType::AlwaysOff => by_ratio(Some(&never)),
        OtelSamplerType::TraceIdRatio => by_ratio(ratio),
        OtelSamplerType::ParentBasedAlwaysOn => by_parent(always_on()),
        OtelSamplerType::ParentBasedAlwaysOff => by_parent(by_ratio(Some(&never))),
        OtelSamplerType::ParentBasedTraceIdRatio => by_parent(by_ratio(ratio)),
    }
}

fn always_on() -> TypedExtensionConfig {
    extension("envoy.tracers.opentelemetry.samplers.always_on", &AlwaysOnSamplerConfig {})
}

fn by_ratio(ratio: Option<&Fraction>) -> TypedExtensionConfig {
    extension(
        "envoy.tracers.opentelemetry.samplers.trace_id_ratio_based",
        &TraceIdRatioBasedSamplerConfig { sampling_percentage: Some(ratio.map_or_else(|| hundredths(100), fraction)) },
    )
}

fn by_parent(wrapped: TypedExtensionConfig) -> TypedExtensionConfig {
    extension(
        "envoy.tracers.opentelemetry.samplers.parent_based",
        &ParentBasedSamplerConfig { wrapped_sampler: Some(wrapped) },
    )
}

/// Tags by name; a format string replaces a custom tag of the same name.
fn tags(custom: &[CustomTagMapEntry], plain: &[MapEntry]) -> Result<Vec<EnvoyTag>, Invalid> {
    let mut found = BTreeMap::new();
    for entry in custom {
        found.insert(entry.key.as_str(), custom_tag_of(&entry.key, &entry.value)?);
    }
    for entry in plain {
        found.insert(entry.key.as_str(), custom_tag::Type::Value(entry.value.clone()));
    }
    Ok(found.into_iter().map(|(tag, kind)| EnvoyTag { tag: tag.to_owned(), r#type: Some(kind) }).collect())
}

fn custom_tag_of(name: &str, source: &CustomTag) -> Result<custom_tag::Type, Invalid> {
    let CustomTag { r#type, literal, environment, request_header } = source;
    let missing =
        || Invalid::new("tracing", format!("the tag {name} is of type {} but doesn't say which", r#type.as_str()));
    Ok(match r#type {
        CustomTagType::Literal => custom_tag::Type::Literal(custom_tag::Literal {
            value: literal.as_ref().ok_or_else(missing)?.value.clone(),
        }),
        CustomTagType::Environment => {
            let environment = environment.as_ref().ok_or_else(missing)?;
            custom_tag::Type::Environment(custom_tag::Environment {
                name: environment.name.clone(),
                default_value: environment.default_value.clone().unwrap_or_default(),
            })
        }
        CustomTagType::RequestHeader => {
            let header = request_header.as_ref().ok_or_else(missing)?;
            custom_tag::Type::RequestHeader(custom_tag::Header {
                name: header.name.clone(),
                default_value: header.default_value.clone().unwrap_or_default(),
            })
        }
    })
}
