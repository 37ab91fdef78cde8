//! PROXY protocol, from clients and towards upstreams.

use std::sync::LazyLock;

use super::encode::pack;
use super::pb::core::{ProxyProtocolConfig, TransportSocket, proxy_protocol_config, transport_socket};
use super::pb::extensions::filters::listener::proxy_protocol::v3::ProxyProtocol as ProxyProtocolFilter;
use super::pb::extensions::transport_sockets::proxy_protocol::v3::ProxyProtocolUpstreamTransport;
use super::pb::extensions::transport_sockets::raw_buffer::v3::RawBuffer;
use super::pb::listener::{Listener, ListenerFilter, listener_filter};
use super::tls::upstream::placeholder_socket;
use crate::api::proxy_protocol::ProxyProtocolVersion;
use crate::ir::{ProxyProtocol, ProxyProtocolSettings};

const LISTENER_FILTER: &str = "envoy.filters.listener.proxy_protocol";

static RAW: LazyLock<TransportSocket> = LazyLock::new(|| TransportSocket {
    name: "envoy.transport_sockets.raw_buffer".to_owned(),
    config_type: Some(transport_socket::ConfigType::TypedConfig(pack(&RawBuffer {}))),
});

/// Makes `listener` expect the PROXY header, before any other filter looks at the connection.
pub(super) fn expect_proxy_protocol(listener: &mut Listener, settings: Option<&ProxyProtocolSettings>) {
    let Some(ProxyProtocolSettings { optional }) = settings else { return };
    if listener.listener_filters.iter().any(|filter| filter.name == LISTENER_FILTER) {
        return;
    }
    let config =
        ProxyProtocolFilter { allow_requests_without_proxy_protocol: *optional, ..ProxyProtocolFilter::default() };
    listener.listener_filters.insert(
        0,
        ListenerFilter {
            name: LISTENER_FILTER.to_owned(),
            config_type: Some(listener_filter::ConfigType::TypedConfig(pack(&config))),
            ..ListenerFilter::default()
        },
    );
}

/// `inner` with the PROXY header written first. Without an inner socket the connection stays plain, or gets the
/// placeholder where HTTP version negotiation demands TLS.
pub(super) fn with_proxy_header(
    source: &ProxyProtocol,
    inner: Option<TransportSocket>,
    negotiates_http: bool,
) -> TransportSocket {
    let ProxyProtocol { version } = source;
    let inner = inner.unwrap_or_else(|| if negotiates_http { placeholder_socket() } else { RAW.clone() });
    let config = version.map(|version| ProxyProtocolConfig {
        version: match version {
            ProxyProtocolVersion::V1 => proxy_protocol_config::Version::V1,
            ProxyProtocolVersion::V2 => proxy_protocol_config::Version::V2,
        }
        .into(),
        ..ProxyProtocolConfig::default()
    });
    TransportSocket {
        name: "envoy.transport_sockets.upstream_proxy_protocol".to_owned(),
        config_type: Some(transport_socket::ConfigType::TypedConfig(pack(&ProxyProtocolUpstreamTransport {
            config,
            transport_socket: Some(inner),
            ..ProxyProtocolUpstreamTransport::default()
        }))),
    }
}
