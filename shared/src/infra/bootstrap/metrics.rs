//! The parts of a bootstrap that are about statistics: which are kept, and where they go.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::options::{IpFamily, MetricSink, MetricSinkTls, Prometheus, StatsMatcher};
use super::{Document, http2, socket_address};

/// Where a proxy container finds the system's certificate authorities.
const SYSTEM_CA_PATH: &str = "/etc/ssl/certs/ca-certificates.crt";

pub(super) fn stats_config(matcher: Option<&StatsMatcher>) -> Value {
    let mut config = Document::default();
    config.set("use_all_default_tags", json!(true));
    config.set(
        "stats_tags",
        json!([
            { "regex": r"\.zone(\.(([^\.]+)\.))", "tag_name": "from_zone" },
            { "regex": r"\.zone\.[^\.]+\.(([^\.]+)\.)", "tag_name": "to_zone" },
            { "regex": r"^cluster(\..+\.(.+))\.total_match_count$", "tag_name": "socket_match_name" },
            { "regex": r"circuit_breakers\.((.+?)\.).+", "tag_name": "priority" },
        ]),
    );
    if let Some(StatsMatcher { exact, prefix, suffix, regex }) = matcher {
        let patterns: Vec<Value> = exact
            .iter()
            .map(|value| json!({ "exact": value }))
            .chain(prefix.iter().map(|value| json!({ "prefix": value })))
            .chain(suffix.iter().map(|value| json!({ "suffix": value })))
            .chain(regex.iter().map(|value| json!({ "safe_regex": { "google_re2": {}, "regex": value } })))
            .collect();
        config.set("stats_matcher", json!({ "inclusion_list": { "patterns": patterns } }));
    }
    config.into()
}

pub(super) fn prometheus_listener(prometheus: &Prometheus, family: IpFamily) -> Value {
    let Prometheus { port, compression } = prometheus;
    let address = if family == IpFamily::V4 { "0.0.0.0" } else { "::" };
    let mut socket = json!({ "address": address, "port_value": port, "protocol": "TCP" });
    if let (IpFamily::Dual | IpFamily::V6, Some(fields)) = (family, socket.as_object_mut()) {
        fields.insert("ipv4_compat".to_owned(), json!(true));
    }

    let mut route = Document::default();
    route.set(
        "match",
        json!({
            "path": "/stats/prometheus",
            "headers": [{ "name": ":method", "string_match": { "exact": "GET" } }],
        }),
    );
    route.set("route", json!({ "cluster": "prometheus_stats" }));
    let mut host = Document::default();
    host.set("name", json!("prometheus_stats"));
    host.set("domains", json!(["*"]));
    let mut filters = Vec::new();
    if let Some(compression) = compression {
        let per_route = "type.googleapis.com/envoy.extensions.filters.http.compressor.v3.CompressorPerRoute";
        host.set(
            "typed_per_filter_config",
            json!({ "envoy.filters.http.compression": { "@type": per_route, "disabled": true } }),
        );
        route.set(
            "typed_per_filter_config",
            json!({ "envoy.filters.http.compression": {
                "@type": per_route,
                "overrides": { "response_direction_config": null },
            } }),
        );
        filters.push(json!({
            "name": "envoy.filters.http.compressor",
            "typed_config": {
                "@type": "type.googleapis.com/envoy.extensions.filters.http.compressor.v3.Compressor",
                "compressor_library": {
                    "name": "text_optimized",
                    "typed_config": { "@type": compression.type_url() },
                },
            },
        }));
    }
    host.set("routes", json!([Value::from(route)]));
    filters.push(json!({
        "name": "envoy.filters.http.router",
        "typed_config": { "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router" },
    }));
    json!({
        "name": format!("envoy-gateway-proxy-stats-{address}-{port}"),
        "address": { "socket_address": socket },
        "bypass_overload_manager": true,
        "filter_chains": [{ "filters": [{
            "name": "envoy.filters.network.http_connection_manager",
            "typed_config": {
                "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
                "stat_prefix": "eg-stats-http",
                "normalize_path": true,
                "route_config": { "name": "local_route", "virtual_hosts": [Value::from(host)] },
                "http_filters": filters,
            },
        }] }],
    })
}

pub(super) fn prometheus_cluster(admin_address: &str, admin_port: u16) -> Value {
    json!({
        "name": "prometheus_stats",
        "connect_timeout": "0.250s",
        "type": "STATIC",
        "lb_policy": "ROUND_ROBIN",
        "load_assignment": load_assignment("prometheus_stats", admin_address, u32::from(admin_port)),
    })
}

fn load_assignment(cluster: &str, address: &str, port: u32) -> Value {
    json!({
        "cluster_name": cluster,
        "endpoints": [{ "lb_endpoints": [{ "endpoint": { "address": socket_address(address, port) } }] }],
    })
}

fn sink_name(index: usize) -> String {
    format!("otel_metric_sink_{index}")
}

pub(super) fn stats_sink(index: usize, sink: &MetricSink) -> Value {
    let MetricSink {
        address: _,
        port: _,
        authority,
        report_counters_as_deltas,
        report_histograms_as_deltas,
        headers,
        resource_attributes,
        tls: _,
    } = sink;
    let mut grpc = Document::default();
    grpc.set("cluster_name", json!(sink_name(index)));
    grpc.set_some("authority", authority.as_ref().map(|authority| json!(authority)));
    let mut service = Document::default();
    service.set("envoy_grpc", grpc.into());
    if !headers.is_empty() {
        let metadata: Vec<Value> = headers.iter().map(|(name, value)| json!({ "key": name, "value": value })).collect();
        service.set("initial_metadata", Value::Array(metadata));
    }
    let mut config = Document::default();
    config.set("@type", json!("type.googleapis.com/envoy.extensions.stat_sinks.open_telemetry.v3.SinkConfig"));
    config.set("grpc_service", service.into());
    if *report_counters_as_deltas {
        config.set("report_counters_as_deltas", json!(true));
    }
    if *report_histograms_as_deltas {
        config.set("report_histograms_as_deltas", json!(true));
    }
    if !resource_attributes.is_empty() {
        config.set(
            "resource_detectors",
            json!([{
                "name": "envoy.tracers.opentelemetry.resource_detectors.static_config",
                "typed_config": {
                    "@type": "type.googleapis.com/envoy.extensions.tracers.opentelemetry.resource_detectors.v3.StaticConfigResourceDetectorConfig",
                    "attributes": resource_attributes,
                },
            }]),
        );
    }
    json!({ "name": "envoy.stat_sinks.open_telemetry", "typed_config": Value::from(config) })
}

pub(super) fn sink_cluster(index: usize, sink: &MetricSink) -> Value {
    let name = sink_name(index);
    let mut cluster = Document::default();
    cluster.set("name", json!(name));
    cluster.set("connect_timeout", json!("0.250s"));
    cluster.set("type", json!("STRICT_DNS"));
    cluster.set("typed_extension_protocol_options", http2(json!({}), None));
    cluster.set("lb_policy", json!("ROUND_ROBIN"));
    cluster.set("load_assignment", load_assignment(&name, &sink.address, sink.port));
    if let Some(MetricSinkTls { sni, use_system_trust_store, ca_certificate }) = &sink.tls {
        let mut context = Document::default();
        context.set("@type", json!("type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"));
        context.set_some("sni", sni.as_ref().map(|sni| json!(sni)));
        let trusted = match ca_certificate {
            Some(certificate) => Some(json!({ "inline_bytes": STANDARD.encode(certificate) })),
            None => use_system_trust_store.then(|| json!({ "filename": SYSTEM_CA_PATH })),
        };
        context.set_some(
            "common_tls_context",
            trusted.map(|trusted| json!({ "validation_context": { "trusted_ca": trusted } })),
        );
        cluster.set(
            "transport_socket",
            json!({ "name": "envoy.transport_sockets.tls", "typed_config": Value::from(context) }),
        );
    }
    cluster.into()
}
