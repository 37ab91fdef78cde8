//! HTTPS: one port, two certificates, the right one by the name the client asks for.

use gateway_tests::certificates::{Authority, secret};
use gateway_tests::client::get;
use gateway_tests::manifests::http_route;
use gateway_tests::wait;

use crate::Serving;

#[tokio::test]
async fn two_certificates_by_server_name_and_a_rotated_one_is_used_at_once() {
    let authority = Authority::new();
    let port = gateway_tests::envoy::free_port();
    let gateway = format!(
        "
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {{name: eg}}
spec: {{controllerName: gateway.envoyproxy.io/gatewayclass-controller}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {{name: edge, namespace: infra}}
spec:
  gatewayClassName: eg
  listeners:
  - {{name: shop, protocol: HTTPS, port: {port}, hostname: shop.example.com, tls: {{certificateRefs: [{{name: shop}}]}}, allowedRoutes: {{namespaces: {{from: All}}}}}}
  - {{name: help, protocol: HTTPS, port: {port}, hostname: help.example.com, tls: {{certificateRefs: [{{name: help}}]}}, allowedRoutes: {{namespaces: {{from: All}}}}}}
"
    );
    let shop =
        http_route("shop", "  hostnames: [shop.example.com]\n  rules: [{backendRefs: [{name: cart, port: 80}]}]");
    let help =
        http_route("help", "  hostnames: [help.example.com]\n  rules: [{backendRefs: [{name: stock, port: 80}]}]");
    let Some(serving) = Serving::with_gateway(&gateway, &[&shop, &help]).await else { return };
    let secrets = |authority: &Authority| {
        ["shop", "help"].map(|name| secret("infra", name, &authority.certificate(&format!("{name}.example.com"))))
    };
    let [first, second] = secrets(&authority);
    serving.agent.write("secrets.yaml", &[&first, &second]);

    // The client takes no certificate that isn't good for the name it asks for.
    for (url, backend) in [("shop.example.com/", "cart"), ("help.example.com/", "stock")] {
        let answer = wait::until(url, async || get(url).over_tls(port, authority.client_config()).await).await;
        assert_eq!((answer.status, answer.backend().as_str()), (200, backend), "{url}");
    }
    assert!(get("other.example.com/").over_tls(port, authority.client_config()).await.is_err());

    // Certificates of another authority take their place; nobody has to restart anything.
    let next = Authority::new();
    let [first, second] = secrets(&next);
    serving.agent.write("secrets.yaml", &[&first, &second]);
    wait::until("the new certificate", async || get("shop.example.com/").over_tls(port, next.client_config()).await)
        .await;
}
