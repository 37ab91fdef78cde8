//! Protocol upgrades.

use serde::Deserialize;
use serde::Serialize;

/// An upgrade that is allowed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpUpgradeConfig {
    /// The protocol, or CONNECT.
    #[serde(default)]
    pub r#type: String,
    /// Options of CONNECT.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect: Option<ConnectConfig>,
}

/// Options of CONNECT.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConnectConfig {
    /// Whether Envoy ends the tunnel and forwards its payload.
    #[serde(default)]
    pub terminate: bool,
}
