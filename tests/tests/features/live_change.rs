//! Objects that change while a proxy is connected: it is told of what changed, in an order that breaks nothing.

use gateway_shared::xds::table::ResourceType::{Cluster, Endpoints, Route};
use gateway_tests::agent::Agent;
use gateway_tests::manifests::{GATEWAY, http_route, service};

const RULE: &str = "  rules: [{backendRefs: [{name: cart, port: 80}]}]";

#[tokio::test]
async fn a_new_route_is_told_cluster_first_and_a_gone_one_cluster_last() {
    let cart = service("shop", "cart", &[("10.0.0.1", 8080)]);
    let agent = Agent::start(&[GATEWAY, &cart, &http_route("checkout", RULE)]).await;
    let mut client = agent.client("infra/edge");
    let routes = |received: &gateway_tests::xds_client::Received| {
        received.of(Route).map(|(_, value)| value.to_string()).collect::<String>()
    };
    let start = client.until("the first route", |received| routes(received).contains("shop/checkout/")).await;

    agent.write("second.yaml", &[&http_route("second", RULE)]);
    let with = client.until("the second route", |received| routes(received).contains("shop/second/")).await;
    let came: Vec<_> = with.responses.iter().skip(start.responses.len()).map(|response| response.kind).collect();
    assert_eq!(came, [Cluster, Endpoints, Route]);

    agent.remove("second.yaml");
    let gone = |received: &gateway_tests::xds_client::Received| {
        !routes(received).contains("shop/second/") && received.get(Cluster, "httproute/shop/second/rule/0").is_none()
    };
    let without = client.until("the second route is gone", gone).await;
    let went: Vec<_> = without.responses.iter().skip(with.responses.len()).map(|response| response.kind).collect();
    assert_eq!(went.first(), Some(&Route), "{went:?}");
    assert!(went.contains(&Cluster), "{went:?}");
}

#[tokio::test]
async fn nothing_is_sent_for_a_change_that_changes_nothing() {
    let cart = service("shop", "cart", &[("10.0.0.1", 8080)]);
    let agent = Agent::start(&[GATEWAY, &cart, &http_route("checkout", RULE)]).await;
    let mut client = agent.client("infra/edge");
    let cluster = |name: &'static str| {
        move |received: &gateway_tests::xds_client::Received| received.get(Cluster, name).is_some()
    };
    client.until("the first route", cluster("httproute/shop/checkout/rule/0")).await;
    let labelled = http_route("checkout", RULE).replace("{name: checkout, ", "{name: checkout, labels: {a: b}, ");
    agent.write("objects.yaml", &[GATEWAY, &cart, &labelled]);
    // A later change that is told shows that the first one has been seen.
    agent.write("second.yaml", &[&http_route("second", RULE)]);
    let after = client.until("the second route", cluster("httproute/shop/second/rule/0")).await;
    let told: Vec<_> = after.responses.iter().filter(|response| response.kind == Cluster).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(told.last().map(|response| response.updated.len()), Some(1), "{told:?}");
}
