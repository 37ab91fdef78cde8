//! Protocol upgrades of a route.

use super::pb::route::route_action::{UpgradeConfig, upgrade_config::ConnectConfig};
use crate::ir::{HttpUpgradeConfig, TrafficFeatures};

/// Whether the route is for CONNECT requests.
pub(super) fn connects(traffic: Option<&TrafficFeatures>) -> bool {
    traffic.is_some_and(|traffic| {
        traffic.http_upgrade.iter().any(|upgrade| upgrade.r#type.eq_ignore_ascii_case("CONNECT"))
    })
}

/// The upgrades a route allows: WebSocket unless told otherwise, none while requests are buffered whole (the buffer
/// would wait for the end of a body that never ends).
pub(super) fn upgrades(traffic: Option<&TrafficFeatures>) -> Vec<UpgradeConfig> {
    let websocket = || vec![UpgradeConfig { upgrade_type: "websocket".to_owned(), ..UpgradeConfig::default() }];
    let Some(traffic) = traffic else { return websocket() };
    if traffic.http_upgrade.is_empty() {
        return if traffic.request_buffer.is_some() { Vec::new() } else { websocket() };
    }
    traffic.http_upgrade.iter().map(upgrade).collect()
}

fn upgrade(source: &HttpUpgradeConfig) -> UpgradeConfig {
    let HttpUpgradeConfig { r#type, connect } = source;
    let terminates = r#type == "CONNECT" && connect.as_ref().is_some_and(|connect| connect.terminate);
    UpgradeConfig {
        upgrade_type: r#type.clone(),
        connect_config: terminates.then(ConnectConfig::default),
        ..UpgradeConfig::default()
    }
}
