//! `hostnames`: a Route serves the names it has in common with a listener, and listeners keep their names to themselves.

use gateway_tests::agent::served;
use gateway_tests::manifests::{GATEWAY, http_route, service};

const BACKEND: &str = "  rules: [{backendRefs: [{name: cart, port: 80}]}]";

fn gateway(listeners: &str) -> String {
    GATEWAY.replace("  - {name: http, protocol: HTTP, port: 8080, allowedRoutes: {namespaces: {from: All}}}", listeners)
}

async fn with(listeners: &str, routes: &[(&str, &str)]) -> gateway_tests::proxy_config::ProxyConfig {
    let mut documents = vec![gateway(listeners), service("shop", "cart", &[("10.0.0.1", 8080)])];
    documents.extend(
        routes.iter().map(|(name, hostnames)| http_route(name, &format!("  hostnames: {hostnames}\n{BACKEND}"))),
    );
    served(&documents.iter().map(String::as_str).collect::<Vec<_>>()).await
}

const ALL: &str = "allowedRoutes: {namespaces: {from: All}}";

#[tokio::test]
async fn each_name_is_a_virtual_host_and_a_wildcard_stands_for_one_or_more_labels() {
    let proxy = with(
        &format!("  - {{name: http, protocol: HTTP, port: 8080, {ALL}}}"),
        &[("checkout", "[shop.example.com, '*.example.org']")],
    )
    .await;
    assert_eq!(proxy.domains(), ["infra/edge/http: *.example.org", "infra/edge/http: shop.example.com"]);
}

#[tokio::test]
async fn a_route_without_names_takes_those_of_the_listener() {
    let proxy = with(
        &format!("  - {{name: http, protocol: HTTP, port: 8080, hostname: '*.example.com', {ALL}}}"),
        &[("checkout", "[]")],
    )
    .await;
    proxy.expect_route("*.example.com", "route: {cluster: httproute/shop/checkout/rule/0}");
}

#[tokio::test]
async fn a_wildcard_of_the_listener_narrows_to_the_names_of_the_route() {
    let proxy = with(
        &format!("  - {{name: http, protocol: HTTP, port: 8080, hostname: '*.example.com', {ALL}}}"),
        &[("checkout", "[shop.example.com, other.org]")],
    )
    .await;
    proxy.expect_route("shop.example.com", "route: {cluster: httproute/shop/checkout/rule/0}");
    assert!(!proxy.domains().iter().any(|domain| domain.contains("other.org")), "{:?}", proxy.domains());
}

#[tokio::test]
async fn names_that_do_not_meet_serve_nothing() {
    let proxy = with(
        &format!("  - {{name: http, protocol: HTTP, port: 8080, hostname: shop.example.com, {ALL}}}"),
        &[("checkout", "[other.org]")],
    )
    .await;
    assert_eq!(proxy.domains(), [] as [&str; 0]);
}

#[tokio::test]
async fn the_listener_with_the_closest_name_has_a_request_to_itself() {
    let proxy = with(
        &format!(
            "  - {{name: any, protocol: HTTP, port: 8080, hostname: '*.example.com', {ALL}}}
  - {{name: shop, protocol: HTTP, port: 8080, hostname: shop.example.com, {ALL}}}"
        ),
        &[("checkout", "[shop.example.com]")],
    )
    .await;
    // The Route meets both listeners, but only the closer one answers for the name.
    let hosts: Vec<_> = proxy.domains().into_iter().filter(|domain| domain.ends_with(" shop.example.com")).collect();
    assert_eq!(hosts.len(), 1, "{:?}", proxy.domains());
    proxy.expect_route("shop.example.com", "route: {cluster: httproute/shop/checkout/rule/0}");
}
