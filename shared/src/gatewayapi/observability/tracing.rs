//! Tracing: the collector of spans, how many requests are traced, and what is said of each.

use super::collector::{Collectors, Host, entries};
use crate::api::fraction::Fraction;
use crate::api::gateway::Gateway;
use crate::api::metadata::Object;
use crate::api::tracing::{ProxyTracing, TracingProviderType};
use crate::diagnostic::Diagnostic;
use crate::ir::map_entry::CustomTagMapEntry;
use crate::ir::tracing::Tracing;

/// The name spans go by when the provider doesn't say one.
pub(super) fn service_name(gateway: &Gateway, merged: bool) -> String {
    if merged {
        return gateway.spec.gateway_class_name.clone();
    }
    let key = gateway.key();
    format!("{}.{}", key.name, key.namespace)
}

/// Reads the settings.
pub(super) fn translate(
    collectors: &Collectors<'_, '_>,
    tracing: &ProxyTracing,
    service_name: String,
) -> Result<Tracing, Diagnostic> {
    let provider = &tracing.provider;
    let collector = collectors
        .collector("tracing", &provider.backend_refs, provider.backend_settings.as_ref())
        .map_err(|fault| fault.within("provider").within("tracing"))?;
    let collector = match provider.r#type {
        TracingProviderType::OpenTelemetry => collector.over_grpc(),
        TracingProviderType::Zipkin | TracingProviderType::Datadog => collector,
    };
    let host = provider.host.as_deref().map(|name| Host { name, port: provider.port.unwrap_or(4317) });
    let collector = collector.or_host(host.unwrap_or(Host { name: "", port: 0 }));
    let otel = provider.open_telemetry.as_ref();
    Ok(Tracing {
        service_name: provider.service_name.clone().unwrap_or(service_name),
        authority: collector.authority,
        sampling_rate: match (tracing.sampling_rate, &tracing.sampling_fraction) {
            (Some(rate), _) => f64::from(rate),
            (None, Some(fraction)) => percent(fraction),
            (None, None) => 100.0,
        },
        client_sampling_rate: tracing.client_sampling_fraction.as_ref().map(percent),
        overall_sampling_rate: tracing.overall_sampling_fraction.as_ref().map(percent),
        custom_tags: tracing
            .custom_tags
            .iter()
            .map(|(key, value)| CustomTagMapEntry { key: key.clone(), value: value.clone() })
            .collect(),
        tags: entries(&tracing.tags),
        resource_attributes: otel.map(|otel| entries(&otel.resource_attributes)).unwrap_or_default(),
        destination: collector.destination,
        traffic: collector.traffic,
        provider: provider.clone(),
        headers: otel.map(|otel| otel.headers.clone()).unwrap_or_default(),
        span_name: tracing.span_name.clone(),
    })
}

/// A fraction in percent, between 0 and 100.
fn percent(fraction: &Fraction) -> f64 {
    let denominator = f64::from(fraction.denominator.unwrap_or(100));
    (f64::from(fraction.numerator) * 100.0 / denominator).clamp(0.0, 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_of_a_hundred_unless_they_say_of_what() {
        let percent = |numerator, denominator| percent(&Fraction { numerator, denominator });
        assert_eq!(percent(5, None), 5.0);
        assert_eq!(percent(1, Some(1000)), 0.1);
        assert_eq!(percent(300, None), 100.0);
    }
}
