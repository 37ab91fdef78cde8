//! What the tests share: a whole agent in one process, a real xDS client, the real Envoy, and something behind it.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a harness that can't go on has nothing better to do than to fail the test, with words"
)]

pub mod agent;
pub mod backend;
pub mod certificates;
pub mod client;
pub mod contains;
pub mod echo;
pub mod envoy;
pub mod host;
pub mod load;
pub mod manifests;
pub mod proxy_config;
pub mod wait;
pub mod xds_client;
