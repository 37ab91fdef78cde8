//! Listeners that get into each other's way: neither serves, both say why, and the others are not touched.

use gateway_tests::agent::Agent;
use gateway_tests::manifests::{GATEWAY, http_route, service};

#[tokio::test]
async fn the_same_hostname_and_port_twice() {
    let gateway = GATEWAY.replace(
        "  - {name: http, protocol: HTTP, port: 8080, allowedRoutes: {namespaces: {from: All}}}",
        "  - {name: first, protocol: HTTP, port: 8080, hostname: a.example.com, allowedRoutes: {namespaces: {from: All}}}
  - {name: second, protocol: HTTP, port: 8080, hostname: a.example.com, allowedRoutes: {namespaces: {from: All}}}
  - {name: third, protocol: HTTP, port: 8081, allowedRoutes: {namespaces: {from: All}}}",
    );
    let cart = service("shop", "cart", &[("10.0.0.1", 8080)]);
    let route = http_route("checkout", "  rules: [{backendRefs: [{name: cart, port: 80}]}]");
    let agent = Agent::start(&[&gateway, &cart, &route]).await;
    let proxy = agent.proxy("infra/edge").await;
    assert_eq!(proxy.listeners(), ["infra/edge/third"]);
    agent
        .expect_status(
            "Gateway",
            "infra/edge",
            "
listeners:
- name: first
  conditions:
  - {type: Conflicted, status: 'True', reason: HostnameConflict}
  - {type: Programmed, status: 'False', reason: Invalid}
  - {type: ResolvedRefs, status: 'True'}
- name: second
  conditions:
  - {type: Conflicted, status: 'True', reason: HostnameConflict}
  - {type: Programmed, status: 'False', reason: Invalid}
  - {type: ResolvedRefs, status: 'True'}
- name: third
  conditions:
  - {type: Accepted, status: 'True'}
  - {type: Programmed, status: 'True'}
  - {type: ResolvedRefs, status: 'True'}",
        )
        .await;
}
