//! Where a route's requests go: one cluster, or several by weight.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::destination::needs_cluster_per_setting;
use super::headers::added_headers;
use super::pb::route::{RouteAction, WeightedCluster, route_action, weighted_cluster};
use super::problem::Invalid;
use super::values::uint32;
use crate::ir::{DestinationFilters, DestinationSetting, HttpRoute, RouteDestination};

/// The names of shared clusters that exist in this IR.
pub(super) type SharedClusters = BTreeSet<Arc<str>>;

/// The action that sends `route` to `destination`.
pub(super) fn route_action(
    route: &HttpRoute,
    destination: &RouteDestination,
    shared: &SharedClusters,
) -> Result<RouteAction, Invalid> {
    let mut known = destination.backend_cluster_refs.iter().filter(|reference| shared.contains(&reference.name));
    let first_shared = known.next();
    let count = known.count() + usize::from(first_shared.is_some()) + usize::from(!destination.settings.is_empty());
    if count > 1 || needs_cluster_per_setting(route, destination) {
        return weighted(destination, shared);
    }
    let cluster = first_shared.map_or(&destination.name, |reference| &reference.name);
    Ok(RouteAction {
        cluster_specifier: Some(route_action::ClusterSpecifier::Cluster(cluster.to_string())),
        ..RouteAction::default()
    })
}

/// Splits by weight. The share of broken backends goes to a cluster that doesn't exist, so that Envoy answers 500 for
/// broken references and 503 for backends without endpoints (it can't do both; 503 wins), as the Gateway API wants.
fn weighted(destination: &RouteDestination, shared: &SharedClusters) -> Result<RouteAction, Invalid> {
    use route_action::ClusterNotFoundResponseCode;
    let weights = destination.backend_weights();
    let unavailable = weights.unavailable();
    let mut clusters = Vec::with_capacity(destination.settings.len() + 1);
    if unavailable > 0 {
        clusters.push(share("invalid-backend-cluster", unavailable));
    }
    for setting in &destination.settings {
        if !setting.endpoints.is_empty() || setting.is_dynamic_resolver {
            clusters.push(of_setting(setting)?);
        }
    }
    for reference in &destination.backend_cluster_refs {
        if let Some(weight) = reference.weight.filter(|_| shared.contains(&reference.name)) {
            clusters.push(share(&reference.name, weight));
        }
    }
    let not_found = if weights.no_endpoints > 0 {
        ClusterNotFoundResponseCode::ServiceUnavailable
    } else {
        ClusterNotFoundResponseCode::InternalServerError
    };
    Ok(RouteAction {
        cluster_not_found_response_code: not_found.into(),
        cluster_specifier: Some(route_action::ClusterSpecifier::WeightedClusters(WeightedCluster {
            clusters,
            ..WeightedCluster::default()
        })),
        ..RouteAction::default()
    })
}

fn share(name: &str, weight: u32) -> weighted_cluster::ClusterWeight {
    weighted_cluster::ClusterWeight {
        name: name.to_owned(),
        weight: Some(uint32(weight)),
        ..weighted_cluster::ClusterWeight::default()
    }
}

fn of_setting(setting: &DestinationSetting) -> Result<weighted_cluster::ClusterWeight, Invalid> {
    let mut cluster = share(&setting.name, setting.weight.unwrap_or(1));
    let Some(filters) = setting.filters.as_deref() else { return Ok(cluster) };
    // The credential is injected by a filter of the cluster.
    let DestinationFilters {
        add_request_headers,
        remove_request_headers,
        add_response_headers,
        remove_response_headers,
        credential_injection: _,
        url_rewrite,
    } = filters;
    cluster.request_headers_to_add = added_headers(add_request_headers)?;
    cluster.request_headers_to_remove.clone_from(remove_request_headers);
    cluster.response_headers_to_add = added_headers(add_response_headers)?;
    cluster.response_headers_to_remove.clone_from(remove_response_headers);
    cluster.host_rewrite_specifier = url_rewrite
        .as_ref()
        .and_then(|rewrite| rewrite.host.as_ref()?.name.clone())
        .map(weighted_cluster::cluster_weight::HostRewriteSpecifier::HostRewriteLiteral);
    Ok(cluster)
}
