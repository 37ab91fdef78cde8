//! The filter chain of an HTTP listener: TLS, connection limit, connection manager.

use prost::{Message, Name};

use super::connection_limit::connection_limit;
use super::encode::pack;
use super::hcm::{HcmSource, connection_manager, stat_prefix};
use super::listener::add_chain_for_names;
use super::options::Options;
use super::pb::listener::{Filter, FilterChain, Listener, filter};
use super::problem::Invalid;
use super::proxy_protocol::expect_proxy_protocol;
use super::tls::downstream::{alpn, downstream_socket, quic_socket};
use super::values::duration;
use crate::ir::HttpListener;

/// The name of the connection manager's filter.
const CONNECTION_MANAGER: &str = "envoy.filters.network.http_connection_manager";

/// Adds the chain of an HTTP listener: a chain of its own with TLS, else the default chain, which listeners without TLS
/// on one port share, since nothing tells their connections apart.
pub(super) fn add_http_chain(listener: &mut Listener, source: &HcmSource<'_>, quic: bool) -> Result<(), Invalid> {
    let http = source.listener;
    let manager = connection_manager(source, quic)?;
    expect_proxy_protocol(listener, http.proxy_protocol.as_ref());
    let mut filters = Vec::with_capacity(2);
    filters.extend(connection_limit(&stat_prefix(http, source.options), http.connection.as_ref()));
    filters.push(network_filter(CONNECTION_MANAGER, &manager));
    let mut chain = FilterChain {
        name: route_config_name(http, source.options),
        filters,
        transport_socket_connect_timeout: http
            .timeout
            .as_ref()
            .and_then(|timeout| timeout.tcp.as_ref()?.tls_handshake_timeout)
            .map(duration),
        ..FilterChain::default()
    };
    match &http.tls {
        Some(tls) => {
            chain.transport_socket =
                Some(if quic { quic_socket(tls) } else { downstream_socket(tls, alpn(tls, http.tls_overlaps)) });
            add_chain_for_names(listener, chain, &http.hostnames, &tls.fingerprints);
        }
        None => listener.default_filter_chain = Some(chain),
    }
    Ok(())
}

/// Route configurations are named like their filter chain: with TLS each listener has its own, without they share one.
pub(super) fn route_config_name(listener: &HttpListener, options: &Options) -> String {
    if options.name_scheme_v2 && listener.tls.is_none() {
        format!("http-{}", listener.core.external_port)
    } else {
        listener.core.name.clone()
    }
}

/// A network filter.
pub(super) fn network_filter<M: Message + Name>(name: &str, config: &M) -> Filter {
    Filter { name: name.to_owned(), config_type: Some(filter::ConfigType::TypedConfig(pack(config))) }
}
