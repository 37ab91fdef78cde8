//! TCP and TLS listeners: a filter chain for each route, on a socket that HTTP listeners of the port may share.

use std::sync::Arc;

use super::access_log::{Place, access_logs};
use super::cluster::{ClusterSource, Traffic, add_client_certificates, add_cluster};
use super::connection_limit::connection_limit;
use super::destination::{needs_own_cluster, single_cluster_name};
use super::dns::cache;
use super::empty_cluster;
use super::filter_chain::network_filter;
use super::listener::{add_chain_for_names, inspect_tls, port_of};
use super::pb::extensions::filters::network::rbac::v3::Rbac;
use super::pb::extensions::filters::network::sni_dynamic_forward_proxy::v3::{FilterConfig, filter_config};
use super::pb::extensions::filters::network::tcp_proxy::v3::{TcpProxy, tcp_proxy};
use super::pb::listener::{Filter, FilterChain, Listener};
use super::pb::matcher::{StringMatcher, string_matcher::MatchPattern};
use super::pb::rbac::{Permission, Policy, Principal, Rbac as Rules, permission, principal, rbac};
use super::pb::types::{HashPolicy, hash_policy};
use super::problem::{Invalid, Problem, ProblemKind};
use super::proxy_protocol::expect_proxy_protocol;
use super::resources::Resources;
use super::string_match::regex;
use super::tls::downstream::{alpn, downstream_socket};
use super::tls::{sds, secrets};
use super::values::duration;
use crate::ir::{
    AccessLog, LoadBalancer, Metrics, ProxyHealthCheckLog, RouteDestination, TcpListener, TcpRoute, TlsConfig,
};

/// The port behind a server name: it carries none, and TLS is what names travel in.
const PASSTHROUGH_PORT: u32 = 443;
/// Server names that mean the proxy itself.
const LOOPBACK_NAMES: &str =
    r"(?i)^(localhost|localhost\.localdomain|ip6-localhost|ip6-loopback|127\.0\.0\.1|::1|\[::1\])\.?$";

/// What TCP listeners take from the fleet.
#[derive(Clone, Copy, Debug)]
pub(super) struct TcpContext<'a> {
    pub(super) access_log: Option<&'a AccessLog>,
    pub(super) metrics: Option<&'a Metrics>,
    pub(super) health_check_log: Option<&'a ProxyHealthCheckLog>,
}

/// Adds the chains of `source` to the socket it shares. Envoy refuses a listener without chains, so one without routes
/// gets a chain to a cluster without endpoints, once for each socket.
pub(super) fn add_tcp_chains(
    listener: &mut Listener,
    source: &TcpListener,
    context: &TcpContext<'_>,
    problems: &mut Vec<Problem>,
) {
    expect_proxy_protocol(listener, source.proxy_protocol.as_ref());
    if source.routes.is_empty() {
        if listener.filter_chains.iter().any(|chain| chain.name == empty_cluster::NAME) {
            return;
        }
        let empty = TcpRoute {
            name: empty_cluster::NAME.to_owned(),
            destination: Some(Arc::new(RouteDestination {
                name: empty_cluster::NAME.into(),
                ..RouteDestination::default()
            })),
            ..TcpRoute::default()
        };
        note(add_chain(listener, source, &empty, context), &empty.name, problems);
        return;
    }
    for route in &source.routes {
        if route.authorization.is_some() {
            problems.push(Problem {
                kind: ProblemKind::NotBuilt,
                object: route.name.as_str().into(),
                feature: "authorization",
                message: "this version doesn't build authorization of TCP routes; connections are refused until then"
                    .to_owned(),
            });
            continue;
        }
        note(add_chain(listener, source, route, context), &route.name, problems);
    }
}

/// Adds the clusters and secrets of `source`.
pub(super) fn add_tcp_resources(
    source: &TcpListener,
    context: &TcpContext<'_>,
    resources: &mut Resources,
    problems: &mut Vec<Problem>,
) {
    if source.routes.is_empty() {
        resources.cluster(&empty_cluster::cluster());
    }
    for route in &source.routes {
        let Some(destination) = route.destination.as_deref() else { continue };
        if needs_own_cluster(destination) {
            note(add_cluster(&cluster_source(route, destination, context), resources), &route.name, problems);
        }
        match route.tls.as_ref().and_then(|tls| tls.terminate.as_ref()) {
            Some(tls) => add_terminating_secrets(tls, resources),
            None => add_client_certificates(&destination.settings, resources),
        }
        let terminating = route.tls.as_ref().and_then(|tls| tls.terminate.as_ref());
        let upstream = destination.settings.iter().filter_map(|setting| setting.tls.as_deref());
        let servers = terminating.into_iter().flat_map(|tls| sds::servers(&tls.certificates, None)).chain(
            upstream.flat_map(|tls| sds::servers(&tls.tls.client_certificates, tls.tls.ca_certificate.as_ref())),
        );
        for url in servers {
            note(sds::server_cluster(&url).map(|cluster| resources.cluster(&cluster)), &route.name, problems);
        }
    }
}

fn note(result: Result<(), Invalid>, object: &str, problems: &mut Vec<Problem>) {
    problems.extend(result.err().map(|invalid| invalid.of(object)));
}

fn add_terminating_secrets(tls: &TlsConfig, resources: &mut Resources) {
    for certificate in tls.client_certificates.iter().chain(&tls.certificates) {
        resources.optional_secret(secrets::certificate(certificate));
    }
    if let Some(authority) = &tls.ca_certificate {
        resources.optional_secret(secrets::authority(authority, tls.crl.as_ref()));
    }
}

fn cluster_source<'a>(
    route: &'a TcpRoute,
    destination: &'a RouteDestination,
    context: &TcpContext<'a>,
) -> ClusterSource<'a> {
    // `preconnect` repeats what `backend_connection` says.
    let TcpRoute {
        name: _,
        stat_name: _,
        tls: _,
        destination: _,
        tcp_keepalive,
        load_balancer,
        timeout,
        circuit_breaker,
        health_check,
        proxy_protocol,
        metadata: _,
        backend_connection,
        preconnect: _,
        dns,
        authorization: _,
    } = route;
    ClusterSource {
        traffic: Traffic {
            load_balancer: load_balancer.as_ref(),
            proxy_protocol: proxy_protocol.as_ref(),
            health_check: health_check.as_ref(),
            circuit_breaker: circuit_breaker.as_ref(),
            timeout: timeout.as_ref(),
            tcp_keepalive: tcp_keepalive.as_ref(),
            backend_connection: backend_connection.as_ref(),
            dns: dns.as_ref(),
            ..Traffic::default()
        },
        metrics: context.metrics,
        health_check_log: context.health_check_log,
        of_route: true,
        ..ClusterSource::of(destination)
    }
}

fn add_chain(
    listener: &mut Listener,
    source: &TcpListener,
    route: &TcpRoute,
    context: &TcpContext<'_>,
) -> Result<(), Invalid> {
    let Some(destination) = route.destination.as_deref() else {
        return Err(Invalid::new("destination", "the route has no destination"));
    };
    let inspector = route.tls.as_ref().and_then(|tls| tls.inspector.as_ref());
    let terminate = route.tls.as_ref().and_then(|tls| tls.terminate.as_ref());
    let stat_prefix = match &route.stat_name {
        Some(name) if !name.is_empty() => name.clone(),
        _ => {
            let kind = match (terminate, inspector) {
                (Some(_), _) => "tls-terminate",
                (None, Some(_)) => "tls-passthrough",
                (None, None) => "tcp",
            };
            format!("{kind}-{}", port_of(listener))
        }
    };
    let by_server_name = destination.is_dynamic_resolver() && inspector.is_some() && terminate.is_none();
    let mut filters: Vec<Filter> = Vec::new();
    filters.extend(connection_limit(&stat_prefix, source.connection.as_ref()));
    if by_server_name {
        filters.push(deny_loopback(&stat_prefix));
        filters.push(resolve_server_name(route));
    }
    let timeout = source.timeout.as_ref().and_then(|timeout| timeout.tcp.as_ref());
    filters.push(network_filter(
        "envoy.filters.network.tcp_proxy",
        &TcpProxy {
            access_log: access_logs(context.access_log, Place::Route)?,
            stat_prefix,
            cluster_specifier: Some(tcp_proxy::ClusterSpecifier::Cluster(single_cluster_name(destination).to_string())),
            hash_policy: hash_policy_of(route.load_balancer.as_ref()),
            idle_timeout: timeout.and_then(|timeout| timeout.idle_timeout).map(duration),
            ..TcpProxy::default()
        },
    ));
    let chain = FilterChain {
        name: route.name.clone(),
        filters,
        transport_socket: terminate.map(|tls| downstream_socket(tls, alpn(tls, false))),
        transport_socket_connect_timeout: timeout.and_then(|timeout| timeout.tls_handshake_timeout).map(duration),
        ..FilterChain::default()
    };
    let names = inspector.map_or(&[][..], |inspector| &inspector.snis);
    let fingerprints = source.tls.as_ref().map_or(&[][..], |tls| &tls.fingerprints);
    add_chain_for_names(listener, chain, names, fingerprints);
    if by_server_name {
        inspect_tls(listener, &[]);
    }
    Ok(())
}

/// Only the client's address can be hashed before anything is read.
fn hash_policy_of(balancer: Option<&LoadBalancer>) -> Vec<HashPolicy> {
    let by_source = balancer
        .and_then(|balancer| balancer.consistent_hash.as_ref())
        .and_then(|hash| hash.source_ip)
        .unwrap_or_default();
    let policy =
        HashPolicy { policy_specifier: Some(hash_policy::PolicySpecifier::SourceIp(hash_policy::SourceIp {})) };
    by_source.then_some(policy).into_iter().collect()
}

/// Resolves the server name. It shares the cache of the route's cluster, whose IP family TCP routes leave open.
fn resolve_server_name(route: &TcpRoute) -> Filter {
    network_filter(
        "envoy.filters.network.sni_dynamic_forward_proxy",
        &FilterConfig {
            dns_cache_config: Some(cache(None, route.dns.as_ref())),
            port_specifier: Some(filter_config::PortSpecifier::PortValue(PASSTHROUGH_PORT)),
            ..FilterConfig::default()
        },
    )
}

fn deny_loopback(stat_prefix: &str) -> Filter {
    let names = StringMatcher {
        match_pattern: Some(MatchPattern::SafeRegex(regex(LOOPBACK_NAMES))),
        ..StringMatcher::default()
    };
    let policy = Policy {
        permissions: vec![Permission { rule: Some(permission::Rule::RequestedServerName(names)) }],
        principals: vec![Principal { identifier: Some(principal::Identifier::Any(true)) }],
        ..Policy::default()
    };
    network_filter(
        "envoy.filters.network.rbac",
        &Rbac {
            stat_prefix: stat_prefix.to_owned(),
            rules: Some(Rules {
                action: rbac::Action::Deny.into(),
                policies: [("deny-loopback-sni".to_owned(), policy)].into(),
                ..Rules::default()
            }),
            ..Rbac::default()
        },
    )
}
