//! Changes under traffic: seen soon, and no request is lost.

use std::time::{Duration, Instant};

use gateway_tests::client::get;
use gateway_tests::load::Load;
use gateway_tests::manifests::http_route;

use crate::Serving;

fn to(name: &str, backend: &str) -> String {
    http_route(name, &format!("  rules: [{{backendRefs: [{{name: {backend}, port: 80}}]}}]"))
}

#[tokio::test]
async fn an_edit_is_seen_within_a_second() {
    let Some(serving) = Serving::start(&[]).await else { return };
    serving.agent.write("checkout.yaml", &[&to("checkout", "cart")]);
    serving.ask(&get("x/")).await;
    let mut times = Vec::new();
    for backend in ["stock", "cart", "stock", "cart", "stock"] {
        let start = Instant::now();
        serving.agent.write("checkout.yaml", &[&to("checkout", backend)]);
        serving.until(&get("x/"), |answer| answer.backend() == backend).await;
        times.push(start.elapsed());
    }
    times.sort();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    println!("edits were seen after {times:?}");
    assert!(median < Duration::from_secs(1), "{times:?}");
}

#[tokio::test]
async fn a_deleted_route_is_gone() {
    let Some(serving) = Serving::start(&[]).await else { return };
    serving.agent.write("checkout.yaml", &[&to("checkout", "cart")]);
    assert_eq!(serving.ask(&get("x/")).await.backend(), "cart");
    serving.agent.remove("checkout.yaml");
    serving.until(&get("x/"), |answer| answer.status == 404).await;
}

/// Each switch is a Route of another name with another backend, so that clusters come and go, and the next one waits
/// until this one has reached Envoy.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_switches_of_the_backend_lose_no_request() {
    const SWITCHES: usize = 200;
    let Some(serving) = Serving::start(&[]).await else { return };
    serving.agent.write("checkout.yaml", &[&to("checkout-0", "cart")]);
    serving.ask(&get("x/")).await;
    let load = Load::start(4, serving.port, &get("x/"));
    let mut expected = "cart";
    for switch in 1..=SWITCHES {
        expected = if expected == "cart" { "stock" } else { "cart" };
        serving.agent.write("checkout.yaml", &[&to(&format!("checkout-{}", switch % 2), expected)]);
        serving.until(&get("x/"), |answer| answer.backend() == expected).await;
    }
    let tally = load.stop().await;
    println!("{SWITCHES} switches: {} of {} requests failed; {:?}", tally.failed.len(), tally.total(), tally.answered);
    assert!(tally.failed.is_empty(), "{} of {}: {:?}", tally.failed.len(), tally.total(), tally.failed.first());
    assert!(tally.answered.values().all(|count| *count > 0) && tally.answered.len() == 2, "{:?}", tally.answered);
}

/// The same without waiting for anything: changes come faster than they can be delivered.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn switches_faster_than_they_are_delivered_lose_no_request() {
    let Some(serving) = Serving::start(&[]).await else { return };
    serving.agent.write("checkout.yaml", &[&to("checkout-0", "cart")]);
    serving.ask(&get("x/")).await;
    let load = Load::start(4, serving.port, &get("x/"));
    for switch in 1..=100 {
        let backend = if switch % 2 == 0 { "cart" } else { "stock" };
        serving.agent.write("checkout.yaml", &[&to(&format!("checkout-{switch}"), backend)]);
        let answered = load.answered() + 5;
        gateway_tests::wait::until("five requests", async || match load.answered() {
            now if now >= answered => Ok(()),
            now => Err(now),
        })
        .await;
    }
    serving.agent.write("checkout.yaml", &[&to("checkout-last", "stock")]);
    serving.until(&get("x/"), |answer| answer.backend() == "stock").await;
    let tally = load.stop().await;
    println!("100 switches at once: {} of {} requests failed", tally.failed.len(), tally.total());
    assert!(tally.failed.is_empty(), "{} of {}: {:?}", tally.failed.len(), tally.total(), tally.failed.first());
}
