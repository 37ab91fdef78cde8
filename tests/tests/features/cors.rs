//! `CORS`: which pages of other origins may call, answered by Envoy itself.

use gateway_tests::contains::assert_contains;

use crate::route;

#[tokio::test]
async fn origins_methods_and_headers() {
    let proxy = route(
        "
  rules:
  - filters:
    - type: CORS
      cors:
        allowOrigins: ['https://app.example.com', 'https://*.example.org']
        allowMethods: [GET, POST]
        allowHeaders: [x-token]
        exposeHeaders: [x-total]
        allowCredentials: true
        maxAge: 600
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_route(
        "*",
        r"
typedPerFilterConfig:
  envoy.filters.http.cors:
    allowOriginStringMatch:
    - exact: https://app.example.com
    - safeRegex: {regex: 'https://.*\.example\.org'}
    allowMethods: GET, POST
    allowHeaders: x-token
    exposeHeaders: x-total
    allowCredentials: true
    maxAge: '600'",
    );
    let listener = proxy.listener("infra/edge/http");
    let filters: Vec<&str> = listener
        .pointer("/defaultFilterChain/filters/0/typedConfig/httpFilters")
        .and_then(serde_json::Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|filter| filter.get("name")?.as_str())
        .collect();
    assert_eq!(filters, ["envoy.filters.http.cors", "envoy.filters.http.router"], "{listener:#}");
}

#[tokio::test]
async fn a_route_for_one_method_still_answers_preflight_requests() {
    let proxy = route(
        "
  rules:
  - matches: [{method: GET, path: {value: /list}}]
    filters: [{type: CORS, cors: {allowOrigins: ['https://app.example.com']}}]
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    let routes = serde_json::Value::Array(proxy.routes("*").to_vec());
    assert_contains(
        &routes,
        "
- name: httproute/shop/checkout/rule/0/match/0/cors-preflight/*
  match:
    headers: [{name: ':method', stringMatch: {exact: OPTIONS}}, {name: origin}, {name: access-control-request-method}]
- name: httproute/shop/checkout/rule/0/match/0/*
  match: {headers: [{name: ':method', stringMatch: {exact: GET}}]}",
    );
}
