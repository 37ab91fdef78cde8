//! When a request is tried again.

use crate::api::duration::Duration;
use crate::api::retry::TriggerEnum;
use serde::Deserialize;
use serde::Serialize;

/// When a request is tried again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Retry {
    /// How often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_retries: Option<u32>,
    /// How often before the next priority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_attempts_per_priority: Option<i32>,
    /// After what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_on: Option<RetryOn>,
    /// How each attempt is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_retry: Option<PerRetryPolicy>,
}

/// What is followed by another attempt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RetryOn {
    /// Kinds of failure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<TriggerEnum>,
    /// Statuses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub http_status_codes: Vec<u16>,
}

/// How each attempt is made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PerRetryPolicy {
    /// How long it may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    /// How long to wait before.
    #[serde(alias = "backoff", default, skip_serializing_if = "Option::is_none")]
    pub back_off: Option<BackOffPolicy>,
}

/// Exponential waiting.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackOffPolicy {
    /// The first wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_interval: Option<Duration>,
    /// The longest wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_interval: Option<Duration>,
}
