//! Which statistics the proxies keep, and the collectors they are sent to.

use std::collections::BTreeSet;

use super::collector::{Collectors, Host};
use crate::api::proxy_metrics::ProxyMetrics;
use crate::diagnostic::Diagnostic;
use crate::ir::infra::ResolvedMetricSink;
use crate::ir::metrics::Metrics;

/// Which statistics are kept.
pub(super) fn translate(metrics: &ProxyMetrics) -> Metrics {
    Metrics {
        enable_virtual_host_stats: metrics.enable_virtual_host_stats == Some(true),
        enable_per_endpoint_stats: metrics.enable_per_endpoint_stats == Some(true),
        enable_request_response_sizes_stats: metrics.enable_request_response_sizes_stats == Some(true),
    }
}

/// The collectors; of several at one address the first.
pub(super) fn sinks(
    collectors: &Collectors<'_, '_>,
    metrics: &ProxyMetrics,
) -> Result<Vec<ResolvedMetricSink>, Diagnostic> {
    let mut sinks = Vec::new();
    let mut seen = BTreeSet::new();
    for (index, sink) in metrics.sinks.iter().enumerate() {
        let Some(sink) = &sink.open_telemetry else { continue };
        let inside = |fault: Diagnostic| fault.within("openTelemetry").within_item("sinks", index).within("metrics");
        let name = format!("metrics_otel_{index}");
        let collector =
            collectors.collector(&name, &sink.backend_refs, sink.backend_settings.as_ref()).map_err(inside)?;
        let collector = match &sink.host {
            Some(host) => collector.over_grpc().or_host(Host { name: host, port: sink.port.unwrap_or(4317) }),
            None => collector.over_grpc(),
        };
        let address = collector.destination.settings.first().and_then(|setting| setting.endpoints.first());
        let Some(address) = address.map(|endpoint| (endpoint.host.clone(), endpoint.port)) else { continue };
        if seen.insert(address) {
            sinks.push(ResolvedMetricSink {
                authority: collector.authority,
                destination: collector.destination,
                headers: sink.headers.clone(),
                resource_attributes: sink.resource_attributes.clone(),
                report_counters_as_deltas: sink.report_counters_as_deltas == Some(true),
                report_histograms_as_deltas: sink.report_histograms_as_deltas == Some(true),
            });
        }
    }
    Ok(sinks)
}
