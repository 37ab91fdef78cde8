//! `allowedRoutes`: which kinds of route a listener takes, and from which namespaces.

use super::faults::{ListenerCondition, ListenerFault};
use crate::api::gateway_tls::TlsModeType;
use crate::api::listener::{FromNamespaces, Listener, ProtocolType};
use crate::diagnostic::FieldPath;
use crate::gatewayapi::fleet::{AllowedNamespaces, RouteGroupKind};

/// The group of the kinds of route.
const GROUP: &str = "gateway.networking.k8s.io";

/// The kinds of route that can be served on the listener's protocol; `None` when the protocol can't be served at all.
fn served_kinds(listener: &Listener) -> Option<&'static [&'static str]> {
    let passthrough = listener.tls.as_ref().is_some_and(|tls| tls.mode == Some(TlsModeType::Passthrough));
    match listener.protocol {
        ProtocolType::Http | ProtocolType::Https => Some(&["HTTPRoute", "GRPCRoute"]),
        ProtocolType::Tls if passthrough => Some(&["TLSRoute"]),
        ProtocolType::Tls => Some(&["TCPRoute", "TLSRoute"]),
        ProtocolType::Tcp => Some(&["TCPRoute"]),
        ProtocolType::Udp => Some(&["UDPRoute"]),
        ProtocolType::Other(_) => None,
    }
}

/// The kinds of route the listener takes: all that its protocol can serve, or those of them that it lists.
pub(super) fn kinds(listener: &Listener, faults: &mut Vec<ListenerFault>) -> Vec<RouteGroupKind> {
    let Some(served) = served_kinds(listener) else {
        faults.push(ListenerFault::new(
            ListenerCondition::Accepted,
            FieldPath::field("protocol"),
            "UnsupportedProtocol",
            format!("{:?} can't be served; use HTTP, HTTPS, TLS, TCP or UDP", listener.protocol.as_str()),
        ));
        return Vec::new();
    };
    let listed = listener.allowed_routes.as_ref().map(|routes| routes.kinds.as_slice()).unwrap_or_default();
    if listed.is_empty() {
        return served
            .iter()
            .map(|kind| RouteGroupKind { group: GROUP.to_owned(), kind: (*kind).to_owned() })
            .collect();
    }
    let mut taken = Vec::new();
    for (index, listed) in listed.iter().enumerate() {
        let path = |field: &str| FieldPath::field(field).within_item("kinds", index).within("allowedRoutes");
        let group = listed.group.as_deref();
        let fault = if group.is_some_and(|group| group != GROUP) {
            Some((
                path("group"),
                format!("no kind of group {:?} can be served; use {GROUP}", group.unwrap_or_default()),
            ))
        } else if served.contains(&listed.kind.as_str()) {
            taken.push(RouteGroupKind { group: group.unwrap_or_default().to_owned(), kind: listed.kind.clone() });
            None
        } else {
            let message = format!(
                "{} can't be served on a listener of protocol {}; use {}",
                listed.kind,
                listener.protocol,
                served.join(" or ")
            );
            Some((path("kind"), message))
        };
        if let Some((path, message)) = fault {
            faults.push(ListenerFault::new(ListenerCondition::ResolvedRefs, path, "InvalidRouteKinds", message));
        }
    }
    taken
}

/// The namespaces whose routes the listener takes.
pub(super) fn namespaces(listener: &Listener, faults: &mut Vec<ListenerFault>) -> AllowedNamespaces {
    let Some(namespaces) = listener.allowed_routes.as_ref().and_then(|routes| routes.namespaces.as_ref()) else {
        return AllowedNamespaces::Same;
    };
    match (&namespaces.from, &namespaces.selector) {
        (Some(FromNamespaces::All), _) => AllowedNamespaces::All,
        (Some(FromNamespaces::None), _) => AllowedNamespaces::None,
        (Some(FromNamespaces::Selector), selector) => {
            let fault = match selector {
                None => "must be set when from is Selector".to_owned(),
                Some(selector) => match selector.fault() {
                    None => return AllowedNamespaces::Selector(selector.clone()),
                    Some(fault) => format!("can't be used: {fault}"),
                },
            };
            let path = FieldPath::field("selector").within("namespaces").within("allowedRoutes");
            faults.push(ListenerFault::invalid(path, fault));
            AllowedNamespaces::None
        }
        (Some(FromNamespaces::Same | FromNamespaces::Other(_)) | None, _) => AllowedNamespaces::Same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listener(protocol: &str, rest: &str) -> Listener {
        serde_json::from_str(&format!(r#"{{"name":"l","port":80,"protocol":"{protocol}"{rest}}}"#)).unwrap()
    }

    fn kinds_of(listener: &Listener) -> (Vec<String>, Vec<String>) {
        let mut faults = Vec::new();
        let kinds = kinds(listener, &mut faults);
        let faults =
            faults.iter().map(|fault| format!("{} {}", fault.diagnostic.reason, fault.diagnostic.path)).collect();
        (kinds.into_iter().map(|kind| kind.kind).collect(), faults)
    }

    #[test]
    fn the_protocol_says_which_kinds_can_be_served() {
        assert_eq!(kinds_of(&listener("HTTP", "")).0, ["HTTPRoute", "GRPCRoute"]);
        assert_eq!(kinds_of(&listener("TLS", "")).0, ["TCPRoute", "TLSRoute"]);
        assert_eq!(kinds_of(&listener("TLS", r#","tls":{"mode":"Passthrough"}"#)).0, ["TLSRoute"]);
        assert_eq!(kinds_of(&listener("example.com/X", "")), (vec![], vec!["UnsupportedProtocol protocol".to_owned()]));
    }

    #[test]
    fn a_listed_kind_that_cannot_be_served_is_a_fault_and_the_others_stay() {
        let listed =
            r#","allowedRoutes":{"kinds":[{"kind":"HTTPRoute"},{"kind":"UDPRoute"},{"group":"x","kind":"HTTPRoute"}]}"#;
        let (kinds, faults) = kinds_of(&listener("HTTP", listed));
        assert_eq!(kinds, ["HTTPRoute"]);
        assert_eq!(
            faults,
            ["InvalidRouteKinds allowedRoutes.kinds[1].kind", "InvalidRouteKinds allowedRoutes.kinds[2].group"]
        );
    }

    #[test]
    fn a_broken_selector_lets_nobody_in() {
        let mut faults = Vec::new();
        let of = |namespaces: &str| listener("HTTP", &format!(r#","allowedRoutes":{{"namespaces":{namespaces}}}"#));
        assert_eq!(namespaces(&listener("HTTP", ""), &mut faults), AllowedNamespaces::Same);
        assert_eq!(namespaces(&of(r#"{"from":"All"}"#), &mut faults), AllowedNamespaces::All);
        assert!(faults.is_empty());
        assert_eq!(namespaces(&of(r#"{"from":"Selector"}"#), &mut faults), AllowedNamespaces::None);
        let broken = r#"{"from":"Selector","selector":{"matchExpressions":[{"key":"a","operator":"Near"}]}}"#;
        assert_eq!(namespaces(&of(broken), &mut faults), AllowedNamespaces::None);
        assert_eq!(faults.len(), 2);
    }
}
