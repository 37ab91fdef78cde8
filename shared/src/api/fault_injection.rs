//! Faults made on purpose by BackendTrafficPolicy.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::duration::Duration;
use crate::api::rules::rule;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// Faults for a part of the requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("has(self.delay) || has(self.abort)", "set delay, abort or both"),
]))]
pub struct FaultInjection {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<FaultInjectionDelay>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abort: Option<FaultInjectionAbort>,
}

/// Requests that are held.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FaultInjectionDelay {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!default, !skip_serializing_if)]
    pub fixed_delay: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 100))]
    pub percentage: Option<f32>,
}

/// Requests that are answered with an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("!(has(self.httpStatus) && has(self.grpcStatus))", "set httpStatus or grpcStatus, not both"),
    rule("has(self.httpStatus) || has(self.grpcStatus)", "set httpStatus or grpcStatus"),
]))]
pub struct FaultInjectionAbort {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 200, max = 600))]
    pub http_status: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 16))]
    pub grpc_status: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 100))]
    pub percentage: Option<f32>,
}
