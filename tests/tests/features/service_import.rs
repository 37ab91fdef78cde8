//! ServiceImport (multicluster.x-k8s.io) as a backend: by the endpoints of its slices.

use gateway_tests::agent::served;
use gateway_tests::manifests::{GATEWAY, http_route};

#[tokio::test]
async fn its_endpoints_are_found_by_their_label() {
    let import = "
apiVersion: multicluster.x-k8s.io/v1alpha1
kind: ServiceImport
metadata: {name: cart, namespace: shop}
spec:
  type: ClusterSetIP
  ips: [10.97.0.1]
  ports: [{name: http, port: 80, protocol: TCP}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: cart-import, namespace: shop, labels: {multicluster.kubernetes.io/service-name: cart}}
addressType: IPv4
ports: [{name: http, port: 8080, protocol: TCP}]
endpoints: [{addresses: [10.7.0.1], conditions: {ready: true}}]
";
    let route = http_route(
        "checkout",
        "  rules: [{backendRefs: [{group: multicluster.x-k8s.io, kind: ServiceImport, name: cart, port: 80}]}]",
    );
    let proxy = served(&[GATEWAY, import, &route]).await;
    assert_eq!(proxy.endpoints("httproute/shop/checkout/rule/0"), ["10.7.0.1:8080"]);
}
