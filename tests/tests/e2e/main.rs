//! Real traffic through the real Envoy.
//!
//! Where there is no Envoy (see `gateway_tests::envoy::binary`), each test says so in one line and is skipped.

mod backends;
mod changes;
mod faults;
mod https;
mod rejected;
mod restart;
mod routing;
mod transforms;

use gateway_tests::agent::Agent;
use gateway_tests::backend::Backend;
use gateway_tests::client::{Answer, Ask};
use gateway_tests::envoy::{self, Envoy, free_port};
use gateway_tests::manifests::{GATEWAY, http_route, service};
use gateway_tests::wait;

/// An agent in this process, one Envoy and two backends, the Services `shop/cart` and `shop/stock`.
struct Serving {
    agent: Agent,
    envoy: Envoy,
    /// Where Envoy takes requests.
    port: u16,
    cart: Backend,
    stock: Backend,
}

impl Serving {
    /// Starts everything, with these objects more; `None` where there is no Envoy.
    async fn start(documents: &[&str]) -> Option<Self> {
        let gateway = GATEWAY.replace("port: 8080", "port: PORT");
        Self::with_gateway(&gateway, documents).await
    }

    /// The same with another Gateway `infra/edge`, where `PORT` stands for the port of plain HTTP.
    async fn with_gateway(gateway: &str, documents: &[&str]) -> Option<Self> {
        let program = envoy::binary()?;
        let (cart, stock) = (Backend::start("cart").await, Backend::start("stock").await);
        let port = free_port();
        let base = [
            gateway.replace("PORT", &port.to_string()),
            service("shop", "cart", &[("127.0.0.1", cart.port)]),
            service("shop", "stock", &[("127.0.0.1", stock.port)]),
        ];
        let all: Vec<&str> = base.iter().map(String::as_str).chain(documents.iter().copied()).collect();
        let agent = Agent::start(&all).await;
        let envoy = Envoy::start(&program, "infra/edge", agent.xds());
        Some(Self { agent, envoy, port, cart, stock })
    }

    /// With one HTTPRoute `shop/checkout` of this specification.
    async fn route(spec: &str) -> Option<Self> {
        Self::start(&[&http_route("checkout", spec)]).await
    }

    /// Asks until Envoy answers and `holds` says so of the answer.
    async fn until(&self, ask: &Ask, holds: impl Fn(&Answer) -> bool) -> Answer {
        wait::until("Envoy's answer", async || match ask.of(self.port).await {
            Ok(answer) if holds(&answer) => Ok(answer),
            Ok(answer) => Err(format!("{answer:?}\n{}", self.envoy.log())),
            Err(error) => Err(format!("{error:#}\n{}", self.envoy.log())),
        })
        .await
    }

    /// Asks once Envoy serves: until then there is nobody, or 503 and 404 from a configuration that is not whole yet.
    async fn ask(&self, ask: &Ask) -> Answer {
        self.until(ask, |answer| answer.status < 400).await
    }

    /// The status, once Envoy serves this question with another question.
    async fn status_once_serving(&self, serves: &Ask, ask: &Ask) -> u16 {
        self.ask(serves).await;
        ask.of(self.port).await.map_or(0, |answer| answer.status)
    }
}
