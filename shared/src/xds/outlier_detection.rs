//! Endpoints put aside because of their answers.

use super::pb::cluster;
use super::values::{boolean, duration, uint32};
use crate::ir::OutlierDetection;

/// The cluster's outlier detection.
pub(super) fn outlier_detection(source: &OutlierDetection) -> cluster::OutlierDetection {
    let OutlierDetection {
        interval,
        split_external_local_origin_errors,
        consecutive_local_origin_failures,
        consecutive_gateway_errors,
        consecutive_5xx_errors,
        base_ejection_time,
        max_ejection_percent,
        failure_percentage_threshold,
        always_eject_one_endpoint,
    } = source;
    cluster::OutlierDetection {
        interval: interval.map(duration),
        base_ejection_time: base_ejection_time.map(duration),
        split_external_local_origin_errors: split_external_local_origin_errors.unwrap_or_default(),
        max_ejection_percent: max_ejection_percent.filter(|share| *share > 0).map(uint32),
        consecutive_local_origin_failure: consecutive_local_origin_failures.map(uint32),
        consecutive_5xx: consecutive_5xx_errors.map(uint32),
        consecutive_gateway_failure: consecutive_gateway_errors.map(uint32),
        // Envoy only watches these two unless told to enforce them.
        enforcing_consecutive_gateway_failure: consecutive_gateway_errors.map(|_| uint32(100)),
        failure_percentage_threshold: failure_percentage_threshold.map(uint32),
        enforcing_failure_percentage: failure_percentage_threshold.map(|_| uint32(100)),
        always_eject_one_host: always_eject_one_endpoint.map(boolean),
        ..cluster::OutlierDetection::default()
    }
}
