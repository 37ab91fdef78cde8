//! Sockets that Envoy listens on. Listeners of the IR that share a port share one of these.

use super::access_log::{self, access_logs};
use super::address::socket;
use super::encode::pack;
use super::options::Options;
use super::pb::core::{Address, SocketOption, UdpSocketConfig, socket_address::Protocol, socket_option};
use super::pb::extensions::filters::listener::tls_inspector::v3::TlsInspector;
use super::pb::listener::{
    FilterChain, FilterChainMatch, Listener, ListenerFilter, QuicProtocolOptions, UdpListenerConfig, listener,
    listener_filter,
};
use super::problem::Invalid;
use super::values::{boolean, duration, uint32};
use crate::api::backend_tls::TlsFingerprintType;
use crate::api::envoy_proxy::IpFamily;
use crate::ir::{AccessLog, ClientConnection, ClientTimeout, CoreListenerDetails, TcpKeepalive};

const BUFFER_LIMIT: u32 = 32 * 1024;
const ACCEPT_PER_EVENT: u32 = 1;
const TLS_INSPECTOR: &str = "envoy.filters.listener.tls_inspector";

/// A TCP socket without filters.
pub(super) fn tcp_listener(
    core: &CoreListenerDetails,
    keepalive: Option<&TcpKeepalive>,
    connection: Option<&ClientConnection>,
    timeout: Option<&ClientTimeout>,
    access_log: Option<&AccessLog>,
    options: &Options,
) -> Result<Listener, Invalid> {
    let accept = match connection.and_then(|connection| connection.max_accept_per_socket_event) {
        // No limit.
        Some(0) => None,
        limit => Some(uint32(limit.unwrap_or(ACCEPT_PER_EVENT))),
    };
    Ok(Listener {
        name: listener_name(core, Protocol::Tcp, options),
        access_log: access_logs(access_log, access_log::Place::Listener)?,
        socket_options: keepalive.map(keepalive_options).unwrap_or_default(),
        per_connection_buffer_limit_bytes: Some(uint32(
            connection.and_then(|connection| connection.buffer_limit).unwrap_or(BUFFER_LIMIT),
        )),
        max_connections_to_accept_per_socket_event: accept,
        address: Some(listener_address(core, Protocol::Tcp)?),
        listener_filters_timeout: timeout
            .and_then(|timeout| timeout.tcp.as_ref()?.connection_inspection_timeout)
            .map(duration),
        ..Listener::default()
    })
}

/// A UDP socket for HTTP/3, beside the TCP one of the same port.
pub(super) fn quic_listener(
    core: &CoreListenerDetails,
    access_log: Option<&AccessLog>,
    options: &Options,
) -> Result<Listener, Invalid> {
    let name = if options.name_scheme_v2 {
        listener_name(core, Protocol::Udp, options)
    } else {
        format!("{}-quic", core.name)
    };
    Ok(Listener {
        name,
        access_log: access_logs(access_log, access_log::Place::Listener)?,
        address: Some(listener_address(core, Protocol::Udp)?),
        udp_listener_config: Some(UdpListenerConfig {
            downstream_socket_config: Some(UdpSocketConfig::default()),
            quic_options: Some(QuicProtocolOptions::default()),
            ..UdpListenerConfig::default()
        }),
        // Failing health checks while a pod shuts down must not drain it at once.
        drain_type: listener::DrainType::ModifyOnly.into(),
        ..Listener::default()
    })
}

/// By port under the newer scheme; by the first IR listener otherwise, which drains when that one goes away.
pub(super) fn listener_name(core: &CoreListenerDetails, protocol: Protocol, options: &Options) -> String {
    if !options.name_scheme_v2 {
        return core.name.clone();
    }
    let protocol = if protocol == Protocol::Udp { "udp" } else { "tcp" };
    format!("{protocol}-{}", core.external_port)
}

pub(super) fn listener_address(core: &CoreListenerDetails, protocol: Protocol) -> Result<Address, Invalid> {
    socket(protocol, &core.address, core.port, core.ip_family == Some(IpFamily::DualStack))
}

/// The port a listener is on, for names.
pub(super) fn port_of(listener: &Listener) -> u32 {
    use super::pb::core::{address, socket_address::PortSpecifier};
    let Some(address::Address::SocketAddress(socket)) =
        listener.address.as_ref().and_then(|address| address.address.as_ref())
    else {
        return 0;
    };
    match &socket.port_specifier {
        Some(PortSpecifier::PortValue(port)) => *port,
        _ => 0,
    }
}

/// Adds `chain` for connections that ask for these server names; for all of them when the first is `*`.
pub(super) fn add_chain_for_names(
    listener: &mut Listener,
    mut chain: FilterChain,
    names: &[String],
    fingerprints: &[TlsFingerprintType],
) {
    let named = names.first().is_some_and(|name| name != "*");
    if named {
        chain.filter_chain_match =
            Some(FilterChainMatch { server_names: names.to_vec(), ..FilterChainMatch::default() });
    }
    // QUIC knows the server name by itself.
    let quic = listener.udp_listener_config.is_some();
    if !fingerprints.is_empty() || (named && !quic) {
        inspect_tls(listener, fingerprints);
    }
    listener.filter_chains.push(chain);
}

/// Makes `listener` look at the client's hello, once.
pub(super) fn inspect_tls(listener: &mut Listener, fingerprints: &[TlsFingerprintType]) {
    if listener.listener_filters.iter().any(|filter| filter.name == TLS_INSPECTOR) {
        return;
    }
    let wants = |kind| fingerprints.contains(&kind).then(|| boolean(true));
    let config = TlsInspector {
        enable_ja3_fingerprinting: wants(TlsFingerprintType::Ja3),
        enable_ja4_fingerprinting: wants(TlsFingerprintType::Ja4),
        ..TlsInspector::default()
    };
    listener.listener_filters.push(ListenerFilter {
        name: TLS_INSPECTOR.to_owned(),
        config_type: Some(listener_filter::ConfigType::TypedConfig(pack(&config))),
        ..ListenerFilter::default()
    });
}

/// Linux's socket options, whatever system the agent runs on.
fn keepalive_options(source: &TcpKeepalive) -> Vec<SocketOption> {
    const SOL_SOCKET: i64 = 1;
    const SO_KEEPALIVE: i64 = 9;
    const IPPROTO_TCP: i64 = 6;
    let option = |description: &str, level, name, value, state: socket_option::SocketState| SocketOption {
        description: description.to_owned(),
        level,
        name,
        value: Some(socket_option::Value::IntValue(value)),
        state: state.into(),
        ..SocketOption::default()
    };
    let TcpKeepalive { probes, idle_time, interval } = source;
    let prebind = socket_option::SocketState::StatePrebind;
    let values = [
        ("socket option for keep alive probes", 6, probes),
        ("socket option for keep alive idle time", 4, idle_time),
        ("socket option for keep alive interval", 5, interval),
    ];
    std::iter::once(option("socket option to enable tcp keep alive", SOL_SOCKET, SO_KEEPALIVE, 1, prebind))
        .chain(values.into_iter().filter_map(|(description, name, value)| {
            value.map(|value| option(description, IPPROTO_TCP, name, value.into(), prebind))
        }))
        .collect()
}
