//! What a client is told when a backend can't be used.

use gateway_tests::client::get;
use gateway_tests::manifests::service;

use crate::Serving;

#[tokio::test]
async fn a_missing_service_is_500_and_no_endpoints_are_503_until_they_come() {
    let rules = "
  rules:
  - matches: [{path: {value: /missing}}]
    backendRefs: [{name: nowhere, port: 80}]
  - backendRefs: [{name: idle, port: 80}]";
    let Some(serving) = Serving::route(rules).await else { return };
    serving.agent.write("idle.yaml", &[&service("shop", "idle", &[])]);
    assert_eq!(serving.until(&get("x/missing"), |answer| answer.status == 500).await.status, 500);
    serving.until(&get("x/"), |answer| answer.status == 503).await;
    serving.agent.write("idle.yaml", &[&service("shop", "idle", &[("127.0.0.1", serving.cart.port)])]);
    assert_eq!(serving.ask(&get("x/")).await.backend(), "cart");
    assert_eq!(get("x/missing").of(serving.port).await.map(|answer| answer.status).ok(), Some(500));
}
