//! HTTP versions and their options, towards clients and upstreams.

use super::cluster::ClusterSource;
use super::destination::EndpointType;
use super::encode::pack;
use super::hash_policy::hash_policies;
use super::pb::core::{
    Http1ProtocolOptions, Http2ProtocolOptions, HttpProtocolOptions as CommonOptions, KeepaliveSettings,
    UpstreamHttpProtocolOptions, http1_protocol_options,
};
use super::pb::extensions::http::header_formatters::preserve_case::v3::PreserveCaseFormatterConfig;
use super::pb::extensions::upstreams::http::v3::{
    HttpProtocolOptions, http_protocol_options,
    http_protocol_options::{UpstreamProtocolOptions, explicit_http_config::ProtocolConfig},
};
use super::pb::hcm::HttpFilter;
use super::pb::wkt;
use super::string_match::string_matcher;
use super::values::{boolean, duration, extension, percent, uint32};
use crate::ir::{Http1Settings, Http2Settings};

/// The key these options stand under in a cluster.
pub(super) const KEY: &str = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

const MAX_STREAMS: u32 = 100;
const STREAM_WINDOW: u32 = 64 * 1024;
const CONNECTION_WINDOW: u32 = 1024 * 1024;

/// HTTP/1 options of a listener, where it sets any.
pub(super) fn listener_http1(source: Option<&Http1Settings>) -> Option<Http1ProtocolOptions> {
    let source = source?;
    let set = source.enable_trailers
        || source.preserve_header_case
        || source.http10.is_some()
        || !source.ignored_upgrade_types.is_empty();
    set.then(|| Http1ProtocolOptions {
        ignore_http_11_upgrade: source.ignored_upgrade_types.iter().map(string_matcher).collect(),
        ..upstream_http1(Some(source))
    })
}

/// HTTP/2 options of a listener.
pub(super) fn listener_http2(source: Option<&Http2Settings>) -> Http2ProtocolOptions {
    let mut options = upstream_http2(source);
    options.max_concurrent_streams.get_or_insert(uint32(MAX_STREAMS));
    options
}

/// HTTP/1 options towards upstreams: like the listener's, except for upgrades it ignores.
fn upstream_http1(source: Option<&Http1Settings>) -> Http1ProtocolOptions {
    let Some(source) = source else { return Http1ProtocolOptions::default() };
    // Where to close connections by age is the connection manager's business.
    let Http1Settings {
        enable_trailers,
        preserve_header_case,
        http10,
        disable_safe_max_connection_duration: _,
        ignored_upgrade_types: _,
    } = source;
    Http1ProtocolOptions {
        enable_trailers: *enable_trailers,
        header_key_format: preserve_header_case.then(|| http1_protocol_options::HeaderKeyFormat {
            header_format: Some(http1_protocol_options::header_key_format::HeaderFormat::StatefulFormatter(extension(
                "preserve_case",
                &PreserveCaseFormatterConfig::default(),
            ))),
        }),
        accept_http_10: http10.is_some(),
        default_host_for_http_10: http10.as_ref().and_then(|http10| http10.default_host.clone()).unwrap_or_default(),
        ..Http1ProtocolOptions::default()
    }
}

/// HTTP/2 options towards upstreams; window sizes follow Envoy's advice for edge proxies.
fn upstream_http2(source: Option<&Http2Settings>) -> Http2ProtocolOptions {
    let default = Http2Settings::default();
    let Http2Settings {
        initial_connection_window_size,
        initial_stream_window_size,
        max_concurrent_streams,
        reset_stream_on_error,
        connection_keepalive,
    } = source.unwrap_or(&default);
    Http2ProtocolOptions {
        max_concurrent_streams: max_concurrent_streams.map(uint32),
        initial_stream_window_size: Some(uint32(initial_stream_window_size.unwrap_or(STREAM_WINDOW))),
        initial_connection_window_size: Some(uint32(initial_connection_window_size.unwrap_or(CONNECTION_WINDOW))),
        override_stream_error_on_invalid_http_message: reset_stream_on_error.map(boolean),
        connection_keepalive: connection_keepalive.as_ref().map(|keepalive| KeepaliveSettings {
            interval: keepalive.interval.map(duration),
            timeout: keepalive.timeout.map(duration),
            interval_jitter: keepalive.interval_jitter.map(percent),
            connection_idle_interval: keepalive.idle_interval.map(duration),
        }),
        ..Http2ProtocolOptions::default()
    }
}

/// What the cluster's settings together ask of the protocol.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Needs {
    /// Negotiate the version by ALPN: every backend uses TLS.
    pub(super) negotiation: bool,
    /// A backend speaks HTTP/2 without negotiation.
    pub(super) http2: bool,
    /// A backend must be spoken to in HTTP/1.1.
    pub(super) http1_only: bool,
    /// The request's host is the TLS server name.
    pub(super) auto_sni: bool,
}

/// The cluster's HTTP options, where anything asks for them; `filters` run on the way to the upstream.
pub(super) fn upstream_options(source: &ClusterSource<'_>, needs: Needs, filters: Vec<HttpFilter>) -> Option<wkt::Any> {
    let http1_set =
        source.http1.is_some_and(|http1| http1.enable_trailers || http1.preserve_header_case || http1.http10.is_some());
    let common = common_options(source);
    let hash_policy = if source.of_route {
        Vec::new()
    } else {
        hash_policies(source.traffic.load_balancer.and_then(|balancer| balancer.consistent_hash.as_ref()))
    };
    let wanted = source.use_client_protocol
        || needs.negotiation
        || common.is_some()
        || http1_set
        || needs.http2
        || !filters.is_empty()
        || needs.auto_sni
        || needs.http1_only
        || !hash_policy.is_empty();
    wanted.then(|| {
        pack(&HttpProtocolOptions {
            hash_policy,
            common_http_protocol_options: common,
            upstream_protocol_options: Some(version(source, needs, http1_set)),
            upstream_http_protocol_options: server_name(source.endpoint_type, needs),
            http_filters: filters,
            ..HttpProtocolOptions::default()
        })
    })
}

/// Which version is spoken; the first that applies.
fn version(source: &ClusterSource<'_>, needs: Needs, http1_set: bool) -> UpstreamProtocolOptions {
    let http1 = || upstream_http1(source.http1);
    let http2 = || upstream_http2(source.traffic.http2);
    let explicit = |config| {
        UpstreamProtocolOptions::ExplicitHttpConfig(http_protocol_options::ExplicitHttpConfig {
            protocol_config: Some(config),
        })
    };
    if source.use_client_protocol {
        UpstreamProtocolOptions::UseDownstreamProtocolConfig(http_protocol_options::UseDownstreamHttpConfig {
            http_protocol_options: Some(http1()),
            http2_protocol_options: Some(http2()),
            ..http_protocol_options::UseDownstreamHttpConfig::default()
        })
    } else if needs.http1_only {
        explicit(ProtocolConfig::HttpProtocolOptions(http1()))
    } else if needs.http2 {
        explicit(ProtocolConfig::Http2ProtocolOptions(http2()))
    } else if http1_set {
        explicit(ProtocolConfig::HttpProtocolOptions(http1()))
    } else if needs.negotiation {
        UpstreamProtocolOptions::AutoConfig(http_protocol_options::AutoHttpConfig {
            http_protocol_options: Some(http1()),
            http2_protocol_options: Some(http2()),
            ..http_protocol_options::AutoHttpConfig::default()
        })
    } else {
        explicit(ProtocolConfig::HttpProtocolOptions(Http1ProtocolOptions::default()))
    }
}

/// A dynamic resolver must take server name and accepted names from the host it resolves.
fn server_name(endpoint_type: EndpointType, needs: Needs) -> Option<UpstreamHttpProtocolOptions> {
    let dynamic = endpoint_type == EndpointType::DynamicResolver;
    (dynamic || needs.auto_sni).then(|| UpstreamHttpProtocolOptions {
        auto_sni: true,
        auto_san_validation: dynamic,
        ..UpstreamHttpProtocolOptions::default()
    })
}

/// Ages and counts of connections. How long a stream may live is the route's business where there is one.
fn common_options(source: &ClusterSource<'_>) -> Option<CommonOptions> {
    let timeout = source.traffic.timeout.and_then(|timeout| timeout.http.as_ref()).map(|http| &http.cluster);
    let options = CommonOptions {
        idle_timeout: timeout.and_then(|timeout| timeout.connection_idle_timeout).map(duration),
        max_connection_duration: timeout.and_then(|timeout| timeout.max_connection_duration).map(duration),
        max_stream_duration: timeout
            .filter(|_| !source.of_route)
            .and_then(|timeout| timeout.max_stream_duration)
            .map(duration),
        max_requests_per_connection: source
            .traffic
            .circuit_breaker
            .and_then(|breaker| breaker.max_requests_per_connection)
            .map(uint32),
        ..CommonOptions::default()
    };
    (options != CommonOptions::default()).then_some(options)
}
