//! HTTP/2 settings of a connection.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::constraints::Bytes;
use crate::api::duration::Duration;
use crate::api::quantity::Quantity;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// HTTP/2 limits and keepalive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Http2Settings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Bytes")]
    pub initial_stream_window_size: Option<Quantity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Bytes")]
    pub initial_connection_window_size: Option<Quantity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 2147483647))]
    pub max_concurrent_streams: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub on_invalid_message: Option<InvalidMessageAction>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_keepalive: Option<Http2KeepaliveSettings>,
}

string_enum! {
    /// What ends after an invalid message.
    pub closed enum InvalidMessageAction {
        TerminateConnection = "TerminateConnection",
        TerminateStream = "TerminateStream",
    }
}

/// HTTP/2 pings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "!has(self.timeout) || !has(self.interval) || duration(self.timeout) < duration(self.interval)",
        "timeout must be below interval",
    ),
]))]
pub struct Http2KeepaliveSettings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100))]
    pub interval_jitter: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_interval: Option<Duration>,
}
