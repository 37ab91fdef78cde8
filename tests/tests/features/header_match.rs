//! `matches[].headers`: all of them have to agree, by value or by regular expression.

use crate::route;

#[tokio::test]
async fn by_value_and_by_regular_expression() {
    let proxy = route(
        "
  rules:
  - matches:
    - headers:
      - {name: X-Tenant, value: acme}
      - {name: X-Version, type: RegularExpression, value: 'v[12]'}
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_route(
        "*",
        "
match:
  prefix: /
  headers:
  - {name: X-Tenant, stringMatch: {exact: acme}}
  - {name: X-Version, stringMatch: {safeRegex: {regex: 'v[12]'}}}",
    );
}

#[tokio::test]
async fn several_matches_are_several_routes() {
    let proxy = route(
        "
  rules:
  - matches:
    - headers: [{name: x-a, value: '1'}]
    - headers: [{name: x-b, value: '2'}]
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_routes(
        "*",
        "
- {match: {headers: [{name: x-a}]}, route: {cluster: httproute/shop/checkout/rule/0}}
- {match: {headers: [{name: x-b}]}, route: {cluster: httproute/shop/checkout/rule/0}}",
    );
}
