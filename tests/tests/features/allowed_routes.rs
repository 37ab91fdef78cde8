//! `listeners[].allowedRoutes`: which namespaces a listener takes Routes from.

use gateway_tests::agent::{Agent, served};
use gateway_tests::manifests::{GATEWAY, http_route, service};

fn gateway(namespaces: &str) -> String {
    GATEWAY.replace("namespaces: {from: All}", &format!("namespaces: {namespaces}"))
}

async fn domains(namespaces: &str) -> Vec<String> {
    let checkout = http_route("checkout", "  rules: [{backendRefs: [{name: cart, port: 80}]}]");
    let cart = service("shop", "cart", &[("10.0.0.1", 8080)]);
    served(&[&gateway(namespaces), &cart, &checkout]).await.domains()
}

#[tokio::test]
async fn same_is_the_namespace_of_the_gateway() {
    assert_eq!(domains("{from: Same}").await, [] as [&str; 0]);
    let checkout = http_route("checkout", "  rules: [{backendRefs: [{name: cart, port: 80}]}]");
    let agent =
        Agent::start(&[&gateway("{from: Same}"), &service("shop", "cart", &[("10.0.0.1", 8080)]), &checkout]).await;
    agent
        .expect_status(
            "HTTPRoute",
            "shop/checkout",
            "
parents:
- conditions:
  - {type: Accepted, status: 'False', reason: NotAllowedByListeners}
  - {type: ResolvedRefs, status: 'True'}",
        )
        .await;
}

#[tokio::test]
async fn a_selector_picks_namespaces_by_their_labels() {
    assert_eq!(domains("{from: Selector, selector: {matchLabels: {team: shop}}}").await, ["infra/edge/http: *"]);
    assert_eq!(domains("{from: Selector, selector: {matchLabels: {team: other}}}").await, [] as [&str; 0]);
}

#[tokio::test]
async fn a_namespace_that_gets_the_label_is_let_in() {
    let checkout = http_route("checkout", "  rules: [{backendRefs: [{name: cart, port: 80}]}]");
    let cart = service("shop", "cart", &[("10.0.0.1", 8080)]);
    let objects = gateway("{from: Selector, selector: {matchLabels: {open: 'yes'}}}");
    let agent = Agent::start(&[&objects, &cart, &checkout]).await;
    let mut client = agent.client("infra/edge");
    assert_eq!(agent.proxy("infra/edge").await.domains(), [] as [&str; 0]);
    let labelled = objects.replace("labels: {team: shop}", "labels: {open: 'yes'}");
    agent.write("objects.yaml", &[&labelled, &cart, &checkout]);
    let cluster = gateway_shared::xds::table::ResourceType::Cluster;
    client.until("let in", |received| received.get(cluster, "httproute/shop/checkout/rule/0").is_some()).await;
}
