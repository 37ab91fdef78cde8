//! One file for each feature of HTTPRoute: add objects, ask over gRPC as Envoy does, look at what it is told.
//!
//! Each test runs a whole agent: it writes manifests into a watched folder and compares the messages a proxy is sent, in
//! their JSON form, with the part the feature is about.

mod allowed_routes;
mod app_protocol;
mod backend_filters;
mod backend_resource;
mod broken_backends;
mod cors;
mod header_match;
mod header_modifier;
mod hostnames;
mod listener_conflict;
mod live_change;
mod method_match;
mod mirror;
mod named_rules;
mod overlaps;
mod path_match;
mod precedence;
mod query_match;
mod redirect;
mod reference_grant;
mod retry;
mod service_import;
mod services;
mod session_persistence;
mod timeouts;
mod tls_termination;
mod url_rewrite;
mod weights;

use gateway_tests::agent::served;
use gateway_tests::manifests::{GATEWAY, http_route, service};
use gateway_tests::proxy_config::ProxyConfig;

/// What a proxy of `infra/edge` is sent for one HTTPRoute `shop/checkout` with this specification, beside the Services
/// `cart` (10.0.0.1) and `stock` (10.0.0.2) in its namespace.
async fn route(spec: &str) -> ProxyConfig {
    let route = http_route("checkout", spec);
    served(&[
        GATEWAY,
        &service("shop", "cart", &[("10.0.0.1", 8080)]),
        &service("shop", "stock", &[("10.0.0.2", 8080)]),
        &route,
    ])
    .await
}
