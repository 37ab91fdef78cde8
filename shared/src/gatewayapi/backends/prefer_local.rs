//! Whether traffic to a Service stays in the proxy's zone (`spec.trafficDistribution`, or topology-aware routing).

use crate::api::service::Service;
use crate::ir::traffic::load_balancer::{ForceLocalZone, PreferLocalZone};

/// The annotation that asks for topology-aware routing.
const TOPOLOGY_MODE: &str = "service.kubernetes.io/topology-mode";

/// How far a Service's traffic stays in the zone. The thresholds are those that Kubernetes itself has.
#[must_use]
pub fn prefer_local(service: &Service) -> Option<PreferLocalZone> {
    let automatic = || matches!(service.metadata.annotations.get(TOPOLOGY_MODE), Some("Auto" | "auto"));
    let endpoints = if service.spec.traffic_distribution.is_some() {
        1
    } else if automatic() {
        3
    } else {
        return None;
    };
    Some(PreferLocalZone {
        force: Some(ForceLocalZone { min_endpoints_in_zone_threshold: Some(endpoints) }),
        min_endpoints_threshold: Some(endpoints.into()),
        percentage_enabled: None,
    })
}
