//! Access logs: of listeners, routes and upstreams, to files and services.

use super::cluster::{ClusterSource, Traffic};
use super::encode::pack;
use super::pb::accesslog::{AccessLog as EnvoyLog, AccessLogFilter, AndFilter, ExtensionFilter, ResponseFlagFilter};
use super::pb::accesslog::{access_log, access_log_filter::FilterSpecifier, extension_filter};
use super::pb::core::{
    ApiVersion, DataSource, GrpcService, HeaderValue, SubstitutionFormatString, TypedExtensionConfig, data_source,
    grpc_service, substitution_format_string::Format,
};
use super::pb::extensions::access_loggers::file::v3::{FileAccessLog, file_access_log};
use super::pb::extensions::access_loggers::filters::cel::v3::ExpressionFilter;
use super::pb::extensions::access_loggers::grpc::v3::{
    CommonGrpcAccessLogConfig, HttpGrpcAccessLogConfig, TcpGrpcAccessLogConfig,
};
use super::pb::extensions::access_loggers::open_telemetry::v3::OpenTelemetryAccessLogConfig;
use super::pb::extensions::formatter::req_without_query::v3::ReqWithoutQuery;
use super::pb::{otlp, wkt};
use super::problem::Invalid;
use super::values::{extension, structure, text};
use crate::api::access_log::{AlsEnvoyProxyAccessLogType, ProxyAccessLogType};
use crate::api::http_route_rule_filter::HttpHeader;
use crate::ir::{
    AccessLog, AlsAccessLog, JsonAccessLog, MapEntry, Metrics, OpenTelemetryAccessLog, ProxyHealthCheckLog,
    TextAccessLog, TrafficFeatures,
};

/// The format of JSON logs and OpenTelemetry attributes unless told otherwise, by name.
const DEFAULT_FIELDS: [(&str, &str); 24] = [
    (":authority", "%REQ(:AUTHORITY)%"),
    ("bytes_received", "%BYTES_RECEIVED%"),
    ("bytes_sent", "%BYTES_SENT%"),
    ("connection_termination_details", "%CONNECTION_TERMINATION_DETAILS%"),
    ("downstream_local_address", "%DOWNSTREAM_LOCAL_ADDRESS%"),
    ("downstream_remote_address", "%DOWNSTREAM_REMOTE_ADDRESS%"),
    ("duration", "%DURATION%"),
    ("method", "%REQ(:METHOD)%"),
    ("protocol", "%PROTOCOL%"),
    ("requested_server_name", "%REQUESTED_SERVER_NAME%"),
    ("response_code", "%RESPONSE_CODE%"),
    ("response_code_details", "%RESPONSE_CODE_DETAILS%"),
    ("response_flags", "%RESPONSE_FLAGS%"),
    ("route_name", "%ROUTE_NAME%"),
    ("start_time", "%START_TIME%"),
    ("upstream_cluster", "%UPSTREAM_CLUSTER%"),
    ("upstream_host", "%UPSTREAM_HOST%"),
    ("upstream_local_address", "%UPSTREAM_LOCAL_ADDRESS%"),
    ("upstream_transport_failure_reason", "%UPSTREAM_TRANSPORT_FAILURE_REASON%"),
    ("user-agent", "%REQ(USER-AGENT)%"),
    ("x-envoy-origin-path", "%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%"),
    ("x-envoy-upstream-service-time", "%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)%"),
    ("x-forwarded-for", "%REQ(X-FORWARDED-FOR)%"),
    ("x-request-id", "%REQ(X-REQUEST-ID)%"),
];

/// Who writes a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The listener, for connections that met no route.
    Listener,
    /// The connection manager or TCP proxy.
    Route,
    /// The router, for each attempt.
    Upstream,
}

/// The logs that `place` writes.
pub(super) fn access_logs(source: Option<&AccessLog>, place: Place) -> Result<Vec<EnvoyLog>, Invalid> {
    let Some(AccessLog { text, json, als, open_telemetry }) = source else { return Ok(Vec::new()) };
    let mut logs = Vec::new();
    for log in text {
        let TextAccessLog { cel_matches, format, path, log_type } = log;
        if written_at(*log_type, place) {
            let Some(format) = format else {
                return Err(Invalid::new("accessLog", "a text log has no format; give it one"));
            };
            logs.push(log_of("envoy.access_loggers.file", text_file(path, format)?, cel_matches, *log_type, place));
        }
    }
    for log in json {
        let JsonAccessLog { cel_matches, json, path, log_type } = log;
        if written_at(*log_type, place) {
            logs.push(log_of("envoy.access_loggers.file", json_file(path, json)?, cel_matches, *log_type, place));
        }
    }
    for log in als {
        if written_at(log.log_type, place) {
            let (name, config) = grpc_service_log(log);
            logs.push(log_of(name, config, &log.cel_matches, log.log_type, place));
        }
    }
    for log in open_telemetry {
        if written_at(log.log_type, place) {
            let config = open_telemetry_log(log);
            logs.push(log_of("envoy.access_loggers.open_telemetry", config, &log.cel_matches, log.log_type, place));
        }
    }
    Ok(logs)
}

/// The clusters that logs are sent to.
pub(super) fn log_clusters<'a>(
    source: &'a AccessLog,
    metrics: Option<&'a Metrics>,
    health_check_log: Option<&'a ProxyHealthCheckLog>,
) -> impl Iterator<Item = ClusterSource<'a>> {
    let traffic = |source: &'a Option<std::sync::Arc<TrafficFeatures>>| {
        Traffic::of(source.as_ref().map(|traffic| &traffic.cluster))
    };
    let als = source.als.iter().map(move |log| ClusterSource {
        traffic: traffic(&log.traffic),
        health_check_log,
        ..ClusterSource::of(&log.destination)
    });
    let open_telemetry = source.open_telemetry.iter().map(move |log| ClusterSource {
        traffic: traffic(&log.traffic),
        metrics,
        health_check_log,
        ..ClusterSource::of(&log.destination)
    });
    als.chain(open_telemetry)
}

/// A log without type is written by listeners and routes.
fn written_at(kind: Option<ProxyAccessLogType>, place: Place) -> bool {
    match kind {
        None => place != Place::Upstream,
        Some(ProxyAccessLogType::Listener) => place == Place::Listener,
        Some(ProxyAccessLogType::Route) => place == Place::Route,
        Some(ProxyAccessLogType::Upstream) => place == Place::Upstream,
    }
}

fn log_of(
    name: &str,
    config: wkt::Any,
    cel_matches: &[String],
    kind: Option<ProxyAccessLogType>,
    place: Place,
) -> EnvoyLog {
    // A log for listeners and routes alike would log every request twice: its listener part logs those without a route.
    let only_unrouted = place == Place::Listener && kind.is_none();
    EnvoyLog {
        name: name.to_owned(),
        config_type: Some(access_log::ConfigType::TypedConfig(config)),
        filter: filter(cel_matches, only_unrouted),
    }
}

fn filter(cel_matches: &[String], only_unrouted: bool) -> Option<AccessLogFilter> {
    let of = |specifier| AccessLogFilter { filter_specifier: Some(specifier) };
    let mut filters: Vec<AccessLogFilter> = cel_matches
        .iter()
        .map(|expression| {
            let config = pack(&ExpressionFilter { expression: expression.clone(), ..ExpressionFilter::default() });
            of(FilterSpecifier::ExtensionFilter(ExtensionFilter {
                name: "envoy.access_loggers.extension_filters.cel".to_owned(),
                config_type: Some(extension_filter::ConfigType::TypedConfig(config)),
            }))
        })
        .collect();
    if only_unrouted {
        filters.push(of(FilterSpecifier::ResponseFlagFilter(ResponseFlagFilter { flags: vec!["NR".to_owned()] })));
    }
    if filters.len() > 1 {
        return Some(of(FilterSpecifier::AndFilter(AndFilter { filters })));
    }
    filters.pop()
}

fn text_file(path: &str, format: &str) -> Result<wkt::Any, Invalid> {
    let source = DataSource {
        specifier: Some(data_source::Specifier::InlineString(format.to_owned())),
        ..DataSource::default()
    };
    file(path, Format::TextFormatSource(source), formatters([format]))
}

fn json_file(path: &str, json: &[MapEntry]) -> Result<wkt::Any, Invalid> {
    let fields = fields_or_default(json);
    let formatters = formatters(fields.iter().map(|(_, value)| *value));
    file(path, Format::JsonFormat(structure(fields.into_iter().map(|(key, value)| (key, text(value))))), formatters)
}

fn file(path: &str, format: Format, formatters: Vec<TypedExtensionConfig>) -> Result<wkt::Any, Invalid> {
    if path.is_empty() {
        return Err(Invalid::new("accessLog", "a file log has no path; give it one, such as /dev/stdout"));
    }
    Ok(pack(&FileAccessLog {
        path: path.to_owned(),
        access_log_format: Some(file_access_log::AccessLogFormat::LogFormat(SubstitutionFormatString {
            format: Some(format),
            formatters,
            ..SubstitutionFormatString::default()
        })),
    }))
}

fn grpc_service_log(source: &AlsAccessLog) -> (&'static str, wkt::Any) {
    let common_config = Some(CommonGrpcAccessLogConfig {
        log_name: source.name.clone(),
        grpc_service: Some(envoy_grpc(&source.destination.name, "", &[])),
        transport_api_version: ApiVersion::V3.into(),
        ..CommonGrpcAccessLogConfig::default()
    });
    match source.r#type {
        AlsEnvoyProxyAccessLogType::Http => {
            let mut config = HttpGrpcAccessLogConfig { common_config, ..HttpGrpcAccessLogConfig::default() };
            if let Some(http) = &source.http {
                config.additional_request_headers_to_log.clone_from(&http.request_headers);
                config.additional_response_headers_to_log.clone_from(&http.response_headers);
                config.additional_response_trailers_to_log.clone_from(&http.response_trailers);
            }
            ("envoy.access_loggers.http_grpc", pack(&config))
        }
        AlsEnvoyProxyAccessLogType::Tcp => {
            ("envoy.access_loggers.tcp_grpc", pack(&TcpGrpcAccessLogConfig { common_config }))
        }
    }
}

fn open_telemetry_log(source: &OpenTelemetryAccessLog) -> wkt::Any {
    let body = source.text.as_deref().filter(|text| !text.is_empty());
    let attributes =
        if source.attributes.is_empty() && body.is_some() { Vec::new() } else { fields_or_default(&source.attributes) };
    let formatters = formatters(attributes.iter().map(|(_, value)| *value).chain(body));
    // The proxy's own place comes from its environment, which only it knows.
    let place = [
        ("k8s.namespace.name", "%ENVIRONMENT(ENVOY_POD_NAMESPACE)%"),
        ("k8s.pod.name", "%ENVIRONMENT(ENVOY_POD_NAME)%"),
    ];
    let resource = source.resource_attributes.iter().map(|entry| (entry.key.as_str(), entry.value.as_str()));
    #[expect(deprecated, reason = "the contents are Envoy Gateway's, which people patch")]
    pack(&OpenTelemetryAccessLogConfig {
        common_config: Some(CommonGrpcAccessLogConfig {
            log_name: "otel_envoy_accesslog".to_owned(),
            grpc_service: Some(envoy_grpc(&source.destination.name, &source.authority, &source.headers)),
            transport_api_version: ApiVersion::V3.into(),
            ..CommonGrpcAccessLogConfig::default()
        }),
        resource_attributes: Some(key_values(resource)),
        body: body.map(otlp_text),
        attributes: Some(key_values(place.into_iter().chain(attributes))),
        formatters,
        ..OpenTelemetryAccessLogConfig::default()
    })
}

fn fields_or_default(entries: &[MapEntry]) -> Vec<(&str, &str)> {
    if entries.is_empty() {
        return DEFAULT_FIELDS.to_vec();
    }
    entries.iter().map(|entry| (entry.key.as_str(), entry.value.as_str())).collect()
}

/// A gRPC service reached by a cluster.
pub(super) fn envoy_grpc(cluster: &str, authority: &str, headers: &[HttpHeader]) -> GrpcService {
    GrpcService {
        target_specifier: Some(grpc_service::TargetSpecifier::EnvoyGrpc(grpc_service::EnvoyGrpc {
            cluster_name: cluster.to_owned(),
            authority: authority.to_owned(),
            ..grpc_service::EnvoyGrpc::default()
        })),
        initial_metadata: headers
            .iter()
            .map(|header| HeaderValue {
                key: header.name.clone(),
                value: header.value.clone(),
                ..HeaderValue::default()
            })
            .collect(),
        ..GrpcService::default()
    }
}

fn key_values<'a>(entries: impl IntoIterator<Item = (&'a str, &'a str)>) -> otlp::KeyValueList {
    otlp::KeyValueList {
        values: entries
            .into_iter()
            .map(|(key, value)| otlp::KeyValue {
                key: key.to_owned(),
                value: Some(otlp_text(value)),
                ..otlp::KeyValue::default()
            })
            .collect(),
    }
}

fn otlp_text(value: &str) -> otlp::AnyValue {
    otlp::AnyValue { value: Some(otlp::any_value::Value::StringValue(value.to_owned())) }
}

/// The extensions that commands in these formats need.
fn formatters<'a>(formats: impl IntoIterator<Item = &'a str>) -> Vec<TypedExtensionConfig> {
    let needs = formats.into_iter().any(|format| format.contains("%REQ_WITHOUT_QUERY"));
    needs.then(|| extension("envoy.formatter.req_without_query", &ReqWithoutQuery {})).into_iter().collect()
}
