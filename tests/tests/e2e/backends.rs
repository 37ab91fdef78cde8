//! What is spoken with backends, and what becomes of requests they fail.

use gateway_tests::client::get;
use gateway_tests::manifests::{http_route, service};

use crate::Serving;

#[tokio::test]
async fn http2_where_the_service_says_so() {
    let Some(serving) = Serving::route("  rules: [{backendRefs: [{name: cart, port: 80}]}]").await else { return };
    assert_eq!(serving.ask(&get("x/")).await.asked("http2"), false);
    let h2c = service("shop", "fast", &[("127.0.0.1", serving.stock.port)])
        .replace("protocol: TCP}]\n---", "protocol: TCP, appProtocol: kubernetes.io/h2c}]\n---");
    let route = http_route(
        "fast",
        "
  rules:
  - matches: [{path: {value: /fast}}]
    backendRefs: [{name: fast, port: 80}]",
    );
    serving.agent.write("fast.yaml", &[&h2c, &route]);
    let answer = serving.until(&get("x/fast"), |answer| answer.backend() == "stock").await;
    assert_eq!(answer.asked("http2"), true);
}

#[tokio::test]
async fn a_failure_is_tried_again_as_often_as_asked_for() {
    let rules = "
  rules:
  - retry: {codes: [503], attempts: 2, backoff: 1ms}
    backendRefs: [{name: cart, port: 80}]";
    let Some(serving) = Serving::route(rules).await else { return };
    serving.ask(&get("x/")).await;
    let before = serving.cart.served();
    let status = get("x/status/503").of(serving.port).await.map(|answer| answer.status);
    assert_eq!(status.ok(), Some(503));
    assert_eq!(serving.cart.served() - before, 3, "the first attempt and two more");
    let before = serving.cart.served();
    let status = get("x/status/500").of(serving.port).await.map(|answer| answer.status);
    assert_eq!(status.ok(), Some(500));
    assert_eq!(serving.cart.served() - before, 1, "500 is not tried again");
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_given_up() {
    let rules = "
  rules:
  - timeouts: {request: 200ms}
    backendRefs: [{name: cart, port: 80}]";
    let Some(serving) = Serving::route(rules).await else { return };
    serving.ask(&get("x/")).await;
    let status = get("x/delay/15000").of(serving.port).await.map(|answer| answer.status);
    assert_eq!(status.ok(), Some(504));
}
