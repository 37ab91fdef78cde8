//! `matches[].queryParams`: by value or by regular expression.

use crate::route;

#[tokio::test]
async fn by_value_and_by_regular_expression() {
    let proxy = route(
        "
  rules:
  - matches:
    - queryParams:
      - {name: debug, value: 'yes'}
      - {name: page, type: RegularExpression, value: '[0-9]+'}
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_route(
        "*",
        "
match:
  prefix: /
  queryParameters:
  - {name: debug, stringMatch: {exact: 'yes'}}
  - {name: page, stringMatch: {safeRegex: {regex: '[0-9]+'}}}",
    );
}
