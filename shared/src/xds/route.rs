//! One route of the IR as one of Envoy's.

use super::direct_response::direct_response;
use super::hash_policy::hash_policies;
use super::headers::added_headers;
use super::http_filters::{configure_route, not_built};
use super::metadata::metadata;
use super::mirror::mirrors;
use super::pb::core::{HeaderValue, HeaderValueOption};
use super::pb::route::{
    DirectResponseAction, Route, RouteAction, route, route_action, route_action::MaxStreamDuration, weighted_cluster,
};
use super::problem::Invalid;
use super::redirect::redirect;
use super::retry::retry;
use super::route_action::{SharedClusters, route_action};
use super::route_match::route_match;
use super::timeout::{idle_timeout, max_stream_duration, request_timeout};
use super::tracing::route_tracing;
use super::upgrade::upgrades;
use super::url_rewrite::rewrite_url;
use super::values::{boolean, duration};
use crate::ir::{HttpListener, HttpRoute};

/// Envoy's route. `alt_svc` tells clients of HTTP/3, where the port serves it.
pub(super) fn envoy_route(
    source: &HttpRoute,
    listener: &HttpListener,
    shared: &SharedClusters,
    alt_svc: Option<&HeaderValueOption>,
) -> Result<Route, Invalid> {
    let mut made = Route {
        name: source.name.to_string(),
        r#match: Some(route_match(source)?),
        metadata: metadata(source.metadata.as_deref()),
        request_headers_to_add: added_headers(&source.add_request_headers)?,
        request_headers_to_remove: source.remove_request_headers.clone(),
        response_headers_to_add: added_headers(&source.add_response_headers)?,
        response_headers_to_remove: source.remove_response_headers.clone(),
        action: Some(action(source, listener, shared)?),
        tracing: source
            .traffic
            .as_ref()
            .and_then(|traffic| traffic.telemetry.as_ref()?.tracing.as_ref())
            .map(route_tracing)
            .transpose()?,
        stat_prefix: source.stat_name.as_deref().unwrap_or_default().to_owned(),
        ..Route::default()
    };
    made.response_headers_to_add.extend(alt_svc.cloned());
    configure_route(&mut made, source, listener);
    Ok(made)
}

/// What the route does. One that lacks its protection answers 500.
fn action(source: &HttpRoute, listener: &HttpListener, shared: &SharedClusters) -> Result<route::Action, Invalid> {
    if not_built::of_route(source).iter().any(|missing| missing.protects) {
        return Ok(route::Action::DirectResponse(DirectResponseAction {
            status: 500,
            ..DirectResponseAction::default()
        }));
    }
    if let Some(response) = &source.direct_response {
        return Ok(route::Action::DirectResponse(direct_response(response)));
    }
    if let Some(target) = &source.redirect {
        return Ok(route::Action::Redirect(redirect(target, source.path_match.as_ref())));
    }
    let Some(destination) = source.destination.as_deref() else {
        return Err(Invalid::new(
            "destination",
            "the route has no destination, no redirect and no response of its own",
        ));
    };
    let mut action = route_action(source, destination, shared)?;
    if let Some(rewrite) = &source.url_rewrite {
        rewrite_url(&mut action, source, rewrite);
    }
    let traffic = source.traffic.as_deref();
    action.request_mirror_policies = mirrors(&source.mirrors);
    if !source.is_http2 {
        action.upgrade_configs = upgrades(traffic);
    }
    action.idle_timeout = idle_timeout(source, listener);
    action.timeout = request_timeout(source).map(duration);
    action.max_stream_duration = max_stream_duration(source)
        .map(|value| MaxStreamDuration { max_stream_duration: Some(duration(value)), ..MaxStreamDuration::default() });
    action.retry_policy = retry(source)?;
    let balancer = traffic.and_then(|traffic| traffic.cluster.load_balancer.as_ref());
    action.hash_policy = hash_policies(balancer.and_then(|balancer| balancer.consistent_hash.as_ref()));
    stick_to_backend(&mut action);
    Ok(route::Action::Route(action))
}

/// Where requests are hashed, the hash chooses among weighted backends too: otherwise a client would keep its endpoint
/// only within the backend that chance gave it.
fn stick_to_backend(action: &mut RouteAction) {
    if action.hash_policy.is_empty() {
        return;
    }
    if let Some(route_action::ClusterSpecifier::WeightedClusters(clusters)) = &mut action.cluster_specifier {
        clusters.random_value_specifier = Some(weighted_cluster::RandomValueSpecifier::UseHashPolicy(boolean(true)));
    }
}

/// The header that tells clients of HTTP/3 on this port.
pub(super) fn alt_svc(port: u32) -> HeaderValueOption {
    #[expect(deprecated, reason = "the contents are Envoy Gateway's, which people patch")]
    HeaderValueOption {
        header: Some(HeaderValue {
            key: "alt-svc".to_owned(),
            value: format!("h3=\":{port}\"; ma=86400"),
            ..HeaderValue::default()
        }),
        append: Some(boolean(true)),
        ..HeaderValueOption::default()
    }
}
