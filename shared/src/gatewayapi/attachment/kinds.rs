//! Which kinds of route a listener takes.

use crate::gatewayapi::decision::RouteKind;
use crate::gatewayapi::fleet::ListenerContext;

/// The API group of the route kinds.
pub const ROUTE_GROUP: &str = "gateway.networking.k8s.io";

/// Whether the listener takes routes of `kind`; a kind without group is one of the Gateway API's own.
#[must_use]
pub fn takes(listener: &ListenerContext, kind: RouteKind) -> bool {
    listener
        .supported_kinds
        .iter()
        .any(|taken| taken.kind == kind.kind() && (taken.group.is_empty() || taken.group == ROUTE_GROUP))
}

/// The kinds the listener takes, for people.
#[must_use]
pub fn names(listener: &ListenerContext) -> Vec<String> {
    listener.supported_kinds.iter().map(|taken| taken.kind.clone()).collect()
}
