//! One route, whatever its kind → everything decided about it.

use std::sync::Arc;

use crate::api::metadata::{ObjectKey, ObjectMeta};
use crate::api::references::ParentReference;
use crate::gatewayapi::attachment::{Meeting, parent_outcome};
use crate::gatewayapi::decision::{
    ListenerDecision, ListenerOutcome, ParentDecision, ParentOutcome, RouteFault, RouteFragment, RouteKind,
};
use crate::gatewayapi::fleet::GatewayContext;
use crate::gatewayapi::routes::scope::Scope;
use crate::gatewayapi::view::View;

/// A route, as far as its parents ask.
#[derive(Clone, Copy, Debug)]
pub struct Attaching<'r> {
    /// Its kind.
    pub kind: RouteKind,
    /// Its namespace and name.
    pub key: &'r ObjectKey,
    /// Its metadata.
    pub metadata: &'r ObjectMeta,
    /// Its parents.
    pub parents: &'r [ParentReference],
    /// Its hostnames; none means those of the listener.
    pub hostnames: &'r [String],
    /// How many rules it has.
    pub rules: usize,
}

/// What the rules of one route became under one Gateway.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules<T> {
    /// What doesn't depend on the listener.
    pub pieces: T,
    /// What is wrong. Paths begin at the route.
    pub faults: Vec<RouteFault>,
    /// The rules that aren't accepted, by index, in order.
    pub dropped: Vec<usize>,
}

/// The decisions about a route, and the pieces of IR it became. The route meets each of its parents; `rules` are made
/// once for each Gateway, since it is the Gateway's EnvoyProxy they depend on; `place` puts them on the listeners of one
/// Gateway that are attached and ready, and tells what keeps them off one: that takes the place of all other faults.
pub fn fragment<'a, T>(
    view: &View<'a>,
    route: &Attaching<'_>,
    rules: impl Fn(&Scope<'_, 'a>) -> Rules<T>,
    place: impl Fn(&T, Option<&GatewayContext>, &mut [ListenerDecision]) -> Option<RouteFault>,
) -> RouteFragment {
    let &Attaching { kind, key, metadata, parents, hostnames, rules: number } = route;
    let meeting = Meeting { kind, namespace: &key.namespace, hostnames, rules: number };
    let mut by_gateway: Vec<(Option<&Arc<GatewayContext>>, Rules<T>)> = Vec::new();
    let mut decisions = Vec::with_capacity(parents.len());
    for (index, parent) in parents.iter().enumerate() {
        let mut outcome = parent_outcome(view, meeting, parent);
        let mut faults = Vec::new();
        let mut dropped_rules = Vec::new();
        if let ParentOutcome::Ours { gateway, listeners, .. } = &mut outcome
            && meeting.has_the_rules_of_its_kind()
        {
            let allowed = listeners.iter().any(|decision| is_allowed(&decision.outcome));
            let context = if allowed { view.attachment(gateway) } else { None };
            let known = by_gateway.iter().position(|(other, _)| other.map(Arc::as_ptr) == context.map(Arc::as_ptr));
            let known = known.unwrap_or_else(|| {
                by_gateway.push((context, rules(&Scope { view, kind, route: key, gateway: context })));
                by_gateway.len() - 1
            });
            if let Some((_, rules)) = by_gateway.get(known) {
                match place(&rules.pieces, context.map(|context| &**context), listeners) {
                    Some(fault) => faults.push(fault),
                    None => faults.clone_from(&rules.faults),
                }
                dropped_rules.clone_from(&rules.dropped);
            }
        }
        decisions.push(ParentDecision { parent: parent.clone(), index, outcome, faults, dropped_rules, rules: number });
    }
    RouteFragment {
        kind,
        key: key.clone(),
        generation: metadata.generation,
        created: metadata.creation_timestamp,
        parents: decisions,
    }
}

/// Whether a listener takes the route, whatever its hostnames.
const fn is_allowed(outcome: &ListenerOutcome) -> bool {
    matches!(outcome, ListenerOutcome::Attached { .. } | ListenerOutcome::NoHostname { .. })
}
