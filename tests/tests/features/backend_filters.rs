//! `backendRefs[].filters`: filters for the requests that go to one of several backends.

use crate::route;

#[tokio::test]
async fn each_backend_becomes_a_cluster_of_its_own() {
    let proxy = route(
        "
  rules:
  - backendRefs:
    - name: cart
      port: 80
      weight: 3
      filters:
      - {type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: x-variant, value: new}]}}
    - {name: stock, port: 80, weight: 1}",
    )
    .await;
    proxy.expect_route(
        "*",
        "
route:
  weightedClusters:
    clusters:
    - name: httproute/shop/checkout/rule/0/backend/0
      weight: 3
      requestHeadersToAdd: [{header: {key: x-variant, value: new}, appendAction: OVERWRITE_IF_EXISTS_OR_ADD}]
    - {name: httproute/shop/checkout/rule/0/backend/1, weight: 1}",
    );
    assert_eq!(proxy.endpoints("httproute/shop/checkout/rule/0/backend/0"), ["10.0.0.1:8080"]);
    assert_eq!(proxy.endpoints("httproute/shop/checkout/rule/0/backend/1"), ["10.0.0.2:8080"]);
}
