//! What a fleet's configuration says of addresses and statistics, in the words of the bootstrap's options.

use std::collections::BTreeSet;

use super::options::{Compression, IpFamily, MetricSink, MetricSinkTls, StatsMatcher};
use crate::api::compression::CompressorType;
use crate::api::envoy_proxy::{EnvoyProxySpec, IpFamily as ApiIpFamily};
use crate::api::http_route_rule_filter::HttpHeader;
use crate::api::proxy_metrics::{ProxyMetrics, ProxyOpenTelemetrySink, ProxyPrometheusProvider};
use crate::api::string_match::StringMatchType;
use crate::ir::infra::{ProxyInfra, ResolvedMetricSink};
use crate::ir::tls::TlsUpstreamConfig;

/// The family of addresses its Envoys listen on for their own purposes.
#[must_use]
pub fn ip_family(spec: &EnvoyProxySpec) -> IpFamily {
    match spec.ip_family {
        Some(ApiIpFamily::Ipv6) => IpFamily::V6,
        Some(ApiIpFamily::DualStack) => IpFamily::Dual,
        Some(ApiIpFamily::Ipv4) | None => IpFamily::V4,
    }
}

/// How the Prometheus page is compressed.
#[must_use]
pub fn compression(prometheus: &ProxyPrometheusProvider) -> Option<Compression> {
    Some(match prometheus.compression.as_ref()?.r#type {
        CompressorType::Gzip => Compression::Gzip,
        CompressorType::Brotli => Compression::Brotli,
        CompressorType::Zstd => Compression::Zstd,
    })
}

/// Which statistics are kept; all where nothing is said.
#[must_use]
pub fn stats_matcher(metrics: &ProxyMetrics) -> Option<StatsMatcher> {
    let mut matcher = StatsMatcher::default();
    for pattern in &metrics.matches {
        let list = match pattern.r#type {
            None | Some(StringMatchType::Exact) => &mut matcher.exact,
            Some(StringMatchType::Prefix) => &mut matcher.prefix,
            Some(StringMatchType::Suffix) => &mut matcher.suffix,
            Some(StringMatchType::RegularExpression) => &mut matcher.regex,
        };
        list.push(pattern.value.clone());
    }
    (!metrics.matches.is_empty()).then_some(matcher)
}

/// Collectors of its statistics: those that translation found endpoints for, or else as the configuration says them.
#[must_use]
pub fn sinks(proxy: &ProxyInfra) -> Vec<MetricSink> {
    let resolved: Vec<MetricSink> = proxy.resolved_metric_sinks.iter().filter_map(resolved_sink).collect();
    let metrics = proxy.config.as_ref().and_then(|config| config.spec.telemetry.as_ref()?.metrics.as_ref());
    match metrics {
        Some(metrics) if resolved.is_empty() => said_sinks(metrics),
        Some(_) => resolved,
        None => Vec::new(),
    }
}

/// Envoy adds statistics up before it sends them, so they go to the first endpoint alone.
fn resolved_sink(sink: &ResolvedMetricSink) -> Option<MetricSink> {
    let ResolvedMetricSink {
        destination,
        authority,
        headers,
        resource_attributes,
        report_counters_as_deltas,
        report_histograms_as_deltas,
    } = sink;
    let setting = destination.settings.first()?;
    let endpoint = setting.endpoints.first()?;
    Some(MetricSink {
        address: endpoint.host.clone(),
        port: endpoint.port,
        authority: (!authority.is_empty()).then(|| authority.clone()),
        report_counters_as_deltas: *report_counters_as_deltas,
        report_histograms_as_deltas: *report_histograms_as_deltas,
        headers: headers.iter().map(header).collect(),
        resource_attributes: resource_attributes.clone(),
        tls: setting.tls.as_deref().map(sink_tls),
    })
}

fn sink_tls(tls: &TlsUpstreamConfig) -> MetricSinkTls {
    let authority = tls.tls.ca_certificate.as_ref().map(|authority| authority.certificate.as_slice().to_vec());
    MetricSinkTls {
        sni: tls.sni.clone().filter(|name| !name.is_empty()),
        use_system_trust_store: tls.use_system_trust_store,
        ca_certificate: authority.filter(|certificate| !certificate.is_empty()),
    }
}

fn said_sinks(metrics: &ProxyMetrics) -> Vec<MetricSink> {
    let mut seen = BTreeSet::new();
    let said = metrics.sinks.iter().filter_map(|sink| sink.open_telemetry.as_ref()).filter_map(said_sink);
    said.filter(|sink| seen.insert((sink.address.clone(), sink.port))).collect()
}

fn said_sink(sink: &ProxyOpenTelemetrySink) -> Option<MetricSink> {
    let (address, port) = match sink.backend_refs.first() {
        Some(backend) => {
            let host = match backend.namespace.as_deref().filter(|namespace| !namespace.is_empty()) {
                Some(namespace) => format!("{}.{namespace}.svc", backend.name),
                None => backend.name.clone(),
            };
            (host, backend.port?)
        }
        None => (sink.host.clone()?, sink.port.unwrap_or(4317)),
    };
    Some(MetricSink {
        address,
        port: u32::try_from(port).ok()?,
        authority: None,
        report_counters_as_deltas: sink.report_counters_as_deltas == Some(true),
        report_histograms_as_deltas: sink.report_histograms_as_deltas == Some(true),
        headers: sink.headers.iter().map(header).collect(),
        resource_attributes: std::collections::BTreeMap::new(),
        tls: None,
    })
}

fn header(header: &HttpHeader) -> (String, String) {
    (header.name.clone(), header.value.clone())
}
