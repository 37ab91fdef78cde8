//! Envoy's listeners, each made from all listeners of the IR that share its address and port.

use std::collections::BTreeMap;

use super::filter_chain::{add_http_chain, route_config_name};
use super::fragment::not_built_problem;
use super::hcm::{HcmSource, Sharer};
use super::http_filters::not_built;
use super::listener::{quic_listener, tcp_listener};
use super::options::Options;
use super::pb::listener::Listener;
use super::problem::{Invalid, Problem};
use super::resources::{Contribution, Resources};
use super::table::ResourceType;
use super::tcp::{TcpContext, add_tcp_chains};
use crate::ir::{HttpListener, TcpListener, Xds};

/// The listeners on one address and port, in the IR's order.
#[derive(Debug, Default)]
pub(super) struct Port<'a> {
    pub(super) http: Vec<&'a HttpListener>,
    pub(super) tcp: Vec<&'a TcpListener>,
}

/// An address and a port.
pub(super) type PortKey<'a> = (&'a str, u32);

/// Groups the listeners of `ir` by where they listen.
pub(super) fn ports(ir: &Xds) -> BTreeMap<PortKey<'_>, Port<'_>> {
    let mut ports: BTreeMap<PortKey<'_>, Port<'_>> = BTreeMap::new();
    for listener in &ir.http {
        ports.entry((&listener.core.address, listener.core.port)).or_default().http.push(listener);
    }
    for listener in &ir.tcp {
        ports.entry((&listener.core.address, listener.core.port)).or_default().tcp.push(listener);
    }
    ports
}

impl<'a> Port<'a> {
    /// Whether the port serves HTTP/3 too: one listener that wants it is enough.
    pub(super) fn serves_http3(&self) -> bool {
        self.http.iter().any(|listener| listener.http3.is_some())
    }

    /// The listeners without TLS, whose connections nothing tells apart: they share one connection manager.
    fn plain(&self) -> impl Iterator<Item = &'a HttpListener> {
        self.http.iter().copied().filter(|listener| listener.tls.is_none())
    }

    /// The route configuration of `listener`: its own with TLS, else the one of the first listener it shares with.
    pub(super) fn route_config(&self, listener: &HttpListener, options: &Options) -> String {
        let named_after = match (&listener.tls, self.plain().next()) {
            (None, Some(first)) => first,
            _ => listener,
        };
        route_config_name(named_after, options)
    }
}

/// Makes the listeners of one port. `concerning` gives those routes of an HTTP listener that its chain depends on.
pub(super) fn sockets<'a>(
    port: &Port<'a>,
    ir: &'a Xds,
    options: &'a Options,
    concerning: impl Fn(&'a HttpListener) -> Sharer<'a>,
    problems: &mut Vec<Problem>,
) -> Box<[Contribution]> {
    let mut resources = Resources::default();
    let (mut tcp, mut quic) = match open(port, ir, options) {
        Ok(opened) => opened,
        Err((name, invalid)) => {
            problems.push(invalid.of(name));
            return resources.into_contributions();
        }
    };
    let mut shared_chain_made = false;
    for listener in &port.http {
        let sharers: Vec<Sharer<'a>> = if listener.tls.is_some() {
            vec![concerning(listener)]
        } else if shared_chain_made {
            continue;
        } else {
            shared_chain_made = true;
            port.plain().map(&concerning).collect()
        };
        let source = HcmSource {
            listener,
            sharers: &sharers,
            route_config: &port.route_config(listener, options),
            access_log: ir.access_log.as_ref(),
            tracing: ir.tracing.as_ref(),
            filter_order: &ir.filter_order,
            options,
        };
        let mut made = add_http_chain(&mut tcp, &source, false);
        if let Some(quic) = &mut quic {
            made = made.and_then(|()| add_http_chain(quic, &source, true));
        }
        problems.extend(made.err().map(|invalid| invalid.of(&listener.core.name)));
        problems.extend(
            not_built::of_listener(listener)
                .map(|missing| not_built_problem(&listener.core.name.as_str().into(), missing)),
        );
    }
    let context = TcpContext {
        access_log: ir.access_log.as_ref(),
        metrics: ir.metrics.as_ref(),
        health_check_log: ir.health_check_log.as_ref(),
    };
    for listener in &port.tcp {
        add_tcp_chains(&mut tcp, listener, &context, problems);
    }
    // Envoy refuses a listener without chains.
    for listener in std::iter::once(tcp).chain(quic) {
        if listener.default_filter_chain.is_some() || !listener.filter_chains.is_empty() {
            resources.add(ResourceType::Listener, &listener.name, &listener);
        }
    }
    resources.into_contributions()
}

/// The sockets of a port without chains, with the options of the first listener; or whose listener can't be one, and why.
fn open<'a>(port: &Port<'a>, ir: &Xds, options: &Options) -> Result<(Listener, Option<Listener>), (&'a str, Invalid)> {
    let access_log = ir.access_log.as_ref();
    if let Some(first) = port.http.first() {
        let HttpListener { core, tcp_keepalive, connection, timeout, .. } = first;
        let named = |invalid| (core.name.as_str(), invalid);
        let tcp =
            tcp_listener(core, tcp_keepalive.as_ref(), connection.as_ref(), timeout.as_ref(), access_log, options)
                .map_err(named)?;
        let quic = port.serves_http3().then(|| quic_listener(core, access_log, options)).transpose().map_err(named)?;
        return Ok((tcp, quic));
    }
    let Some(TcpListener { core, tls: _, tcp_keepalive, proxy_protocol: _, timeout, connection, routes: _ }) =
        port.tcp.first()
    else {
        return Ok((Listener::default(), None));
    };
    tcp_listener(core, tcp_keepalive.as_ref(), connection.as_ref(), timeout.as_ref(), access_log, options)
        .map(|tcp| (tcp, None))
        .map_err(|invalid| (core.name.as_str(), invalid))
}
