//! Requests refused while upstreams fail.

use super::encode::pack;
use super::pb::core::{RuntimeDouble, RuntimeFeatureFlag, RuntimePercent, RuntimeUInt32};
use super::pb::extensions::filters::http::admission_control::v3::{
    AdmissionControl as EnvoyAdmissionControl, admission_control,
};
use super::pb::hcm::{HttpFilter, http_filter};
use super::pb::types::Int32Range;
use super::values::{boolean, duration, percent};
use crate::ir::{AdmissionControl, AdmissionControlSuccessCriteria};

/// Names of gRPC status codes, each at the place of its number.
const GRPC_STATUSES: [&str; 17] = [
    "Ok",
    "Cancelled",
    "Unknown",
    "InvalidArgument",
    "DeadlineExceeded",
    "NotFound",
    "AlreadyExists",
    "PermissionDenied",
    "ResourceExhausted",
    "FailedPrecondition",
    "Aborted",
    "OutOfRange",
    "Unimplemented",
    "Internal",
    "Unavailable",
    "DataLoss",
    "Unauthenticated",
];

/// The filter on the way to an upstream.
pub(super) fn upstream_filter(source: &AdmissionControl) -> HttpFilter {
    let AdmissionControl {
        sampling_window,
        min_success_rate,
        rejection_aggression,
        min_request_rate,
        max_rejection_percent,
        success_criteria,
    } = source;
    let runtime_percent =
        |value: u32| RuntimePercent { default_value: Some(percent(value)), ..RuntimePercent::default() };
    let config = EnvoyAdmissionControl {
        enabled: Some(RuntimeFeatureFlag { default_value: Some(boolean(true)), ..RuntimeFeatureFlag::default() }),
        sampling_window: sampling_window.map(duration),
        sr_threshold: min_success_rate.map(runtime_percent),
        aggression: rejection_aggression
            .map(|value| RuntimeDouble { default_value: value.into(), ..RuntimeDouble::default() }),
        rps_threshold: min_request_rate.map(|value| RuntimeUInt32 { default_value: value, ..RuntimeUInt32::default() }),
        max_rejection_probability: max_rejection_percent.map(runtime_percent),
        // Envoy demands criteria, be they empty.
        evaluation_criteria: Some(admission_control::EvaluationCriteria::SuccessCriteria(criteria(
            success_criteria.as_ref(),
        ))),
    };
    HttpFilter {
        name: "envoy.filters.http.admission_control".to_owned(),
        config_type: Some(http_filter::ConfigType::TypedConfig(pack(&config))),
        ..HttpFilter::default()
    }
}

fn criteria(source: Option<&AdmissionControlSuccessCriteria>) -> admission_control::SuccessCriteria {
    use admission_control::success_criteria::{GrpcCriteria, HttpCriteria};
    let Some(AdmissionControlSuccessCriteria { http, grpc }) = source else {
        return admission_control::SuccessCriteria::default();
    };
    admission_control::SuccessCriteria {
        http_criteria: http.as_ref().filter(|http| !http.status_codes.is_empty()).map(|http| HttpCriteria {
            http_success_status: http
                .status_codes
                .iter()
                .map(|code| Int32Range { start: *code, end: code.saturating_add(1) })
                .collect(),
        }),
        grpc_criteria: grpc.as_ref().filter(|grpc| !grpc.status_codes.is_empty()).map(|grpc| GrpcCriteria {
            grpc_success_status: grpc
                .status_codes
                .iter()
                .filter_map(|name| GRPC_STATUSES.iter().position(|known| known == name))
                .filter_map(|code| u32::try_from(code).ok())
                .collect(),
        }),
    }
}
