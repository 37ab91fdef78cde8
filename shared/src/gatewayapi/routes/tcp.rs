//! One TCPRoute → everything decided about it.

use std::sync::Arc;

use crate::api::metadata::Object;
use crate::api::tcp_route::{TcpRoute, TcpRouteSpec};
use crate::gatewayapi::decision::{Layer4Route, RouteFragment, RouteKind};
use crate::gatewayapi::metadata::resource_metadata;
use crate::gatewayapi::routes::fragment::{Attaching, Rules, fragment};
use crate::gatewayapi::routes::layer4;
use crate::gatewayapi::view::View;
use crate::ir::tcp_listener::{TcpRoute as IrRoute, Tls, TlsInspectorConfig};

/// The decisions about a route, and the pieces of IR it became. It has one rule, or it isn't accepted.
#[must_use]
pub fn tcp_route(view: &View<'_>, route: &Arc<TcpRoute>) -> RouteFragment {
    let key = route.key();
    let TcpRouteSpec { parent_refs, use_default_gateways: _, rules } = &route.spec;
    let attaching = Attaching {
        kind: RouteKind::Tcp,
        key: &key,
        metadata: &route.metadata,
        parents: parent_refs,
        hostnames: &[],
        rules: rules.len(),
    };
    let rule_name = rules.first().and_then(|rule| rule.name.clone());
    let of_rule = Arc::new(resource_metadata(&**route, rule_name));
    let of_route = Arc::new(resource_metadata(&**route, None));
    let backend_refs = || rules.iter().map(|rule| rule.backend_refs.as_slice());
    fragment(
        view,
        &attaching,
        |scope| {
            let Rules { pieces, faults, dropped } = layer4::forwarding(scope, backend_refs(), &of_rule);
            Rules { pieces: Arc::new(pieces), faults, dropped }
        },
        |destination, gateway, listeners| {
            layer4::place(gateway, listeners, |listener, _| {
                // Where TLS ends here, connections for the names of other listeners are none of this one's.
                let snis = listener.listener.hostname.clone().filter(|_| listener.terminates_tls());
                Some(Layer4Route::Tcp(Arc::new(IrRoute {
                    name: layer4::route_name(RouteKind::Tcp, &key),
                    tls: snis
                        .map(|name| Tls { inspector: Some(TlsInspectorConfig { snis: vec![name] }), terminate: None }),
                    destination: Some(Arc::clone(destination)),
                    metadata: Some(Arc::clone(&of_route)),
                    ..IrRoute::default()
                })))
            });
            None
        },
    )
}
