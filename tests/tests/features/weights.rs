//! `backendRefs[].weight`: shares of the requests.

use gateway_shared::xds::table::ResourceType;

use crate::route;

#[tokio::test]
async fn two_backends_of_one_cluster_share_by_weight() {
    let proxy = route(
        "
  rules:
  - backendRefs:
    - {name: cart, port: 80, weight: 9}
    - {name: stock, port: 80, weight: 1}",
    )
    .await;
    let cluster = "httproute/shop/checkout/rule/0";
    proxy.expect_route("*", &format!("route: {{cluster: {cluster}}}"));
    assert_eq!(proxy.endpoints(cluster), ["10.0.0.1:8080", "10.0.0.2:8080"]);
    gateway_tests::contains::assert_contains(
        proxy.resource(ResourceType::Endpoints, cluster),
        "
endpoints:
- {loadBalancingWeight: 9, locality: {region: httproute/shop/checkout/rule/0/backend/0}}
- {loadBalancingWeight: 1, locality: {region: httproute/shop/checkout/rule/0/backend/1}}",
    );
}

#[tokio::test]
async fn weight_zero_gets_nothing() {
    let proxy = route(
        "
  rules:
  - backendRefs:
    - {name: cart, port: 80}
    - {name: stock, port: 80, weight: 0}",
    )
    .await;
    assert_eq!(proxy.endpoints("httproute/shop/checkout/rule/0"), ["10.0.0.1:8080"]);
}

#[tokio::test]
async fn all_weights_zero_is_an_error_for_the_client() {
    let proxy = route("  rules: [{backendRefs: [{name: cart, port: 80, weight: 0}]}]").await;
    proxy.expect_route("*", "{directResponse: {status: 500}, route: null}");
}
