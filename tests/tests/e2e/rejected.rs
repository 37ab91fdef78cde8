//! A resource that Envoy rejects: its words are kept and explained, the traffic goes on, and the next good one ends it.

use std::sync::Arc;
use std::time::SystemTime;

use envoy_types::pb::envoy::config::route::v3::RouteConfiguration;
use gateway_shared::xds::table::{Resource, ResourceType};
use gateway_tests::client::get;
use gateway_tests::wait;
use prost::Message as _;

use crate::Serving;

#[tokio::test]
async fn its_words_are_in_the_ledger_and_the_old_configuration_serves_on() {
    let Some(serving) = Serving::route("  rules: [{backendRefs: [{name: cart, port: 80}]}]").await else { return };
    serving.ask(&get("x/")).await;
    let good = serving.agent.snapshots().get("infra/edge").map(|snapshot| Arc::clone(&snapshot.table));
    let good = good.unwrap_or_default();

    // No translation of ours gives two virtual hosts with one domain, so the table is broken by hand.
    let mut broken = (*good).clone();
    let route = good.of(ResourceType::Route).iter().next().cloned();
    let route = route.unwrap_or_else(|| Arc::new(Resource::new("", Vec::new())));
    let mut configuration = RouteConfiguration::decode(&*route.body).unwrap_or_default();
    configuration.virtual_hosts.extend(configuration.virtual_hosts.clone());
    broken.of_mut(ResourceType::Route).insert(Arc::new(Resource::new(&*route.name, configuration.encode_to_vec())));
    let key = Arc::from("infra/edge");
    serving.agent.snapshots().publish(&key, Arc::new(broken), SystemTime::now());

    let rejection = || {
        let proxies = serving.agent.ledger().read();
        let routes = proxies.iter().find_map(|proxy| proxy.types.get(&ResourceType::Route).cloned());
        routes.and_then(|routes| routes.rejected)
    };
    let text = wait::until("the rejection", async || rejection().map(|it| it.text).ok_or("none")).await;
    assert_eq!(text, format!("Only a single wildcard domain is permitted in route {}", route.name));
    let named: Vec<_> = rejection().into_iter().flat_map(|it| it.resources).map(|it| it.name.to_string()).collect();
    assert_eq!(named, [route.name.to_string()]);
    assert_eq!(serving.ask(&get("x/")).await.backend(), "cart");
    let report = serving.agent.explain("HTTPRoute", "shop", "checkout").await;
    assert!(report.to_string().contains(&text), "the explanation has Envoy's words: {report:#}");

    serving.agent.snapshots().publish(&key, good, SystemTime::now());
    wait::until("the repair", async || match rejection() {
        None => Ok(()),
        Some(rejection) => Err(rejection),
    })
    .await;
}
