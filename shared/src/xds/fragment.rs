//! What one route of the IR becomes: its encoded Envoy route and the resources it contributes. It is a function of the
//! route and its [`RouteContext`] alone, which is what lets it be kept.

use std::sync::Arc;

use super::cluster::{ClusterSource, Traffic, add_client_certificates, add_cluster};
use super::destination::{needs_cluster_per_setting, needs_own_cluster};
use super::dns::ip_family;
use super::encode::encode;
use super::http_filters::{concerns_chain, not_built};
use super::pb::core::HeaderValueOption;
use super::problem::{Invalid, Problem, ProblemKind};
use super::resources::{Contribution, Resources};
use super::route::envoy_route;
use super::route_action::SharedClusters;
use super::tls::{sds, secrets};
use crate::ir::{HttpListener, HttpRoute, Metrics, ProxyHealthCheckLog, RouteDestination};

/// All a fragment depends on besides its route.
#[derive(Clone, Copy, Debug)]
pub(super) struct RouteContext<'a> {
    pub(super) listener: &'a HttpListener,
    pub(super) alt_svc: Option<&'a HeaderValueOption>,
    pub(super) metrics: Option<&'a Metrics>,
    pub(super) health_check_log: Option<&'a ProxyHealthCheckLog>,
    pub(super) shared: &'a SharedClusters,
}

/// What became of one route.
#[derive(Debug)]
pub(super) struct Fragment {
    /// The encoded Envoy route; none where the IR's route can't be one.
    pub(super) route: Option<Vec<u8>>,
    /// Its clusters, endpoints and secrets.
    pub(super) contributions: Box<[Contribution]>,
    /// Whether the connection manager depends on it.
    pub(super) concerns_chain: bool,
    pub(super) problems: Vec<Problem>,
}

/// Makes the fragment of `source`.
pub(super) fn fragment(source: &HttpRoute, context: &RouteContext<'_>) -> Fragment {
    let mut problems: Vec<Problem> =
        not_built::of_route(source).into_iter().map(|missing| not_built_problem(&source.name, missing)).collect();
    let mut resources = Resources::default();
    let route = match envoy_route(source, context.listener, context.shared, context.alt_svc) {
        Ok(route) => Some(encode(&route)),
        Err(invalid) => {
            problems.push(invalid.of(&source.name));
            None
        }
    };
    if let Some(destination) = source.destination.as_deref() {
        add_client_certificates(&destination.settings, &mut resources);
    }
    // A route that can't be one sends nothing anywhere: it needs no clusters.
    if route.is_some() {
        let mut add =
            |result: Result<(), Invalid>| problems.extend(result.err().map(|invalid| invalid.of(&source.name)));
        if let Some(destination) = source.destination.as_deref() {
            add_destination(source, destination, context, &mut resources, &mut add);
        }
        for mirror in &source.mirrors {
            let cluster =
                ClusterSource { metrics: context.metrics, of_route: true, ..ClusterSource::of(&mirror.destination) };
            add(add_cluster(&cluster, &mut resources));
        }
    }
    if let Some(injection) = source.credential_injection.as_deref() {
        resources.secret(secrets::credential(injection));
    }
    Fragment { route, contributions: resources.into_contributions(), concerns_chain: concerns_chain(source), problems }
}

/// Adds the clusters that `source` sends requests to: one for the destination, or one for each of its settings.
fn add_destination(
    source: &HttpRoute,
    destination: &RouteDestination,
    context: &RouteContext<'_>,
    resources: &mut Resources,
    add: &mut impl FnMut(Result<(), Invalid>),
) {
    for tls in destination.settings.iter().filter_map(|setting| setting.tls.as_deref()) {
        for url in sds::servers(&tls.tls.client_certificates, tls.tls.ca_certificate.as_ref()) {
            add(sds::server_cluster(&url).map(|cluster| resources.cluster(&cluster)));
        }
    }
    if !needs_own_cluster(destination) {
        return;
    }
    let cluster = ClusterSource {
        traffic: Traffic::of(source.traffic.as_ref().map(|traffic| &traffic.cluster)),
        hostname: &source.hostname,
        http1: context.listener.http1.as_ref(),
        metrics: context.metrics,
        health_check_log: context.health_check_log,
        use_client_protocol: source.use_client_protocol.unwrap_or_default(),
        ip_family: ip_family(&destination.settings),
        stat_name: destination.stat_name.as_deref(),
        of_route: true,
        ..ClusterSource::of(destination)
    };
    let splits = needs_cluster_per_setting(source, destination) || !destination.backend_cluster_refs.is_empty();
    if !splits {
        add(add_cluster(&cluster, resources));
        return;
    }
    for setting in &destination.settings {
        let alone = ClusterSource::new(&setting.name, std::slice::from_ref(setting));
        add(add_cluster(
            &ClusterSource {
                name: alone.name,
                settings: alone.settings,
                endpoint_type: alone.endpoint_type,
                ..cluster
            },
            resources,
        ));
    }
}

/// The problem of a feature that isn't built.
pub(super) fn not_built_problem(object: &Arc<str>, missing: not_built::Missing) -> Problem {
    let became = if missing.protects { "the route answers 500 until then" } else { "it is served without it" };
    Problem {
        kind: ProblemKind::NotBuilt,
        object: Arc::clone(object),
        feature: missing.feature,
        message: format!("this version doesn't build {}; {became}", missing.feature),
    }
}
