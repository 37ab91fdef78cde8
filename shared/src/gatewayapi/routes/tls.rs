//! One TLSRoute → everything decided about it: connections by the server name they ask for.

use std::sync::Arc;

use crate::api::metadata::Object;
use crate::api::tls_route::{TlsRoute, TlsRouteSpec};
use crate::diagnostic::FieldPath;
use crate::gatewayapi::decision::{Layer4Route, RouteFault, RouteFragment, RouteKind};
use crate::gatewayapi::metadata::resource_metadata;
use crate::gatewayapi::routes::fragment::{Attaching, Rules, fragment};
use crate::gatewayapi::routes::layer4;
use crate::gatewayapi::routes::outcome::reason;
use crate::gatewayapi::view::View;
use crate::ir::destination::RouteDestination;
use crate::ir::tcp_listener::{TcpRoute, Tls, TlsInspectorConfig};

/// Where the connections of a route go.
struct Forwarding {
    destination: Arc<RouteDestination>,
    /// Whether a backend is found by the server name, which Envoy knows only where it doesn't end TLS itself.
    by_server_name: bool,
}

/// The decisions about a route, and the pieces of IR it became. Its rules match nothing, so their backends are taken
/// together.
#[must_use]
pub fn tls_route(view: &View<'_>, route: &Arc<TlsRoute>) -> RouteFragment {
    let key = route.key();
    let TlsRouteSpec { parent_refs, use_default_gateways: _, hostnames, rules } = &route.spec;
    let attaching = Attaching {
        kind: RouteKind::Tls,
        key: &key,
        metadata: &route.metadata,
        parents: parent_refs,
        hostnames,
        rules: rules.len(),
    };
    let metadata = Arc::new(resource_metadata(&**route, None));
    let backend_refs = || rules.iter().map(|rule| rule.backend_refs.as_slice());
    fragment(
        view,
        &attaching,
        |scope| judge(layer4::forwarding(scope, backend_refs(), &metadata)),
        |forwarding, gateway, listeners| {
            let mut fault = None;
            layer4::place(gateway, listeners, |listener, hostnames| {
                if forwarding.by_server_name && listener.terminates_tls() {
                    fault = Some(not_on_a_terminating_listener(&listener.listener.name));
                    return None;
                }
                Some(Layer4Route::Tcp(Arc::new(TcpRoute {
                    name: layer4::route_name(RouteKind::Tls, &key),
                    tls: Some(Tls {
                        inspector: Some(TlsInspectorConfig { snis: hostnames.to_vec() }),
                        terminate: None,
                    }),
                    destination: Some(Arc::clone(&forwarding.destination)),
                    metadata: Some(Arc::clone(&metadata)),
                    ..TcpRoute::default()
                })))
            });
            fault
        },
    )
}

/// A backend found by the server name has to be the only one: otherwise none is used.
fn judge(rules: Rules<RouteDestination>) -> Rules<Forwarding> {
    let Rules { pieces: mut destination, mut faults, dropped } = rules;
    let by_server_name = destination.settings.iter().any(|setting| setting.is_dynamic_resolver);
    if by_server_name && destination.settings.len() > 1 {
        let message = "a dynamic resolver has to be the only backend of a TLSRoute: move it to a route of its own";
        let path = FieldPath::field("rules").within("spec");
        faults.push(RouteFault::reference(path, reason::INVALID_BACKEND_REF, message));
        destination.settings.clear();
    }
    Rules { pieces: Forwarding { destination: Arc::new(destination), by_server_name }, faults, dropped }
}

fn not_on_a_terminating_listener(listener: &str) -> RouteFault {
    let message = format!(
        "a dynamic resolver needs the server name of TLS that is passed through, and listener {listener} ends TLS: \
         attach to a listener with tls.mode Passthrough"
    );
    RouteFault::reference(FieldPath::field("rules").within("spec"), reason::UNSUPPORTED_VALUE, message)
}
