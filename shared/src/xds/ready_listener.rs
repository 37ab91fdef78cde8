//! The listener that answers readiness probes of the proxy.

use super::address::socket;
use super::filter_chain::network_filter;
use super::http_filters::{health_check, router};
use super::pb::core::socket_address::Protocol;
use super::pb::hcm::{HttpConnectionManager, http_connection_manager::RouteSpecifier};
use super::pb::listener::{FilterChain, Listener};
use super::pb::route::{DirectResponseAction, Route, RouteConfiguration, RouteMatch, VirtualHost, route, route_match};
use super::problem::Invalid;
use crate::api::envoy_proxy::IpFamily;
use crate::ir::ReadyListener;

const ROUTE: &str = "ready_route";
/// What the probes of the infrastructure ask for.
const PATH: &str = "/ready";

/// The whole listener: the health check filter answers, the route behind it is never reached.
pub(super) fn ready_listener(source: &ReadyListener) -> Result<Listener, Invalid> {
    let ReadyListener { ip_family, address, port, path: _ } = source;
    let unreachable = Route {
        r#match: Some(RouteMatch {
            path_specifier: Some(route_match::PathSpecifier::Prefix("/".to_owned())),
            ..RouteMatch::default()
        }),
        action: Some(route::Action::DirectResponse(DirectResponseAction {
            status: 500,
            ..DirectResponseAction::default()
        })),
        ..Route::default()
    };
    let manager = HttpConnectionManager {
        stat_prefix: "eg-ready-http".to_owned(),
        route_specifier: Some(RouteSpecifier::RouteConfig(RouteConfiguration {
            name: ROUTE.to_owned(),
            virtual_hosts: vec![VirtualHost {
                name: ROUTE.to_owned(),
                domains: vec!["*".to_owned()],
                routes: vec![unreachable],
                ..VirtualHost::default()
            }],
            ..RouteConfiguration::default()
        })),
        http_filters: vec![health_check::filter(PATH), router::filter(false, Vec::new())],
        ..HttpConnectionManager::default()
    };
    Ok(Listener {
        name: format!("envoy-gateway-proxy-ready-{address}-{port}"),
        address: Some(socket(
            Protocol::Tcp,
            address,
            *port,
            matches!(ip_family, IpFamily::Ipv6 | IpFamily::DualStack),
        )?),
        filter_chains: vec![FilterChain {
            filters: vec![network_filter("envoy.filters.network.http_connection_manager", &manager)],
            ..FilterChain::default()
        }],
        bypass_overload_manager: true,
        ..Listener::default()
    })
}
