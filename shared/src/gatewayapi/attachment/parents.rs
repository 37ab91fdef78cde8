//! From a parentRef to the Gateway it names, and to a decision about each of that Gateway's listeners.

use std::sync::Arc;

use crate::api::metadata::ObjectKey;
use crate::api::references::ParentReference;
use crate::gatewayapi::attachment::{hostnames, kinds, namespaces};
use crate::gatewayapi::decision::{ListenerDecision, ListenerOutcome, ParentOutcome, RouteKind};
use crate::gatewayapi::fleet::GatewayContext;
use crate::gatewayapi::view::View;

/// The route that wants to attach.
#[derive(Clone, Copy, Debug)]
pub struct Meeting<'r> {
    /// Its kind.
    pub kind: RouteKind,
    /// Its namespace.
    pub namespace: &'r str,
    /// Its hostnames; none means those of the listener.
    pub hostnames: &'r [String],
    /// How many rules it has.
    pub rules: usize,
}

impl Meeting<'_> {
    /// Whether the route has as many rules as its kind can: those of TCP and UDP have nothing to choose a rule by.
    #[must_use]
    pub const fn has_the_rules_of_its_kind(&self) -> bool {
        match self.kind {
            RouteKind::Http | RouteKind::Tls => true,
            RouteKind::Tcp | RouteKind::Udp => self.rules == 1,
        }
    }
}

/// Where a parentRef leads. Attached listeners come without IR routes: the rules are made afterwards.
#[must_use]
pub fn parent_outcome(view: &View<'_>, meeting: Meeting<'_>, parent: &ParentReference) -> ParentOutcome {
    let group = parent.group.as_deref().unwrap_or(kinds::ROUTE_GROUP);
    let kind = parent.kind.as_deref().unwrap_or("Gateway");
    if group != kinds::ROUTE_GROUP || kind != "Gateway" {
        return ParentOutcome::ForeignKind;
    }
    let key = ObjectKey::new(parent.namespace.as_deref().unwrap_or(meeting.namespace), &parent.name);
    match view.attachment(&key) {
        Some(context) if context.failed.is_some() => ParentOutcome::FailedGateway { gateway: key },
        Some(context) => ParentOutcome::Ours {
            ir_key: Arc::clone(&context.ir_key),
            listeners: listener_decisions(view, meeting, parent, &key, context),
            gateway: key,
        },
        None => match view.gateway(&key) {
            Some(gateway) => {
                ParentOutcome::ForeignClass { gateway: key, class: gateway.spec.gateway_class_name.clone() }
            }
            None => ParentOutcome::NoSuchGateway { gateway: key },
        },
    }
}

/// One decision for each listener, in the order the Gateway lists them.
fn listener_decisions(
    view: &View<'_>,
    meeting: Meeting<'_>,
    parent: &ParentReference,
    gateway: &ObjectKey,
    context: &GatewayContext,
) -> Vec<ListenerDecision> {
    (0..context.listeners.len())
        .filter_map(|index| {
            let listener = context.listeners.get(index)?;
            Some(ListenerDecision {
                listener: listener.listener.name.clone(),
                port: listener.listener.port,
                ir_name: Arc::clone(&listener.ir_name),
                outcome: listener_outcome(view, meeting, parent, gateway, context, index)?,
            })
        })
        .collect()
}

/// The first check that fails, or attachment (design §6 rule 4).
fn listener_outcome(
    view: &View<'_>,
    meeting: Meeting<'_>,
    parent: &ParentReference,
    gateway: &ObjectKey,
    context: &GatewayContext,
    index: usize,
) -> Option<ListenerOutcome> {
    let listener = context.listeners.get(index)?;
    if !meeting.has_the_rules_of_its_kind() {
        return Some(ListenerOutcome::NotOneRule { rules: meeting.rules });
    }
    if parent.section_name.as_ref().is_some_and(|name| *name != listener.listener.name) {
        return Some(ListenerOutcome::OtherSection);
    }
    if parent.port.is_some_and(|port| port != listener.listener.port) {
        return Some(ListenerOutcome::OtherPort);
    }
    if !kinds::takes(listener, meeting.kind) {
        return Some(ListenerOutcome::KindNotAllowed { allowed: kinds::names(listener) });
    }
    if !namespaces::takes(view, &listener.namespaces, &gateway.namespace, meeting.namespace) {
        return Some(ListenerOutcome::NamespaceNotAllowed { allowed: namespaces::words(&listener.namespaces) });
    }
    let hostnames = hostnames::in_common(meeting.hostnames, &context.listeners, index);
    if hostnames.is_empty() {
        return Some(ListenerOutcome::NoHostname { listener: listener.listener.hostname.clone() });
    }
    Some(ListenerOutcome::Attached { hostnames, listener_ready: listener.ready, routes: Vec::new(), layer4: None })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::api::gateway::Gateway;
    use crate::api::label_selector::LabelSelector;
    use crate::api::listener::{Listener, ProtocolType};
    use crate::config::Config;
    use crate::gatewayapi::fleet::{AllowedNamespaces, ListenerContext, RouteGroupKind};
    use crate::gatewayapi::view::Attachments;
    use crate::resources::Resources;

    /// A listener that takes HTTPRoutes of every namespace.
    pub(in crate::gatewayapi::attachment) fn listener(
        name: &str,
        port: i32,
        hostname: Option<&str>,
    ) -> ListenerContext {
        ListenerContext {
            listener: Listener {
                name: name.to_owned(),
                hostname: hostname.map(str::to_owned),
                port,
                protocol: ProtocolType::Http,
                tls: None,
                allowed_routes: None,
            },
            ir_name: Arc::from(format!("infra/edge/{name}")),
            supported_kinds: vec![RouteGroupKind { group: String::new(), kind: "HTTPRoute".to_owned() }],
            namespaces: AllowedNamespaces::All,
            ready: true,
            conditions: Vec::new(),
            faults: Vec::new(),
        }
    }

    fn outcomes(listeners: Vec<ListenerContext>, parent: &ParentReference) -> Vec<ListenerOutcome> {
        let context = Arc::new(GatewayContext {
            gateway: Arc::new(Gateway::default()),
            ir_key: Arc::from("infra/edge"),
            envoy_proxy: None,
            failed: None,
            rejected: None,
            conditions: Vec::new(),
            listeners,
            own_envoy_proxy: None,
            own_envoy_proxy_faults: Vec::new(),
        });
        let mut attachments = Attachments::default();
        attachments.insert(ObjectKey::new("infra", "edge"), context);
        let (resources, config) = (Resources::default(), Config::default());
        let view = View::new(&resources, &attachments, &config);
        let hostnames = ["shop.example.com".to_owned()];
        let meeting = Meeting { kind: RouteKind::Http, namespace: "shop", hostnames: &hostnames, rules: 1 };
        match parent_outcome(&view, meeting, parent) {
            ParentOutcome::Ours { listeners, .. } => listeners.into_iter().map(|decision| decision.outcome).collect(),
            other => panic!("not ours: {other:?}"),
        }
    }

    fn edge() -> ParentReference {
        ParentReference { name: "edge".to_owned(), namespace: Some("infra".to_owned()), ..ParentReference::default() }
    }

    #[test]
    fn each_listener_gets_the_first_reason_against_it() {
        let mut no_kind = listener("no-kind", 80, None);
        no_kind.supported_kinds = vec![RouteGroupKind { group: String::new(), kind: "GRPCRoute".to_owned() }];
        let mut same = listener("same", 80, None);
        same.namespaces = AllowedNamespaces::Same;
        let mut selected = listener("selected", 80, None);
        selected.namespaces = AllowedNamespaces::Selector(LabelSelector {
            match_labels: [("team".to_owned(), "a".to_owned())].into(),
            match_expressions: Vec::new(),
        });
        let other_name = listener("other-name", 80, Some("x.org"));
        let listeners = vec![no_kind, same, selected, other_name, listener("open", 8080, None)];
        assert_eq!(
            outcomes(listeners.clone(), &edge()),
            [
                ListenerOutcome::KindNotAllowed { allowed: vec!["GRPCRoute".to_owned()] },
                ListenerOutcome::NamespaceNotAllowed { allowed: "Same".to_owned() },
                ListenerOutcome::NamespaceNotAllowed { allowed: "team=a".to_owned() },
                ListenerOutcome::NoHostname { listener: Some("x.org".to_owned()) },
                ListenerOutcome::Attached {
                    hostnames: vec!["shop.example.com".to_owned()],
                    listener_ready: true,
                    routes: Vec::new(),
                    layer4: None,
                },
            ]
        );
        let by_port = outcomes(listeners.clone(), &ParentReference { port: Some(8080), ..edge() });
        assert_eq!(by_port[..4], [const { ListenerOutcome::OtherPort }; 4]);
        let by_section = outcomes(listeners, &ParentReference { section_name: Some("same".to_owned()), ..edge() });
        assert_eq!(by_section[0], ListenerOutcome::OtherSection);
        assert!(matches!(by_section[1], ListenerOutcome::NamespaceNotAllowed { .. }));
    }

    #[test]
    fn parents_of_others_are_told_apart() {
        let (resources, attachments, config) = (Resources::default(), Attachments::default(), Config::default());
        let view = View::new(&resources, &attachments, &config);
        let meeting = Meeting { kind: RouteKind::Http, namespace: "shop", hostnames: &[], rules: 1 };
        let mesh = ParentReference { kind: Some("Service".to_owned()), group: Some(String::new()), ..edge() };
        assert_eq!(parent_outcome(&view, meeting, &mesh), ParentOutcome::ForeignKind);
        let gateway = ObjectKey::new("infra", "edge");
        assert_eq!(parent_outcome(&view, meeting, &edge()), ParentOutcome::NoSuchGateway { gateway });
    }
}
