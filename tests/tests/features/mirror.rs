//! `RequestMirror`: a copy of all or some requests goes to another backend, whose answer nobody sees.

use crate::route;

#[tokio::test]
async fn all_requests() {
    let proxy = route(
        "
  rules:
  - filters: [{type: RequestMirror, requestMirror: {backendRef: {name: stock, port: 80}}}]
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    let copy = "httproute/shop/checkout/rule/0-mirror-0";
    proxy.expect_route("*", &format!("route: {{requestMirrorPolicies: [{{cluster: {copy}}}]}}"));
    assert_eq!(proxy.endpoints(copy), ["10.0.0.2:8080"]);
}

#[tokio::test]
async fn some_in_a_hundred_or_any_other_fraction() {
    let proxy = route(
        "
  rules:
  - filters:
    - {type: RequestMirror, requestMirror: {percent: 20, backendRef: {name: stock, port: 80}}}
    - {type: RequestMirror, requestMirror: {fraction: {numerator: 1, denominator: 8}, backendRef: {name: cart, port: 80}}}
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_route(
        "*",
        "
route:
  requestMirrorPolicies:
  - {cluster: httproute/shop/checkout/rule/0-mirror-0, runtimeFraction: {defaultValue: {numerator: 200000, denominator: MILLION}}}
  - {cluster: httproute/shop/checkout/rule/0-mirror-1, runtimeFraction: {defaultValue: {numerator: 125000, denominator: MILLION}}}",
    );
}
