//! Backend (gateway.envoyproxy.io) as a backend: addresses and host names that are no Service.

use gateway_tests::agent::served;
use gateway_tests::manifests::{GATEWAY, http_route};
use gateway_tests::proxy_config::ProxyConfig;

const CLUSTER: &str = "httproute/shop/checkout/rule/0";

async fn backend(endpoints: &str) -> ProxyConfig {
    let backend = format!(
        "
apiVersion: gateway.envoyproxy.io/v1alpha1
kind: Backend
metadata: {{name: legacy, namespace: shop}}
spec: {{endpoints: {endpoints}}}
"
    );
    let route = http_route(
        "checkout",
        "  rules: [{backendRefs: [{group: gateway.envoyproxy.io, kind: Backend, name: legacy}]}]",
    );
    served(&[GATEWAY, &backend, &route]).await
}

#[tokio::test]
async fn addresses() {
    let proxy = backend("[{ip: {address: 192.0.2.1, port: 9000}}, {ip: {address: 192.0.2.2, port: 9001}}]").await;
    assert_eq!(proxy.endpoints(CLUSTER), ["192.0.2.1:9000", "192.0.2.2:9001"]);
}

#[tokio::test]
async fn a_host_name_is_resolved_by_envoy() {
    let proxy = backend("[{fqdn: {hostname: legacy.example.com, port: 9000}}]").await;
    assert_eq!(proxy.endpoints(CLUSTER), ["legacy.example.com:9000"]);
    assert_ne!(proxy.cluster(CLUSTER).get("type").and_then(serde_json::Value::as_str), Some("EDS"));
}

#[tokio::test]
async fn a_unix_socket_is_not_for_routes() {
    let proxy = backend("[{unix: {path: /run/legacy.sock}}]").await;
    proxy.expect_route("*", "{directResponse: {status: 500}, route: null}");
}
