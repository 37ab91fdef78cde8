//! Refusal of requests while too many fail, in BackendTrafficPolicy.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::constraints::HttpStatus;
use crate::api::duration::Duration;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// When requests are refused because earlier ones failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "!has(self.minSuccessRate) || (self.minSuccessRate >= 1 && self.minSuccessRate <= 100)",
        "minSuccessRate must be from 1 to 100",
    ),
    rule(
        "!has(self.maxRejectionPercent) || (self.maxRejectionPercent >= 0 && self.maxRejectionPercent <= 100)",
        "maxRejectionPercent must be from 0 to 100",
    ),
    rule(
        "!has(self.samplingWindow) || duration(self.samplingWindow) >= duration('1s')",
        "samplingWindow must be at least 1s",
    ),
]))]
pub struct AdmissionControl {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling_window: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100))]
    pub min_success_rate: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub rejection_aggression: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_request_rate: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100))]
    pub max_rejection_percent: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success_criteria: Option<AdmissionControlSuccessCriteria>,
}

/// What counts as success.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdmissionControlSuccessCriteria {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpSuccessCriteria>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grpc: Option<GrpcSuccessCriteria>,
}

/// HTTP answers that count as success.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HttpSuccessCriteria {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<HttpStatus>")]
    pub status_codes: Vec<i64>,
}

/// gRPC answers that count as success.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GrpcSuccessCriteria {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status_codes: Vec<GrpcSuccessCode>,
}

string_enum! {
    /// A gRPC status.
    pub closed enum GrpcSuccessCode {
        Ok = "Ok",
        Cancelled = "Cancelled",
        Unknown = "Unknown",
        InvalidArgument = "InvalidArgument",
        DeadlineExceeded = "DeadlineExceeded",
        NotFound = "NotFound",
        AlreadyExists = "AlreadyExists",
        PermissionDenied = "PermissionDenied",
        ResourceExhausted = "ResourceExhausted",
        FailedPrecondition = "FailedPrecondition",
        Aborted = "Aborted",
        OutOfRange = "OutOfRange",
        Unimplemented = "Unimplemented",
        Internal = "Internal",
        Unavailable = "Unavailable",
        DataLoss = "DataLoss",
        Unauthenticated = "Unauthenticated",
    }
}
