//! `matches[].path`: a whole path, the beginning of one, or a regular expression.

use crate::route;

#[tokio::test]
async fn exact() {
    let proxy = route(
        "
  rules:
  - matches: [{path: {type: Exact, value: /login}}]
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_route(
        "*",
        "
name: httproute/shop/checkout/rule/0/match/0/*
match: {path: /login, prefix: null, pathSeparatedPrefix: null}
route: {cluster: httproute/shop/checkout/rule/0}",
    );
    assert_eq!(proxy.endpoints("httproute/shop/checkout/rule/0"), ["10.0.0.1:8080"]);
}

#[tokio::test]
async fn a_prefix_ends_at_a_slash() {
    let proxy = route(
        "
  rules:
  - matches: [{path: {type: PathPrefix, value: /cart}}]
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_route("*", "match: {pathSeparatedPrefix: /cart}");
}

#[tokio::test]
async fn a_slash_at_the_end_of_a_prefix_makes_no_difference() {
    let proxy = route(
        "
  rules:
  - matches: [{path: {type: PathPrefix, value: /cart/}}]
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_route("*", "match: {pathSeparatedPrefix: /cart}");
}

#[tokio::test]
async fn no_match_is_every_path() {
    let proxy = route(
        "
  rules:
  - backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_route("*", "match: {prefix: /}");
}

#[tokio::test]
async fn a_regular_expression() {
    let proxy = route(
        "
  rules:
  - matches: [{path: {type: RegularExpression, value: '/item/[0-9]+'}}]
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_route("*", "match: {safeRegex: {regex: '/item/[0-9]+'}}");
}

#[tokio::test]
async fn a_broken_regular_expression_costs_only_its_own_route() {
    let proxy = route(
        "
  hostnames: [shop.example.com]
  rules:
  - matches: [{path: {type: RegularExpression, value: '/item/('}}]
    backendRefs: [{name: cart, port: 80}]
  - matches: [{path: {type: Exact, value: /fine}}]
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_routes("shop.example.com", "[{match: {path: /fine}}]");
}
