//! ReferenceGrant: what a namespace lets others refer to. Without it a backend elsewhere is an error for the client, and
//! a certificate elsewhere is no certificate.

use gateway_shared::xds::table::ResourceType;
use gateway_tests::agent::{Agent, served};
use gateway_tests::certificates::{Authority, secret};
use gateway_tests::manifests::{GATEWAY, http_route, service};

const ROUTE: &str = "  rules: [{backendRefs: [{name: cart, namespace: stores, port: 80}]}]";

const GRANT: &str = "
apiVersion: gateway.networking.k8s.io/v1
kind: ReferenceGrant
metadata: {name: shop, namespace: stores}
spec:
  from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: shop}]
  to: [{group: '', kind: Service, name: cart}]
";

#[tokio::test]
async fn a_backend_needs_one_and_loses_the_traffic_without() {
    let cart = service("stores", "cart", &[("10.0.0.1", 8080)]);
    let agent = Agent::start(&[GATEWAY, &cart, &http_route("checkout", ROUTE)]).await;
    agent.proxy("infra/edge").await.expect_route("*", "{directResponse: {status: 500}, route: null}");

    agent
        .expect_status(
            "HTTPRoute",
            "shop/checkout",
            "
parents:
- conditions:
  - {type: Accepted, status: 'True'}
  - {type: ResolvedRefs, status: 'False', reason: RefNotPermitted}",
        )
        .await;

    let mut client = agent.client("infra/edge");
    let cluster = "httproute/shop/checkout/rule/0";
    let served =
        |received: &gateway_tests::xds_client::Received| received.get(ResourceType::Endpoints, cluster).is_some();
    agent.write("grant.yaml", &[GRANT]);
    client.until("the backend is served", served).await;

    agent.remove("grant.yaml");
    client.until("the backend is gone", |received| !served(received)).await;
}

#[tokio::test]
async fn a_grant_for_another_namespace_or_name_is_none() {
    let cart = service("stores", "cart", &[("10.0.0.1", 8080)]);
    for grant in [GRANT.replace("namespace: shop}", "namespace: infra}"), GRANT.replace("name: cart", "name: other")] {
        let proxy = served(&[GATEWAY, &cart, &grant, &http_route("checkout", ROUTE)]).await;
        proxy.expect_route("*", "{directResponse: {status: 500}, route: null}");
    }
}

#[tokio::test]
async fn a_certificate_needs_one() {
    let https = GATEWAY.replace(
        "{name: http, protocol: HTTP, port: 8080, ",
        "{name: https, protocol: HTTPS, port: 8443, tls: {certificateRefs: [{name: shop, namespace: secrets}]}, ",
    );
    let certificate = secret("secrets", "shop", &Authority::new().certificate("shop.example.com"));
    let route = http_route("checkout", "  rules: [{backendRefs: [{name: cart, port: 80}]}]");
    let cart = service("shop", "cart", &[("10.0.0.1", 8080)]);
    let grant = GRANT
        .replace("namespace: stores", "namespace: secrets")
        .replace("kind: HTTPRoute, namespace: shop", "kind: Gateway, namespace: infra")
        .replace("kind: Service, name: cart", "kind: Secret");

    let without = served(&[&https, &certificate, &route, &cart]).await;
    assert_eq!(without.listeners(), [] as [&str; 0]);

    let with = served(&[&https, &certificate, &route, &cart, &grant]).await;
    assert_eq!(with.listeners(), ["infra/edge/https"]);
    assert_eq!(with.names(ResourceType::Secret), ["secrets/shop"]);
}
