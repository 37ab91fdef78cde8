//! One HTTPRoute → everything decided about it.

use std::sync::Arc;

use crate::api::http_route::HttpRoute;
use crate::api::metadata::{Object, ObjectKey};
use crate::gatewayapi::attachment::{Meeting, parent_outcome};
use crate::gatewayapi::decision::{ListenerOutcome, ParentDecision, ParentOutcome, RouteFragment, RouteKind};
use crate::gatewayapi::fleet::GatewayContext;
use crate::gatewayapi::routes::fan_out::FanOut;
use crate::gatewayapi::routes::rules::{Rules, rules};
use crate::gatewayapi::routes::scope::Scope;
use crate::gatewayapi::view::View;

/// The decisions about a route, and the pieces of IR it became. The route meets each of its parents; its rules are made
/// once for each Gateway, since it is the Gateway's EnvoyProxy they depend on.
#[must_use]
pub fn http_route(view: &View<'_>, route: &Arc<HttpRoute>) -> RouteFragment {
    let key = route.key();
    let meeting = Meeting { kind: RouteKind::Http, namespace: &key.namespace, hostnames: &route.spec.hostnames };
    let mut by_gateway: Vec<(Option<&Arc<GatewayContext>>, Rules)> = Vec::new();
    let mut parents = Vec::with_capacity(route.spec.parent_refs.len());
    for (index, parent) in route.spec.parent_refs.iter().enumerate() {
        let mut outcome = parent_outcome(view, meeting, parent);
        let mut faults = Vec::new();
        let mut dropped_rules = Vec::new();
        if let ParentOutcome::Ours { gateway, listeners, .. } = &mut outcome {
            let allowed = listeners.iter().any(|decision| is_allowed(&decision.outcome));
            let context = if allowed { view.attachment(gateway) } else { None };
            let made = rules_for(view, route, &key, context, &mut by_gateway);
            let mut fan_out = FanOut::new(&made.routes);
            for decision in listeners {
                if let ListenerOutcome::Attached { hostnames, listener_ready: true, routes } = &mut decision.outcome {
                    *routes = fan_out.on(hostnames, decision.port);
                }
            }
            faults.clone_from(&made.faults);
            dropped_rules.clone_from(&made.dropped);
        }
        let rules = route.spec.rules.len();
        parents.push(ParentDecision { parent: parent.clone(), index, outcome, faults, dropped_rules, rules });
    }
    RouteFragment {
        kind: RouteKind::Http,
        generation: route.metadata.generation,
        created: route.metadata.creation_timestamp,
        parents,
        key,
    }
}

/// Whether a listener takes the route, whatever its hostnames.
const fn is_allowed(outcome: &ListenerOutcome) -> bool {
    matches!(outcome, ListenerOutcome::Attached { .. } | ListenerOutcome::NoHostname { .. })
}

/// The rules for one Gateway, made or found.
fn rules_for<'m, 'a>(
    view: &View<'a>,
    route: &Arc<HttpRoute>,
    key: &ObjectKey,
    gateway: Option<&'a Arc<GatewayContext>>,
    made: &'m mut Vec<(Option<&'a Arc<GatewayContext>>, Rules)>,
) -> &'m Rules {
    let same = |other: &Option<&Arc<GatewayContext>>| match (other, gateway) {
        (Some(other), Some(gateway)) => Arc::ptr_eq(other, gateway),
        (None, None) => true,
        _ => false,
    };
    let index = match made.iter().position(|(other, _)| same(other)) {
        Some(index) => index,
        None => {
            let scope = Scope { view, kind: RouteKind::Http, route: key, gateway };
            made.push((gateway, rules(&scope, route)));
            made.len() - 1
        }
    };
    made.get(index).map_or(const { &Rules::NONE }, |(_, rules)| rules)
}
