//! One UDPRoute → everything decided about it.

use std::sync::Arc;

use crate::api::metadata::Object;
use crate::api::udp_route::{UdpRoute, UdpRouteSpec};
use crate::gatewayapi::decision::{Layer4Route, RouteFragment, RouteKind};
use crate::gatewayapi::metadata::resource_metadata;
use crate::gatewayapi::routes::fragment::{Attaching, Rules, fragment};
use crate::gatewayapi::routes::layer4;
use crate::gatewayapi::view::View;
use crate::ir::udp_listener::UdpRoute as IrRoute;

/// The decisions about a route, and the pieces of IR it became. It has one rule, or it isn't accepted.
#[must_use]
pub fn udp_route(view: &View<'_>, route: &Arc<UdpRoute>) -> RouteFragment {
    let key = route.key();
    let UdpRouteSpec { parent_refs, use_default_gateways: _, rules } = &route.spec;
    let attaching = Attaching {
        kind: RouteKind::Udp,
        key: &key,
        metadata: &route.metadata,
        parents: parent_refs,
        hostnames: &[],
        rules: rules.len(),
    };
    let rule_name = rules.first().and_then(|rule| rule.name.clone());
    let metadata = Arc::new(resource_metadata(&**route, rule_name));
    let backend_refs = || rules.iter().map(|rule| rule.backend_refs.as_slice());
    fragment(
        view,
        &attaching,
        |scope| {
            let Rules { pieces, faults, dropped } = layer4::forwarding(scope, backend_refs(), &metadata);
            Rules { pieces: Arc::new(pieces), faults, dropped }
        },
        |destination, gateway, listeners| {
            layer4::place(gateway, listeners, |_, _| {
                Some(Layer4Route::Udp(Arc::new(IrRoute {
                    name: layer4::route_name(RouteKind::Udp, &key),
                    destination: Some(Arc::clone(destination)),
                    ..IrRoute::default()
                })))
            });
            None
        },
    )
}
