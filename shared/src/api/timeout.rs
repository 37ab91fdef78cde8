//! Time-outs towards backends.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::duration::Duration;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// Time-outs of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Timeout {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpTimeout>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpTimeout>,
}

/// Time-outs of connections.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TcpTimeout {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect_timeout: Option<Duration>,
}

/// Time-outs of requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HttpTimeout {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_idle_timeout: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_connection_duration: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_timeout: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_stream_duration: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_idle_timeout: Option<Duration>,
}
