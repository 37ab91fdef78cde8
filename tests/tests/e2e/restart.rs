//! The standalone agent as people run it: its Envoys outlive it, and no request notices that it was killed.

use gateway_tests::backend::Backend;
use gateway_tests::client::get;
use gateway_tests::envoy::{self, free_port};
use gateway_tests::host::Host;
use gateway_tests::load::Load;
use gateway_tests::manifests::{GATEWAY, http_route, service};
use gateway_tests::wait;

const AGENT: &str = env!("CARGO_BIN_EXE_agent_under_test");

fn to(backend: &str) -> String {
    http_route("checkout", &format!("  rules: [{{backendRefs: [{{name: {backend}, port: 80}}]}}]"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_killed_and_started_again_loses_no_request() {
    let Some(program) = envoy::binary() else { return };
    let (cart, stock) = (Backend::start("cart").await, Backend::start("stock").await);
    let port = free_port();
    let gateway = GATEWAY.replace("port: 8080", &format!("port: {port}"));
    let services =
        [service("shop", "cart", &[("127.0.0.1", cart.port)]), service("shop", "stock", &[("127.0.0.1", stock.port)])];
    let mut host = Host::start(AGENT, &program, &[&gateway, &services[0], &services[1]]);
    host.write("checkout.yaml", &[&to("cart")]);
    let answered_by = async |host: &Host, backend: &str| {
        wait::until(backend, async || match get("x/").of(port).await {
            Ok(answer) if answer.backend() == backend => Ok(()),
            other => Err(format!("{other:?}\n{}", host.log())),
        })
        .await;
    };
    answered_by(&host, "cart").await;

    let load = Load::start(4, port, &get("x/"));
    let more = async |count: usize| {
        let goal = load.answered() + count;
        wait::until("more answers", async || match load.answered() {
            now if now >= goal => Ok(()),
            now => Err(now),
        })
        .await;
    };
    more(100).await;
    for backend in ["stock", "cart", "stock"] {
        host.kill_agent();
        more(200).await;
        // What changed while nobody watched is there when the agent is back.
        host.write("checkout.yaml", &[&to(backend)]);
        host.start_agent();
        answered_by(&host, backend).await;
        more(100).await;
    }
    let tally = load.stop().await;
    println!("agent killed 3 times: {} of {} requests failed; {:?}", tally.failed.len(), tally.total(), tally.answered);
    assert!(tally.failed.is_empty(), "{} of {}: {:?}", tally.failed.len(), tally.total(), tally.failed.first());
}

#[tokio::test]
async fn an_agent_that_is_told_to_stop_takes_its_envoys_along() {
    let Some(program) = envoy::binary() else { return };
    let cart = Backend::start("cart").await;
    let port = free_port();
    let gateway = GATEWAY.replace("port: 8080", &format!("port: {port}"));
    let host =
        Host::start(AGENT, &program, &[&gateway, &service("shop", "cart", &[("127.0.0.1", cart.port)]), &to("cart")]);
    wait::until("an answer", async || match get("x/").of(port).await {
        Ok(answer) if answer.status == 200 => Ok(()),
        other => Err(format!("{other:?}\n{}", host.log())),
    })
    .await;
    drop(host);
    wait::until("nobody on the port", async || match get("x/").of(port).await {
        Err(_) => Ok(()),
        Ok(answer) => Err(answer),
    })
    .await;
}
