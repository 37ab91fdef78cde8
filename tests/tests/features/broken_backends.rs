//! Backends that can't be used: a client is told with 500 that the reference is wrong, with 503 that nobody is there.

use gateway_shared::xds::table::ResourceType;
use gateway_tests::agent::{Agent, served};
use gateway_tests::manifests::{GATEWAY, http_route, service};

use crate::route;

#[tokio::test]
async fn a_service_that_is_not_there_is_500() {
    let proxy = route("  rules: [{backendRefs: [{name: nowhere, port: 80}]}]").await;
    proxy.expect_route("*", "{directResponse: {status: 500}, route: null}");
    assert_eq!(proxy.names(ResourceType::Cluster), [] as [&str; 0]);
}

#[tokio::test]
async fn a_port_the_service_does_not_have_is_500() {
    let proxy = route("  rules: [{backendRefs: [{name: cart, port: 81}]}]").await;
    proxy.expect_route("*", "{directResponse: {status: 500}, route: null}");
}

#[tokio::test]
async fn a_service_without_endpoints_is_503() {
    let checkout = http_route("checkout", "  rules: [{backendRefs: [{name: cart, port: 80}]}]");
    let proxy = served(&[GATEWAY, &service("shop", "cart", &[]), &checkout]).await;
    proxy.expect_route("*", "{directResponse: {status: 503}, route: null}");
}

#[tokio::test]
async fn an_external_name_is_refused() {
    let external = "
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: shop}
spec: {type: ExternalName, externalName: elsewhere.example.com, ports: [{port: 80}]}
";
    let checkout = http_route("checkout", "  rules: [{backendRefs: [{name: cart, port: 80}]}]");
    let agent = Agent::start(&[GATEWAY, external, &checkout]).await;
    agent.proxy("infra/edge").await.expect_route("*", "{directResponse: {status: 500}, route: null}");
    agent
        .expect_status(
            "HTTPRoute",
            "shop/checkout",
            "
parents:
- conditions:
  - {type: Accepted, status: 'True'}
  - {type: ResolvedRefs, status: 'False', reason: UnsupportedValue}",
        )
        .await;
}

#[tokio::test]
async fn a_broken_one_among_good_ones_costs_its_share() {
    let proxy = route(
        "
  rules:
  - backendRefs:
    - {name: cart, port: 80, weight: 3}
    - {name: nowhere, port: 80, weight: 1}",
    )
    .await;
    proxy.expect_route(
        "*",
        "
route:
  clusterNotFoundResponseCode: INTERNAL_SERVER_ERROR
  weightedClusters:
    clusters:
    - {name: invalid-backend-cluster, weight: 1}
    - {name: httproute/shop/checkout/rule/0/backend/0, weight: 3}",
    );
}
