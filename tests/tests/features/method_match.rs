//! `matches[].method`: one HTTP method.

use crate::route;

#[tokio::test]
async fn one_method() {
    let proxy = route(
        "
  rules:
  - matches: [{method: DELETE}]
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_route("*", "match: {headers: [{name: ':method', stringMatch: {exact: DELETE}}]}");
}
