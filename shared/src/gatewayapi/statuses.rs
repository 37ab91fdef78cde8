//! Statuses of GatewayClasses, Gateways and EnvoyProxies, read off what was decided about them.
//!
//! A Gateway's `Programmed` condition and its addresses come from its live fleet: `programmed` adds them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::assembly::ListenerSummary;
use super::classes::{ClassDecision, INVALID_PARAMETERS};
use super::fleet::{GatewayContext, ListenerContext, RouteGroupKind};
use crate::api::condition::Condition;
use crate::api::envoy_proxy::{EnvoyProxy, EnvoyProxyAncestorStatus, EnvoyProxyStatus};
use crate::api::gateway::{Gateway, GatewayStatus};
use crate::api::gateway_class::{GatewayClass, GatewayClassStatus};
use crate::api::listener::{self, ListenerStatus};
use crate::api::metadata::{Object, ObjectKey};
use crate::api::references::ParentReference;
use crate::diagnostic::Diagnostic;
use crate::status;

const ACCEPTED: &str = "Accepted";
const LISTENERS_NOT_VALID: &str = "ListenersNotValid";

/// The status of a GatewayClass.
#[must_use]
pub fn gateway_class_status(class: &ClassDecision) -> GatewayClassStatus {
    let generation = class.class.metadata.generation;
    let accepted = match &class.fault {
        Some(fault) => status::fails(ACCEPTED, fault.reason, fault.to_string(), generation),
        None => status::holds(ACCEPTED, ACCEPTED, "the class is ours and its parameters are right", generation),
    };
    GatewayClassStatus { conditions: vec![accepted], supported_features: Vec::new() }
}

/// The status of a Gateway. `found` is what assembly found out about listeners, by their names in the IR.
#[must_use]
pub fn gateway_status(context: &GatewayContext, found: &BTreeMap<Arc<str>, ListenerSummary>) -> GatewayStatus {
    let mut conditions = vec![accepted(context)];
    conditions.extend(context.conditions.iter().cloned());
    let listeners = context
        .listeners
        .iter()
        .map(|listener| listener_status(listener, found.get(&listener.ir_name).map_or(0, |summary| summary.attached)))
        .collect();
    GatewayStatus { addresses: Vec::new(), conditions, listeners, attached_listener_sets: None }
}

/// A Gateway is accepted when at least one of its listeners is (design §6 rule 7).
fn accepted(context: &GatewayContext) -> Condition {
    let generation = context.gateway.metadata.generation;
    if let Some(fault) = context.failed.as_ref().or(context.rejected.as_ref()) {
        return status::fails(ACCEPTED, fault.reason, fault.to_string(), generation);
    }
    let invalid: BTreeSet<&str> = context
        .listeners
        .iter()
        .filter(|listener| !status::is_true(&listener.conditions, ACCEPTED))
        .map(|listener| listener.listener.name.as_str())
        .collect();
    let names = invalid.iter().copied().collect::<Vec<_>>().join(", ");
    if invalid.is_empty() {
        status::holds(ACCEPTED, ACCEPTED, "the Gateway is ours and its listeners are right", generation)
    } else if context.listeners.iter().any(|listener| status::is_true(&listener.conditions, ACCEPTED)) {
        let message = format!("some listeners aren't right, their conditions say why: {names}");
        status::holds(ACCEPTED, LISTENERS_NOT_VALID, message, generation)
    } else {
        let message = format!("no listener is right, their conditions say why: {names}");
        status::fails(ACCEPTED, LISTENERS_NOT_VALID, message, generation)
    }
}

fn listener_status(listener: &ListenerContext, attached_routes: i32) -> ListenerStatus {
    let kind = |RouteGroupKind { group, kind }: &RouteGroupKind| listener::RouteGroupKind {
        group: (!group.is_empty()).then(|| group.clone()),
        kind: kind.clone(),
    };
    ListenerStatus {
        name: listener.listener.name.clone(),
        supported_kinds: listener.supported_kinds.iter().map(kind).collect(),
        attached_routes,
        conditions: listener.conditions.clone(),
    }
}

/// The EnvoyProxies that classes and Gateways of ours name and get; one that several name is there several times.
pub fn named_envoy_proxies<'c>(
    classes: impl Iterator<Item = &'c ClassDecision>,
    gateways: impl Iterator<Item = &'c Arc<GatewayContext>>,
) -> impl Iterator<Item = ObjectKey> {
    let of_classes = classes.filter_map(|class| class.envoy_proxy.as_ref().map(|proxy| proxy.key()));
    of_classes.chain(gateways.filter_map(|context| context.own_envoy_proxy.clone()))
}

/// The status of an EnvoyProxy, one entry for each class and Gateway of ours that names it; `None` when none does.
/// `found` is the object.
#[must_use]
pub fn envoy_proxy_status<'c>(
    key: &ObjectKey,
    found: Option<&Arc<EnvoyProxy>>,
    classes: impl Iterator<Item = &'c ClassDecision>,
    gateways: impl Iterator<Item = &'c Arc<GatewayContext>>,
) -> Option<EnvoyProxyStatus> {
    let mut ancestors = Vec::new();
    for class in classes {
        if let Some(proxy) = class.envoy_proxy.as_ref().filter(|proxy| proxy.key() == *key) {
            ancestors.push(ancestor(proxy, &class.envoy_proxy_faults, class_reference(&class.name)));
        }
    }
    for context in gateways.filter(|context| context.own_envoy_proxy.as_ref() == Some(key)) {
        ancestors.extend(found.map(|it| for_gateway(it, &context.own_envoy_proxy_faults, &context.gateway.key())));
    }
    (!ancestors.is_empty()).then_some(EnvoyProxyStatus { ancestors })
}

/// What is said about an EnvoyProxy on behalf of a Gateway that names it.
pub(super) fn for_gateway(proxy: &EnvoyProxy, faults: &[Diagnostic], gateway: &ObjectKey) -> EnvoyProxyAncestorStatus {
    let reference = ParentReference {
        group: Some(Gateway::GROUP.to_owned()),
        kind: Some(Gateway::KIND.to_owned()),
        namespace: Some(gateway.namespace.to_string()),
        name: gateway.name.to_string(),
        ..ParentReference::default()
    };
    ancestor(proxy, faults, reference)
}

fn class_reference(name: &str) -> ParentReference {
    ParentReference {
        group: Some(GatewayClass::GROUP.to_owned()),
        kind: Some(GatewayClass::KIND.to_owned()),
        name: name.to_owned(),
        ..ParentReference::default()
    }
}

fn ancestor(proxy: &EnvoyProxy, faults: &[Diagnostic], ancestor_ref: ParentReference) -> EnvoyProxyAncestorStatus {
    let generation = proxy.metadata.generation;
    let condition = if faults.is_empty() {
        status::holds(ACCEPTED, ACCEPTED, "EnvoyProxy has been accepted.", generation)
    } else {
        let words = faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        status::fails(ACCEPTED, INVALID_PARAMETERS, words, generation)
    };
    EnvoyProxyAncestorStatus { conditions: vec![condition], ancestor_ref }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::FieldPath;
    use crate::gatewayapi::fleet::AllowedNamespaces;

    fn listener(name: &str, accepted: bool) -> ListenerContext {
        let json = format!(r#"{{"name":"{name}","port":80,"protocol":"HTTP"}}"#);
        let condition =
            if accepted { status::holds(ACCEPTED, ACCEPTED, "", 4) } else { status::fails(ACCEPTED, "No", "", 4) };
        ListenerContext {
            listener: serde_json::from_str(&json).unwrap(),
            ir_name: Arc::from(format!("infra/edge/{name}")),
            supported_kinds: vec![RouteGroupKind { group: String::new(), kind: "HTTPRoute".to_owned() }],
            namespaces: AllowedNamespaces::All,
            ready: accepted,
            conditions: vec![condition],
            faults: Vec::new(),
        }
    }

    fn context(listeners: Vec<ListenerContext>) -> GatewayContext {
        let gateway: Gateway = serde_json::from_str(
            r#"{"metadata":{"name":"edge","namespace":"infra","generation":4},"spec":{"gatewayClassName":"eg"}}"#,
        )
        .unwrap();
        GatewayContext {
            gateway: Arc::new(gateway),
            ir_key: Arc::from("infra/edge"),
            envoy_proxy: None,
            failed: None,
            rejected: None,
            conditions: Vec::new(),
            listeners,
            own_envoy_proxy: None,
            own_envoy_proxy_faults: Vec::new(),
        }
    }

    fn shown(context: &GatewayContext) -> String {
        let status = gateway_status(context, &BTreeMap::new());
        let condition = &status.conditions[0];
        format!("{}/{} {:?}", condition.status, condition.reason, condition.observed_generation)
    }

    #[test]
    fn one_good_listener_is_enough_to_be_accepted() {
        assert_eq!(shown(&context(vec![listener("a", true)])), "True/Accepted Some(4)");
        assert_eq!(shown(&context(vec![listener("a", true), listener("b", false)])), "True/ListenersNotValid Some(4)");
        assert_eq!(shown(&context(vec![listener("b", false)])), "False/ListenersNotValid Some(4)");
    }

    #[test]
    fn a_failed_gateway_says_why() {
        let failed = GatewayContext {
            failed: Some(Diagnostic::new(FieldPath::field("spec"), "UnsupportedAddress", "no")),
            ..context(Vec::new())
        };
        assert_eq!(shown(&failed), "False/UnsupportedAddress Some(4)");
    }

    #[test]
    fn routes_are_counted_by_listener() {
        let mut summary = ListenerSummary::default();
        summary.attached = 2;
        let found = [(Arc::from("infra/edge/b"), summary)].into();
        let status = gateway_status(&context(vec![listener("a", true), listener("b", true)]), &found);
        let counts: Vec<_> = status.listeners.iter().map(|it| (it.name.as_str(), it.attached_routes)).collect();
        assert_eq!(counts, [("a", 0), ("b", 2)]);
        assert_eq!(status.listeners[0].supported_kinds[0].group, None);
    }
}
