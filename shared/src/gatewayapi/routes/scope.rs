//! What every step of translating one rule can see: the route it belongs to, and the Gateway it is for.

use std::sync::Arc;

use crate::api::envoy_proxy::{EnvoyProxySpec, RoutingType};
use crate::api::metadata::ObjectKey;
use crate::gatewayapi::decision::RouteKind;
use crate::gatewayapi::fleet::GatewayContext;
use crate::gatewayapi::view::View;

/// One route under one Gateway.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'s, 'a> {
    /// How other objects are reached.
    pub view: &'s View<'a>,
    /// The kind of the route.
    pub kind: RouteKind,
    /// The route.
    pub route: &'s ObjectKey,
    /// The Gateway whose listeners take it; `None` where no listener does, and only faults are wanted.
    pub gateway: Option<&'s Arc<GatewayContext>>,
}

impl<'s> Scope<'s, '_> {
    /// The effective EnvoyProxy of the Gateway.
    #[must_use]
    pub fn envoy_proxy(&self) -> Option<&'s EnvoyProxySpec> {
        self.gateway.and_then(|gateway| gateway.envoy_proxy.as_deref()).map(|proxy| &proxy.spec)
    }

    /// Whether backends are reached by their ClusterIP instead of their endpoints.
    #[must_use]
    pub fn routes_to_services(&self) -> bool {
        self.envoy_proxy().is_some_and(|proxy| proxy.routing_type == Some(RoutingType::Service))
    }
}
