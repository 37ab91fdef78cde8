//! Two rules with the same match: the older one is served, and the other is told that it is shadowed.

use gateway_tests::agent::Agent;
use gateway_tests::manifests::{GATEWAY, http_route, service};

#[tokio::test]
async fn the_first_one_is_served() {
    let cart = service("shop", "cart", &[("10.0.0.1", 8080)]);
    let route = |name: &str| {
        http_route(name, "  rules: [{matches: [{path: {value: /same}}], backendRefs: [{name: cart, port: 80}]}]")
    };
    let agent = Agent::start(&[GATEWAY, &cart, &route("first"), &route("second")]).await;
    agent.proxy("infra/edge").await.expect_routes(
        "*",
        "
- {name: httproute/shop/first/rule/0/match/0/*, match: {pathSeparatedPrefix: /same}}
- {name: httproute/shop/second/rule/0/match/0/*, match: {pathSeparatedPrefix: /same}}",
    );
    let told = agent.status("HTTPRoute", "shop/second").to_string();
    assert!(told.contains("RouteRulesOverlap") && told.contains("shop/first"), "{told}");
}
