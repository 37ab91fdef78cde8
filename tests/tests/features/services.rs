//! Services as backends: by their endpoints, by their cluster IP where the EnvoyProxy says so, and headless ones.

use gateway_tests::agent::{Agent, served};
use gateway_tests::manifests::{GATEWAY, http_route, service};

const CLUSTER: &str = "httproute/shop/checkout/rule/0";

fn checkout() -> String {
    http_route("checkout", "  rules: [{backendRefs: [{name: cart, port: 80}]}]")
}

#[tokio::test]
async fn the_ready_endpoints_of_all_slices() {
    let mut cart = service("shop", "cart", &[("10.0.0.1", 8080), ("10.0.0.2", 8081)]);
    cart.push_str(
        "---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: cart-new, namespace: shop, labels: {kubernetes.io/service-name: cart}}
addressType: IPv4
ports: [{name: http, port: 8080, protocol: TCP}]
endpoints: [{addresses: [10.0.0.3], conditions: {ready: false}}]
",
    );
    let proxy = served(&[GATEWAY, &cart, &checkout()]).await;
    proxy.expect_cluster(CLUSTER, "{type: EDS, edsClusterConfig: {serviceName: httproute/shop/checkout/rule/0}}");
    // One that isn't ready is drained: what is under way on it may end.
    gateway_tests::contains::assert_contains(
        proxy.resource(gateway_shared::xds::table::ResourceType::Endpoints, CLUSTER),
        "
endpoints:
- lbEndpoints:
  - {endpoint: {address: {socketAddress: {address: 10.0.0.1, portValue: 8080}}}, healthStatus: null}
  - {endpoint: {address: {socketAddress: {address: 10.0.0.2, portValue: 8081}}}, healthStatus: null}
  - {endpoint: {address: {socketAddress: {address: 10.0.0.3, portValue: 8080}}}, healthStatus: DRAINING}",
    );
}

#[tokio::test]
async fn an_endpoint_that_comes_changes_endpoints_and_nothing_else() {
    let agent = Agent::start(&[GATEWAY, &checkout()]).await;
    agent.write("cart.yaml", &[&service("shop", "cart", &[("10.0.0.1", 8080)])]);
    let mut client = agent.client("infra/edge");
    let endpoints = gateway_shared::xds::table::ResourceType::Endpoints;
    let text = |received: &gateway_tests::xds_client::Received| {
        received.get(endpoints, CLUSTER).map(ToString::to_string).unwrap_or_default()
    };
    let before = client.until("one endpoint", |received| text(received).contains("10.0.0.1")).await;
    agent.write("cart.yaml", &[&service("shop", "cart", &[("10.0.0.1", 8080), ("10.0.0.9", 8080)])]);
    let after = client.until("two endpoints", |received| text(received).contains("10.0.0.9")).await;
    let kinds: Vec<_> = after.responses.iter().skip(before.responses.len()).map(|response| response.kind).collect();
    assert_eq!(kinds, [endpoints]);
}

#[tokio::test]
async fn by_cluster_ip_where_the_envoy_proxy_says_so() {
    let gateway = GATEWAY.replace(
        "  gatewayClassName: eg\n",
        "  gatewayClassName: eg\n  infrastructure: {parametersRef: {group: gateway.envoyproxy.io, kind: EnvoyProxy, name: edge}}\n",
    );
    let proxy = "
apiVersion: gateway.envoyproxy.io/v1alpha1
kind: EnvoyProxy
metadata: {name: edge, namespace: infra}
spec: {routingType: Service}
";
    let proxy = served(&[&gateway, proxy, &service("shop", "cart", &[("10.0.0.1", 8080)]), &checkout()]).await;
    assert_eq!(proxy.endpoints(CLUSTER), ["10.96.0.10:80"]);
}

#[tokio::test]
async fn a_headless_service_has_nothing_but_endpoints() {
    let cart = service("shop", "cart", &[("10.0.0.1", 8080)]).replace("clusterIP: 10.96.0.10", "clusterIP: None");
    let proxy = served(&[GATEWAY, &cart, &checkout()]).await;
    assert_eq!(proxy.endpoints(CLUSTER), ["10.0.0.1:8080"]);
}
