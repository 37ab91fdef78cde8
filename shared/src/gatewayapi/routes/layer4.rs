//! What TLS, TCP and UDP routes have in common: one destination for all rules, and one IR route for each listener.

use std::sync::Arc;

use crate::api::metadata::ObjectKey;
use crate::api::references::BackendRef;
use crate::gatewayapi::backends::{Destination, Target, destination};
use crate::gatewayapi::decision::{Layer4Route, ListenerDecision, ListenerOutcome, RouteKind};
use crate::gatewayapi::fleet::{GatewayContext, ListenerContext};
use crate::gatewayapi::routes::fragment::Rules;
use crate::gatewayapi::routes::scope::Scope;
use crate::ir::destination::RouteDestination;
use crate::ir::metadata::ResourceMetadata;

/// The IR name of a route: `tcproute/namespace/name`.
#[must_use]
pub fn route_name(kind: RouteKind, key: &ObjectKey) -> String {
    format!("{}/{}/{}", kind.kind().to_lowercase(), key.namespace, key.name)
}

/// The backends of all `rules` as one destination. Below HTTP nobody could be told that a backend can't be used, so such
/// a backend is left out, and whatever is wrong with it speaks through `ResolvedRefs`.
#[must_use]
pub fn forwarding<'r>(
    scope: &Scope<'_, '_>,
    rules: impl Iterator<Item = &'r [BackendRef]>,
    metadata: &Arc<ResourceMetadata>,
) -> Rules<RouteDestination> {
    // No single rule has the destination: Envoy Gateway says that by -1.
    let name = format!("{}/rule/-1", route_name(scope.kind, scope.route));
    let mut settings = Vec::new();
    let mut faults = Vec::new();
    for (rule, backend_refs) in rules.enumerate() {
        for (index, reference) in backend_refs.iter().enumerate() {
            let Destination { setting, fault } =
                destination(scope, &Target::from(reference), format!("{name}/backend/{index}").into());
            match fault {
                Some(fault) => faults.push(
                    fault.as_reference().within_item("backendRefs", index).within_item("rules", rule).within("spec"),
                ),
                None if setting.weight == Some(0) => {}
                None => settings.push(setting),
            }
        }
    }
    let made = RouteDestination {
        name: name.into(),
        stat_name: None,
        settings,
        backend_cluster_refs: Vec::new(),
        metadata: Some(Arc::clone(metadata)),
    };
    Rules { made, faults, dropped: Vec::new() }
}

/// Puts what `make` gives for a listener and the names attached there on every listener that is attached and ready.
pub fn place(
    gateway: Option<&GatewayContext>,
    decisions: &mut [ListenerDecision],
    mut make: impl FnMut(&ListenerContext, &[String]) -> Option<Layer4Route>,
) {
    let contexts = gateway.map(|gateway| gateway.listeners.as_slice()).unwrap_or_default();
    for decision in decisions {
        if let ListenerOutcome::Attached { hostnames, listener_ready: true, routes: _, layer4 } = &mut decision.outcome
            && let Some(context) = contexts.iter().find(|context| context.ir_name == decision.ir_name)
        {
            *layer4 = make(context, hostnames);
        }
    }
}
