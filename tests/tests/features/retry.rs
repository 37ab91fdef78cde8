//! `retry`: which failures are tried again, how often, and after what pause.

use crate::route;

#[tokio::test]
async fn codes_attempts_and_backoff() {
    let proxy = route(
        "
  rules:
  - retry: {codes: [500, 503], attempts: 3, backoff: 100ms}
    timeouts: {request: 10s, backendRequest: 2s}
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_route(
        "*",
        "
route:
  timeout: 10s
  retryPolicy:
    retriableStatusCodes: [500, 503]
    numRetries: 3
    perTryTimeout: 2s
    retryBackOff: {baseInterval: 0.100s}
    retryOn: connect-failure,refused-stream,unavailable,cancelled,retriable-status-codes",
    );
}
