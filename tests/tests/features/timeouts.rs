//! `timeouts`: how long a request may take in all, and one attempt at a backend.

use crate::route;

#[tokio::test]
async fn the_whole_request() {
    let proxy = route(
        "
  rules:
  - timeouts: {request: 5s}
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_route("*", "route: {timeout: 5s}");
}

#[tokio::test]
async fn one_attempt_without_retries_is_the_whole_request() {
    let proxy = route(
        "
  rules:
  - timeouts: {backendRequest: 2s}
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_route("*", "route: {timeout: 2s}");
}

#[tokio::test]
async fn zero_switches_the_limit_off() {
    let proxy = route(
        "
  rules:
  - timeouts: {request: 0s}
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_route("*", "route: {timeout: 0s}");
}
