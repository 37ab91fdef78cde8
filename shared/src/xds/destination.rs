//! Questions about a route's destination that decide which clusters it gets.

use std::sync::Arc;

use crate::ir::{DestinationAddressType, DestinationSetting, HttpRoute, RouteDestination};

/// How Envoy learns a cluster's endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndpointType {
    /// Names resolved by DNS.
    Dns,
    /// Addresses sent by EDS.
    Static,
    /// The host of each request.
    DynamicResolver,
}

/// How the endpoints of `settings` are learnt. They don't mix, so the first one tells.
pub(super) fn endpoint_type(settings: &[DestinationSetting]) -> EndpointType {
    match settings.first() {
        Some(first) if first.is_dynamic_resolver => EndpointType::DynamicResolver,
        Some(first) if first.address_type == Some(DestinationAddressType::Fqdn) => EndpointType::Dns,
        _ => EndpointType::Static,
    }
}

/// Whether each setting of the route needs a cluster of its own, because they can't share one, or because some of them
/// answer with an error.
pub(super) fn needs_cluster_per_setting(route: &HttpRoute, destination: &RouteDestination) -> bool {
    let by_zone = || {
        let load_balancer = route.traffic.as_ref()?.cluster.load_balancer.as_ref()?;
        Some(load_balancer.prefer_local.is_some() || !load_balancer.weighted_zones.is_empty())
    };
    let weights = destination.backend_weights();
    by_zone().unwrap_or(false)
        || weights.invalid > 0
        || weights.no_endpoints > 0
        || destination.needs_cluster_per_setting()
}

/// Whether the destination gets a cluster of its own: it has settings, or no backend at all (an empty cluster then).
pub(super) fn needs_own_cluster(destination: &RouteDestination) -> bool {
    !destination.settings.is_empty() || destination.backend_cluster_refs.is_empty()
}

/// The one cluster of a TCP or UDP route, which can't split traffic.
pub(super) fn single_cluster_name(destination: &RouteDestination) -> Arc<str> {
    match destination.backend_cluster_refs.first() {
        Some(reference) if destination.settings.is_empty() => Arc::clone(&reference.name),
        _ => Arc::clone(&destination.name),
    }
}
