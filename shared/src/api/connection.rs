//! Connection buffers and preconnecting to backends.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::constraints::Bytes;
use crate::api::quantity::Quantity;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// Connections to backends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackendConnection {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Bytes")]
    pub buffer_limit: Option<Quantity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Bytes")]
    pub socket_buffer_limit: Option<Quantity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preconnect: Option<PreconnectPolicy>,
}

/// Connections opened ahead of need.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreconnectPolicy {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 100, max = 300))]
    pub per_endpoint_percent: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 100))]
    pub predictive_percent: Option<u32>,
}
