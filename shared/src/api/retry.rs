//! Retries towards backends.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::constraints::HttpStatus;
use crate::api::duration::Duration;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// Retries of requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Retry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), extend("default" = 2))]
    pub num_retries: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_attempts_per_priority: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_on: Option<RetryOn>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_retry: Option<PerRetryPolicy>,
}

/// What is retried.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RetryOn {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<TriggerEnum>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<HttpStatus>")]
    pub http_status_codes: Vec<i64>,
}

string_enum! {
    /// A condition for a retry.
    pub open enum TriggerEnum {
        Error5xx = "5xx",
        GatewayError = "gateway-error",
        Reset = "reset",
        ResetBeforeRequest = "reset-before-request",
        ConnectFailure = "connect-failure",
        Retriable4Xx = "retriable-4xx",
        RefusedStream = "refused-stream",
        RetriableStatusCodes = "retriable-status-codes",
        Cancelled = "cancelled",
        DeadlineExceeded = "deadline-exceeded",
        Internal = "internal",
        ResourceExhausted = "resource-exhausted",
        Unavailable = "unavailable",
    }
}

/// Limits of one retry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PerRetryPolicy {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back_off: Option<BackOffPolicy>,
}

/// Pauses between retries.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackOffPolicy {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_interval: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_interval: Option<Duration>,
}
