//! The HTTP filters of a connection manager and of single routes, in one visible order.

use super::hcm::{HcmSource, Sharer};
use super::pb::hcm::HttpFilter;
use super::pb::route::Route;
use super::problem::Invalid;
use crate::api::filter_order::FilterPosition;
use crate::ir::{HttpListener, HttpRoute};

mod cors;
mod credential_injector;
mod dynamic_forward_proxy;
mod grpc;
pub(super) mod health_check;
pub(super) mod not_built;
pub(super) mod router;
mod session_persistence;

/// Adds the filters of one kind that the requests of one listener need.
type Chain = fn(&HcmSource<'_>, &Sharer<'_>) -> Result<Vec<HttpFilter>, Invalid>;
/// Adds what one route says to a filter of one kind.
type PerRoute = fn(&mut Route, &HttpRoute, &HttpListener);

/// One kind of filter. Filters whose name begins with the kind's name are of that kind.
struct Kind {
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "it says what stands where; kinds that aren't built have nothing else")
    )]
    name: &'static str,
    chain: Chain,
    route: PerRoute,
}

const NONE: Chain = |_, _| Ok(Vec::new());
const NOTHING: PerRoute = |_, _, _| {};

/// Every kind in the order requests meet them; the order is Envoy Gateway's. Among others: overridden responses come
/// first, to see what later filters answer; health checks of load balancers before anything could refuse them; CORS
/// before authentication, which preflight requests don't pass; the router last.
const ORDER: &[Kind] = &[
    Kind { name: "envoy.filters.http.custom_response", chain: NONE, route: NOTHING },
    Kind { name: "envoy.filters.http.health_check", chain: health_check::chain, route: NOTHING },
    Kind { name: "envoy.filters.http.fault", chain: NONE, route: NOTHING },
    Kind { name: "envoy.filters.http.cors", chain: cors::chain, route: cors::route },
    Kind { name: "envoy.filters.http.csrf", chain: NONE, route: NOTHING },
    Kind { name: "envoy.filters.http.header_mutation", chain: header_mutation, route: NOTHING },
    Kind { name: "envoy.filters.http.ext_authz", chain: NONE, route: NOTHING },
    Kind { name: "envoy.filters.http.api_key_auth", chain: NONE, route: NOTHING },
    Kind { name: "envoy.filters.http.basic_auth", chain: NONE, route: NOTHING },
    Kind { name: "envoy.filters.http.oauth2", chain: NONE, route: NOTHING },
    Kind { name: "envoy.filters.http.jwt_authn", chain: NONE, route: NOTHING },
    Kind {
        name: "envoy.filters.http.stateful_session",
        chain: session_persistence::chain,
        route: session_persistence::route,
    },
    Kind { name: "envoy.filters.http.buffer", chain: NONE, route: NOTHING },
    Kind { name: "envoy.filters.http.lua", chain: NONE, route: NOTHING },
    Kind { name: "envoy.filters.http.ext_proc", chain: NONE, route: NOTHING },
    Kind { name: "envoy.filters.http.wasm", chain: NONE, route: NOTHING },
    Kind { name: "envoy.filters.http.dynamic_modules", chain: NONE, route: NOTHING },
    Kind { name: "envoy.filters.http.geoip", chain: NONE, route: NOTHING },
    Kind { name: "envoy.filters.http.rbac", chain: dynamic_forward_proxy::chain, route: dynamic_forward_proxy::route },
    Kind { name: "envoy.filters.http.local_ratelimit", chain: NONE, route: NOTHING },
    Kind { name: "envoy.filters.http.ratelimit", chain: NONE, route: NOTHING },
    Kind { name: "envoy.filters.http.bandwidth_limit", chain: NONE, route: NOTHING },
    Kind { name: "envoy.filters.http.grpc_web", chain: grpc::web, route: NOTHING },
    Kind { name: "envoy.filters.http.grpc_stats", chain: grpc::stats, route: NOTHING },
    Kind {
        name: "envoy.filters.http.credential_injector",
        chain: credential_injector::chain,
        route: credential_injector::route,
    },
    Kind { name: "envoy.filters.http.compressor", chain: NONE, route: NOTHING },
    Kind { name: "envoy.filters.http.dynamic_forward_proxy", chain: NONE, route: NOTHING },
    Kind { name: "envoy.filters.http.router", chain: router::chain, route: NOTHING },
];

fn header_mutation(_: &HcmSource<'_>, sharer: &Sharer<'_>) -> Result<Vec<HttpFilter>, Invalid> {
    Ok(super::header_mutation::late_mutations(sharer.listener.headers.as_ref())?.into_iter().collect())
}

/// The filters of a connection manager. Where listeners share it, the first one to bring a filter decides its options.
pub(super) fn http_filters(source: &HcmSource<'_>) -> Result<Vec<HttpFilter>, Invalid> {
    let mut filters: Vec<HttpFilter> = Vec::new();
    for kind in ORDER {
        let mut of_kind: Vec<HttpFilter> = Vec::new();
        for sharer in source.sharers {
            for filter in (kind.chain)(source, sharer)? {
                if !of_kind.iter().any(|known| known.name == filter.name) {
                    of_kind.push(filter);
                }
            }
        }
        of_kind.sort_by(|a, b| a.name.cmp(&b.name));
        filters.append(&mut of_kind);
    }
    reorder(&mut filters, source.filter_order);
    Ok(filters)
}

/// Adds what a route says to each kind of filter.
pub(super) fn configure_route(route: &mut Route, source: &HttpRoute, listener: &HttpListener) {
    for kind in ORDER {
        (kind.route)(route, source, listener);
    }
}

/// Whether the connection manager depends on this route.
pub(super) fn concerns_chain(route: &HttpRoute) -> bool {
    route.cors.is_some()
        || route.security.as_ref().is_some_and(|security| security.cors.is_some())
        || route.session_persistence.is_some()
        || route.credential_injection.is_some()
        || route.destination.as_ref().is_some_and(|destination| destination.is_dynamic_resolver())
}

/// Moves kinds of filters as the fleet's EnvoyProxy says, one rule after the other. All filters of a kind move together
/// and keep their order.
fn reorder(filters: &mut Vec<HttpFilter>, rules: &[FilterPosition]) {
    for FilterPosition { name, before, after } in rules {
        let is = |filter: &HttpFilter, kind: &str| filter.name.starts_with(kind);
        let target = match (before, after) {
            (Some(kind), _) => filters.iter().position(|filter| is(filter, kind.as_str())),
            (None, Some(kind)) => filters.iter().rposition(|filter| is(filter, kind.as_str())),
            (None, None) => None,
        };
        let Some(anchor) = target.and_then(|at| filters.get(at)).map(|filter| filter.name.clone()) else { continue };
        if anchor.starts_with(name.as_str()) {
            continue;
        }
        let (moved, mut rest): (Vec<_>, Vec<_>) =
            std::mem::take(filters).into_iter().partition(|filter| is(filter, name.as_str()));
        let at = rest.iter().position(|filter| filter.name == anchor).unwrap_or(rest.len());
        let at = if before.is_some() { at } else { at.saturating_add(1).min(rest.len()) };
        rest.splice(at..at, moved);
        *filters = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::filter_order::EnvoyFilter;

    fn names(rules: &[FilterPosition]) -> Vec<String> {
        let mut filters: Vec<HttpFilter> = [
            "envoy.filters.http.cors",
            "envoy.filters.http.wasm/a/0",
            "envoy.filters.http.wasm/a/1",
            "envoy.filters.http.router",
        ]
        .into_iter()
        .map(|name| HttpFilter { name: name.to_owned(), ..HttpFilter::default() })
        .collect();
        reorder(&mut filters, rules);
        filters.into_iter().map(|filter| filter.name.replace("envoy.filters.http.", "")).collect()
    }

    #[test]
    fn kinds_move_together_before_and_after() {
        let before = FilterPosition { name: EnvoyFilter::Wasm, before: Some(EnvoyFilter::Cors), after: None };
        assert_eq!(names(&[before]), ["wasm/a/0", "wasm/a/1", "cors", "router"]);
        let after = FilterPosition { name: EnvoyFilter::Cors, before: None, after: Some(EnvoyFilter::Wasm) };
        assert_eq!(names(&[after]), ["wasm/a/0", "wasm/a/1", "cors", "router"]);
        let absent = FilterPosition { name: EnvoyFilter::Cors, before: Some(EnvoyFilter::Lua), after: None };
        assert_eq!(names(&[absent]), ["cors", "wasm/a/0", "wasm/a/1", "router"]);
    }

    #[test]
    fn the_order_names_every_kind_once_and_ends_with_the_router() {
        let mut known: Vec<&str> = ORDER.iter().map(|kind| kind.name).collect();
        assert_eq!(known.last(), Some(&"envoy.filters.http.router"));
        known.sort_unstable();
        known.dedup();
        assert_eq!(known.len(), ORDER.len());
    }
}
