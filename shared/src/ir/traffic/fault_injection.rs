//! Faults made on purpose.

use crate::api::duration::Duration;
use serde::Deserialize;
use serde::Serialize;

/// Faults made on purpose.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FaultInjection {
    /// Delayed requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<FaultInjectionDelay>,
    /// Aborted requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abort: Option<FaultInjectionAbort>,
}

/// Delayed requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FaultInjectionDelay {
    /// By how long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed_delay: Option<Duration>,
    /// How many, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentage: Option<f32>,
}

/// Aborted requests. One status is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FaultInjectionAbort {
    /// With this HTTP status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_status: Option<i32>,
    /// With this gRPC code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grpc_status: Option<u32>,
    /// How many, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentage: Option<f32>,
}
