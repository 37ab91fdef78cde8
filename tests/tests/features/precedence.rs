//! Which of several routes that match is tried first: an exact path before a prefix, the longer path before the shorter,
//! then more headers, more query parameters, and at last the older Route.

use gateway_tests::agent::served;
use gateway_tests::manifests::{GATEWAY, http_route, service};

use crate::route;

#[tokio::test]
async fn the_more_specific_match_goes_first_whatever_its_place() {
    let proxy = route(
        "
  rules:
  - matches:
    - path: {value: /}
    - path: {value: /a}
      queryParams: [{name: q, value: '1'}]
    - path: {value: /a}
      headers: [{name: h, value: '1'}]
    - path: {value: /a}
      headers: [{name: h, value: '1'}, {name: i, value: '2'}]
    - path: {value: /a/longer}
    - path: {type: Exact, value: /a}
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_routes(
        "*",
        "
- match: {path: /a}
- match: {pathSeparatedPrefix: /a/longer}
- match: {pathSeparatedPrefix: /a, headers: [{name: h}, {name: i}]}
- match: {pathSeparatedPrefix: /a, headers: [{name: h}]}
- match: {pathSeparatedPrefix: /a, queryParameters: [{name: q}]}
- match: {prefix: /}",
    );
}

#[tokio::test]
async fn of_equal_matches_the_older_route_wins_then_the_name() {
    let dated = |name: &str, created: &str| {
        http_route(name, "  rules: [{backendRefs: [{name: cart, port: 80}]}]").replace(
            &format!("{{name: {name}, namespace: shop}}"),
            &format!("{{name: {name}, namespace: shop, creationTimestamp: {created}}}"),
        )
    };
    let proxy = served(&[
        GATEWAY,
        &service("shop", "cart", &[("10.0.0.1", 8080)]),
        &dated("a-young", "2026-03-01T00:00:00Z"),
        &dated("c-old", "2026-01-01T00:00:00Z"),
        &dated("b-old", "2026-01-01T00:00:00Z"),
    ])
    .await;
    proxy.expect_routes(
        "*",
        "
- name: httproute/shop/b-old/rule/0/match/-1/*
- name: httproute/shop/c-old/rule/0/match/-1/*
- name: httproute/shop/a-young/rule/0/match/-1/*",
    );
}
