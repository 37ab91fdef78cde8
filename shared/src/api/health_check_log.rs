//! Logs of health check events.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// Logs of health check events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProxyHealthCheckLog {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sinks: Vec<ProxyHealthCheckLogSink>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<ProxyHealthCheckLogEventType>,
}

/// A place for these logs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProxyHealthCheckLogSink {
    pub r#type: ProxyHealthCheckLogSinkType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileEnvoyProxyHealthCheckLog>,
}

string_enum! {
    /// Kind of place.
    pub closed enum ProxyHealthCheckLogSinkType {
        File = "File",
    }
}

string_enum! {
    /// Kind of event.
    pub closed enum ProxyHealthCheckLogEventType {
        Failure = "Failure",
        FailureSeriesStart = "FailureSeriesStart",
        Success = "Success",
        HealthyTransition = "HealthyTransition",
    }
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileEnvoyProxyHealthCheckLog {
    pub path: String,
}
