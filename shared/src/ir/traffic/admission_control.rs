//! Requests refused by success rate.

use crate::api::duration::Duration;
use serde::Deserialize;
use serde::Serialize;

/// Requests refused while upstreams fail.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AdmissionControl {
    /// The time looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling_window: Option<Duration>,
    /// The rate below which refusing starts, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_success_rate: Option<u32>,
    /// How steeply refusing grows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejection_aggression: Option<u32>,
    /// Requests a second below which nothing is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_request_rate: Option<u32>,
    /// The most that is refused, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_rejection_percent: Option<u32>,
    /// What counts as success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success_criteria: Option<AdmissionControlSuccessCriteria>,
}

/// What counts as success.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AdmissionControlSuccessCriteria {
    /// For HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpSuccessCriteria>,
    /// For gRPC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grpc: Option<GrpcSuccessCriteria>,
}

/// Successful HTTP answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpSuccessCriteria {
    /// These statuses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status_codes: Vec<i32>,
}

/// Successful gRPC answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GrpcSuccessCriteria {
    /// These codes by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status_codes: Vec<String>,
}
