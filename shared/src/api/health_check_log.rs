//! Logs of health check events.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::rules::exactly_for;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// Logs of health check events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProxyHealthCheckLog {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1))]
    pub sinks: Vec<ProxyHealthCheckLogSink>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 4), extend("x-kubernetes-list-type" = "set", "x-kubernetes-validations" = [
        rule(
            "self.exists(e, e == 'Failure' || e == 'FailureSeriesStart') == self.exists(e, e == 'Success' || e == \
             'HealthyTransition')",
            "log both failures and successes, or none of them",
        ),
    ]))]
    pub matches: Vec<ProxyHealthCheckLogEventType>,
}

/// A place for these logs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [exactly_for("File", "file")]))]
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
    #[schemars(length(min = 1))]
    pub path: String,
}
