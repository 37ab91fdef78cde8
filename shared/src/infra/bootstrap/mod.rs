//! The configuration an Envoy starts with, before it has spoken to the xDS server.
//!
//! It is built as one JSON document, in one place, from [`Options`]; the values are those of Envoy Gateway 1.9.

pub mod customize;
mod merge;
mod metrics;
mod options;
pub mod telemetry;

use serde_json::{Value, json};

use self::metrics::{prometheus_cluster, prometheus_listener, sink_cluster, stats_config, stats_sink};
pub use self::options::{
    Compression, IpFamily, MetricSink, MetricSinkTls, Options, Prometheus, StatsMatcher, XdsTransport,
};

/// The port of the Envoy admin interface inside a proxy container.
pub const ADMIN_PORT: u16 = 19000;
/// The port a proxy container serves Prometheus statistics on.
pub const STATS_PORT: u16 = 19001;
/// The port a proxy container answers readiness probes on.
pub const READY_PORT: u16 = 19003;
/// The path readiness probes ask for.
pub const READY_PATH: &str = "/ready";
/// The port of the xDS server.
pub const XDS_PORT: u16 = 18000;
/// The bootstrap document for these options, in the JSON form of `envoy.config.bootstrap.v3.Bootstrap`.
#[must_use]
pub fn bootstrap(options: &Options) -> Value {
    let Options {
        xds_host,
        xds_port,
        transport,
        admin_port,
        ip_family,
        prometheus,
        sinks,
        stats_matcher,
        local_cluster,
        zone,
        max_heap_bytes,
    } = options;
    let admin_address = if *ip_family == IpFamily::V6 { "::1" } else { "127.0.0.1" };

    let mut document = Document::default();
    document.set("admin", admin(admin_address, *admin_port));
    document.set_some("cluster_manager", local_cluster.as_ref().map(|name| json!({ "local_cluster_name": name })));
    document.set_some("node", zone.as_ref().map(|zone| json!({ "locality": { "zone": zone } })));
    document.set("deferredStatOptions", json!({ "enableDeferredCreationStats": true }));
    document.set("stats_config", stats_config(stats_matcher.as_ref()));
    document.set("layered_runtime", layered_runtime());
    document.set("dynamic_resources", dynamic_resources());
    if !sinks.is_empty() {
        document.set("stats_sinks", sinks.iter().enumerate().map(|(index, sink)| stats_sink(index, sink)).collect());
    }

    let mut statics = Document::default();
    statics.set_some(
        "listeners",
        prometheus.as_ref().map(|prometheus| json!([prometheus_listener(prometheus, *ip_family)])),
    );
    let mut clusters = Vec::new();
    if prometheus.is_some() {
        clusters.push(prometheus_cluster(admin_address, *admin_port));
    }
    clusters.extend(sinks.iter().enumerate().map(|(index, sink)| sink_cluster(index, sink)));
    clusters.extend(local_cluster.as_deref().map(local_cluster_of));
    clusters.push(xds_cluster(xds_host, *xds_port, transport));
    statics.set("clusters", Value::Array(clusters));
    document.set("static_resources", statics.into());

    document.set("overload_manager", overload_manager(*max_heap_bytes));
    document.into()
}

/// The bootstrap document as YAML text, as it stands in `--config-yaml`.
#[must_use]
pub fn to_yaml(document: &Value) -> String {
    // A JSON document always has a YAML form; JSON itself is YAML, should the emitter refuse one.
    serde_yaml::to_string(document).unwrap_or_else(|_| document.to_string())
}

/// A JSON object under construction, in the order of its fields.
#[derive(Default)]
struct Document(serde_json::Map<String, Value>);

impl Document {
    fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    fn set_some(&mut self, name: &str, value: Option<Value>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }
}

impl From<Document> for Value {
    fn from(document: Document) -> Self {
        Self::Object(document.0)
    }
}

fn admin(address: &str, port: u16) -> Value {
    json!({
        "access_log": [{
            "name": "envoy.access_loggers.file",
            "typed_config": {
                "@type": "type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog",
                "path": "/dev/null",
            },
        }],
        "address": socket_address(address, u32::from(port)),
    })
}

fn socket_address(address: &str, port: u32) -> Value {
    json!({ "socket_address": { "address": address, "port_value": port } })
}

fn layered_runtime() -> Value {
    json!({ "layers": [{
        "name": "global_config",
        "static_layer": {
            "re2.max_program_size.error_level": 4_294_967_295_u32,
            "re2.max_program_size.warn_level": 1000,
        },
    }] })
}

fn dynamic_resources() -> Value {
    let over_ads = json!({ "ads": {}, "initial_fetch_timeout": "0s", "resource_api_version": "V3" });
    json!({
        "ads_config": {
            "api_type": "DELTA_GRPC",
            "transport_api_version": "V3",
            "grpc_services": [{ "envoy_grpc": { "cluster_name": "xds_cluster" } }],
            "set_node_on_first_message_only": true,
        },
        "lds_config": over_ads,
        "cds_config": over_ads,
    })
}

fn local_cluster_of(name: &str) -> Value {
    json!({
        "connect_timeout": "10s",
        "eds_cluster_config": {
            "eds_config": { "ads": {}, "resource_api_version": "V3" },
            "service_name": name,
        },
        "load_balancing_policy": { "policies": [{ "typed_extension_config": {
            "name": "envoy.load_balancing_policies.least_request",
            "typed_config": {
                "@type": "type.googleapis.com/envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest",
                "locality_lb_config": { "zone_aware_lb_config": { "min_cluster_size": "1" } },
            },
        } }] },
        "name": name,
        "type": "EDS",
    })
}

/// Protocol options of a cluster that is spoken to in HTTP/2.
fn http2(options: Value, filters: Option<Value>) -> Value {
    let mut protocol = Document::default();
    protocol.set("@type", json!("type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions"));
    protocol.set("explicit_http_config", json!({ "http2_protocol_options": options }));
    protocol.set_some("http_filters", filters);
    json!({ "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": Value::from(protocol) })
}

fn sds_from_file(name: &str, path: &str) -> Value {
    json!({
        "name": name,
        "sds_config": { "path_config_source": { "path": path }, "resource_api_version": "V3" },
    })
}

fn xds_cluster(host: &str, port: u16, transport: &XdsTransport) -> Value {
    let keepalive = json!({ "connection_keepalive": { "interval": "30s", "timeout": "5s" } });
    let mut tls = Document::default();
    tls.set("tls_params", json!({ "tls_maximum_protocol_version": "TLSv1_3" }));
    let mut filters = None;
    let encrypted = match transport {
        XdsTransport::Plaintext => false,
        XdsTransport::MutualTls { certificate_path, trusted_ca_path } => {
            tls.set("tls_certificate_sds_secret_configs", json!([sds_from_file("xds_certificate", certificate_path)]));
            tls.set("validation_context_sds_secret_config", sds_from_file("xds_trusted_ca", trusted_ca_path));
            true
        }
        XdsTransport::ServiceAccountToken { trusted_ca_path, token_path } => {
            tls.set("validation_context_sds_secret_config", sds_from_file("xds_trusted_ca", trusted_ca_path));
            filters = Some(token_filters(token_path));
            true
        }
    };
    let mut cluster = Document::default();
    cluster.set("connect_timeout", json!("10s"));
    cluster.set(
        "load_assignment",
        json!({
            "cluster_name": "xds_cluster",
            "endpoints": [{
                "load_balancing_weight": 1,
                "lb_endpoints": [{
                    "load_balancing_weight": 1,
                    "endpoint": { "address": socket_address(host, u32::from(port)) },
                }],
            }],
        }),
    );
    cluster.set("typed_extension_protocol_options", http2(keepalive, filters));
    cluster.set("name", json!("xds_cluster"));
    cluster.set("type", json!("STRICT_DNS"));
    if encrypted {
        cluster.set(
            "transport_socket",
            json!({
                "name": "envoy.transport_sockets.tls",
                "typed_config": {
                    "@type": "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
                    "common_tls_context": Value::from(tls),
                },
            }),
        );
    }
    cluster.into()
}

fn token_filters(token_path: &str) -> Value {
    json!([
        {
            "name": "envoy.filters.http.credential_injector",
            "typed_config": {
                "@type": "type.googleapis.com/envoy.extensions.filters.http.credential_injector.v3.CredentialInjector",
                "credential": {
                    "name": "envoy.http.injected_credentials.generic",
                    "typed_config": {
                        "@type": "type.googleapis.com/envoy.extensions.http.injected_credentials.generic.v3.Generic",
                        "credential": sds_from_file("jwt-sa-bearer", token_path),
                    },
                },
                "overwrite": true,
            },
        },
        {
            "name": "envoy.extensions.filters.http.upstream_codec.v3.UpstreamCodec",
            "typed_config": {
                "@type": "type.googleapis.com/envoy.extensions.filters.http.upstream_codec.v3.UpstreamCodec",
            },
        },
    ])
}

fn overload_manager(max_heap_bytes: Option<u64>) -> Value {
    let mut monitors = vec![json!({
        "name": "envoy.resource_monitors.global_downstream_max_connections",
        "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig",
            "max_active_downstream_connections": 50000,
        },
    })];
    let mut manager = Document::default();
    manager.set("refresh_interval", json!("0.25s"));
    let mut actions = None;
    if let Some(bytes) = max_heap_bytes {
        monitors.push(json!({
            "name": "envoy.resource_monitors.fixed_heap",
            "typed_config": {
                "@type": "type.googleapis.com/envoy.extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig",
                "max_heap_size_bytes": bytes,
            },
        }));
        actions = Some(json!([heap_action("shrink_heap", 0.95), heap_action("stop_accepting_requests", 0.98)]));
    }
    manager.set("resource_monitors", Value::Array(monitors));
    manager.set_some("actions", actions);
    manager.into()
}

fn heap_action(action: &str, threshold: f64) -> Value {
    json!({
        "name": format!("envoy.overload_actions.{action}"),
        "triggers": [{ "name": "envoy.resource_monitors.fixed_heap", "threshold": { "value": threshold } }],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at<'a>(document: &'a Value, pointer: &str) -> &'a Value {
        document.pointer(pointer).unwrap_or(&Value::Null)
    }

    #[test]
    fn on_this_host_nothing_is_encrypted_and_nothing_has_a_fixed_port() {
        let document = bootstrap(&Options::on_this_host("127.0.0.1", 18000));
        assert_eq!(at(&document, "/admin/address/socket_address/port_value"), &json!(0));
        assert_eq!(at(&document, "/static_resources/listeners"), &Value::Null);
        assert_eq!(at(&document, "/static_resources/clusters/0/name"), &json!("xds_cluster"));
        assert_eq!(at(&document, "/static_resources/clusters/0/transport_socket"), &Value::Null);
        assert_eq!(at(&document, "/cluster_manager"), &Value::Null);
    }

    #[test]
    fn a_container_speaks_mutual_tls_and_knows_its_fleet() {
        let document = bootstrap(&Options::in_container("envoy-gateway", "default/eg"));
        assert_eq!(at(&document, "/cluster_manager/local_cluster_name"), &json!("default/eg"));
        let names: Vec<&Value> = at(&document, "/static_resources/clusters")
            .as_array()
            .into_iter()
            .flatten()
            .map(|cluster| at(cluster, "/name"))
            .collect();
        assert_eq!(names, ["prometheus_stats", "default/eg", "xds_cluster"]);
        assert_eq!(
            at(
                &document,
                "/static_resources/clusters/2/transport_socket/typed_config/common_tls_context/tls_certificate_sds_secret_configs/0/sds_config/path_config_source/path"
            ),
            &json!("/sds/xds-certificate.json")
        );
    }

    #[test]
    fn yaml_is_the_same_document() {
        let document = bootstrap(&Options::in_container("envoy-gateway", "default/eg"));
        let back: Value = serde_yaml::from_str(&to_yaml(&document)).unwrap_or_default();
        assert_eq!(back, document);
    }
}
