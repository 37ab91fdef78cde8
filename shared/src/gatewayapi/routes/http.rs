//! One HTTPRoute → everything decided about it.

use std::sync::Arc;

use crate::api::http_route::HttpRoute;
use crate::api::metadata::Object;
use crate::gatewayapi::decision::{ListenerOutcome, RouteFragment, RouteKind};
use crate::gatewayapi::routes::fan_out::FanOut;
use crate::gatewayapi::routes::fragment::{Attaching, fragment};
use crate::gatewayapi::routes::rules::rules;
use crate::gatewayapi::view::View;

/// The decisions about a route, and the pieces of IR it became.
#[must_use]
pub fn http_route(view: &View<'_>, route: &Arc<HttpRoute>) -> RouteFragment {
    let attaching = Attaching {
        kind: RouteKind::Http,
        key: &route.key(),
        metadata: &route.metadata,
        parents: &route.spec.parent_refs,
        hostnames: &route.spec.hostnames,
        rules: route.spec.rules.len(),
    };
    fragment(
        view,
        &attaching,
        |scope| rules(scope, route),
        |made, _, listeners| {
            let mut fan_out = FanOut::new(made);
            for decision in listeners {
                if let ListenerOutcome::Attached { hostnames, listener_ready: true, routes, layer4: _ } =
                    &mut decision.outcome
                {
                    *routes = fan_out.on(hostnames, decision.port);
                }
            }
            None
        },
    )
}
