//! `appProtocol` of a Service's port: what is spoken with the backend.

use gateway_tests::agent::served;
use gateway_tests::manifests::{GATEWAY, http_route, service};

#[tokio::test]
async fn h2c_is_http2_without_tls() {
    let h2c = service("shop", "cart", &[("10.0.0.1", 8080)])
        .replace("protocol: TCP}]\n---", "protocol: TCP, appProtocol: kubernetes.io/h2c}]\n---");
    assert!(h2c.contains("appProtocol"));
    let route = http_route("checkout", "  rules: [{backendRefs: [{name: cart, port: 80}]}]");
    let proxy = served(&[GATEWAY, &h2c, &route]).await;
    proxy.expect_cluster(
        "httproute/shop/checkout/rule/0",
        "
typedExtensionProtocolOptions:
  envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
    explicitHttpConfig: {http2ProtocolOptions: {}}",
    );
}

#[tokio::test]
async fn without_it_http1_is_spoken() {
    let route = http_route("checkout", "  rules: [{backendRefs: [{name: cart, port: 80}]}]");
    let proxy = served(&[GATEWAY, &service("shop", "cart", &[("10.0.0.1", 8080)]), &route]).await;
    proxy.expect_cluster("httproute/shop/checkout/rule/0", "typedExtensionProtocolOptions: null");
}
