//! Listeners that can't stand beside each other: on one port of one Gateway, or with `mergeGateways` of all of them.
//!
//! Only listeners that are right in themselves take part.

use std::collections::{BTreeMap, BTreeSet};

use super::Candidate;
use super::faults::{ListenerCondition, ListenerFault};
use crate::api::listener::ProtocolType;
use crate::diagnostic::FieldPath;

const PROTOCOL_CONFLICT: &str = "ProtocolConflict";
const HOSTNAME_CONFLICT: &str = "HostnameConflict";

/// The conflicts of each candidate, in the order of `candidates` (all listeners of one fleet).
pub(super) fn find(candidates: &[Candidate<'_>], merged: bool) -> Vec<Vec<ListenerFault>> {
    let mut faults = vec![Vec::new(); candidates.len()];
    let fit: Vec<usize> = (0..candidates.len()).filter(|index| takes_part(candidates, *index)).collect();
    protocols(candidates, &group(&fit, |index| gateway_and_port(candidates, index)), &mut faults);
    if merged {
        protocols(candidates, &group(&fit, |index| at(candidates, index).map(|it| it.listener.port)), &mut faults);
    }
    hostnames(candidates, &fit, &mut faults);
    for protocol in [ProtocolType::Tcp, ProtocolType::Udp] {
        layer4(candidates, &fit, &protocol, &mut faults);
    }
    if merged {
        duplicates(candidates, &fit, &mut faults);
    }
    faults
}

fn at<'c, 'a>(candidates: &'c [Candidate<'a>], index: usize) -> Option<&'c Candidate<'a>> {
    candidates.get(index)
}

fn takes_part(candidates: &[Candidate<'_>], index: usize) -> bool {
    at(candidates, index).is_some_and(|it| super::faults::takes_part(&it.spec.faults))
}

fn gateway_and_port(candidates: &[Candidate<'_>], index: usize) -> Option<(usize, i32)> {
    at(candidates, index).map(|it| (it.gateway_index, it.listener.port))
}

/// Puts indexes with the same key together, each group in order.
fn group<K: Ord>(indexes: &[usize], key: impl Fn(usize) -> Option<K>) -> BTreeMap<K, Vec<usize>> {
    let mut groups: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for index in indexes {
        if let Some(key) = key(*index) {
            groups.entry(key).or_default().push(*index);
        }
    }
    groups
}

/// Notes a conflict on one candidate.
fn note(faults: &mut [Vec<ListenerFault>], index: usize, field: &str, reason: &'static str, message: &str) {
    if let Some(faults) = faults.get_mut(index) {
        faults.push(ListenerFault::new(ListenerCondition::Conflicted, FieldPath::field(field), reason, message));
    }
}

/// What a conflict is about, to say with whom.
fn names(candidates: &[Candidate<'_>], indexes: &[usize]) -> String {
    let names: BTreeSet<String> =
        indexes.iter().filter_map(|index| at(candidates, *index)).map(Candidate::ir_name).collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// Protocols that share a port share the name given here; UDP is beside all others and has none.
fn stack(protocol: &ProtocolType) -> Option<&str> {
    match protocol {
        ProtocolType::Udp => None,
        ProtocolType::Https | ProtocolType::Tls => Some("TLS"),
        other => Some(other.as_str()),
    }
}

/// Listeners on one port that speak different protocols: none of them can be told to be the right one.
fn protocols<K>(candidates: &[Candidate<'_>], groups: &BTreeMap<K, Vec<usize>>, faults: &mut [Vec<ListenerFault>]) {
    for group in groups.values() {
        let stack = |index: &usize| at(candidates, *index).and_then(|it| stack(&it.listener.protocol));
        let stacked: Vec<usize> = group.iter().filter(|index| stack(index).is_some()).copied().collect();
        if stacked.iter().filter_map(stack).collect::<BTreeSet<_>>().len() < 2 {
            continue;
        }
        let message = format!(
            "listeners on one port must speak protocols that go together (HTTP; HTTPS and TLS; TCP), and these don't: {}",
            names(candidates, &stacked)
        );
        for index in stacked {
            note(faults, index, "protocol", PROTOCOL_CONFLICT, &message);
        }
    }
}

/// Listeners of one Gateway on one port for the same hostname. Those with a wrong protocol don't count.
fn hostnames(candidates: &[Candidate<'_>], fit: &[usize], faults: &mut [Vec<ListenerFault>]) {
    let named: Vec<usize> = fit
        .iter()
        .filter(|index| faults.get(**index).is_some_and(Vec::is_empty))
        .filter(|index| {
            at(candidates, **index)
                .is_some_and(|it| !matches!(it.listener.protocol, ProtocolType::Tcp | ProtocolType::Udp))
        })
        .copied()
        .collect();
    let groups = group(&named, |index| {
        let hostname = at(candidates, index)?.listener.hostname.as_deref().unwrap_or_default();
        Some((gateway_and_port(candidates, index)?, hostname))
    });
    for group in groups.values().filter(|group| group.len() > 1) {
        let message = format!(
            "listeners on one port need a hostname each, and these have the same: {}",
            names(candidates, group)
        );
        for index in group {
            note(faults, *index, "hostname", HOSTNAME_CONFLICT, &message);
        }
    }
}

/// TCP or UDP listeners of one Gateway on one port: nothing tells their traffic apart, so the first has it.
fn layer4(candidates: &[Candidate<'_>], fit: &[usize], protocol: &ProtocolType, faults: &mut [Vec<ListenerFault>]) {
    let same: Vec<usize> = fit
        .iter()
        .filter(|index| at(candidates, **index).is_some_and(|it| it.listener.protocol == *protocol))
        .copied()
        .collect();
    for group in group(&same, |index| gateway_and_port(candidates, index)).values() {
        let Some((first, later)) = group.split_first() else { continue };
        let message = format!(
            "only one {protocol} listener can be on a port, and {} comes first",
            names(candidates, std::slice::from_ref(first))
        );
        for index in later {
            note(faults, *index, "port", PROTOCOL_CONFLICT, &message);
        }
    }
}

/// Listeners of merged Gateways with the same port, protocol and hostname: the first has the traffic.
fn duplicates(candidates: &[Candidate<'_>], fit: &[usize], faults: &mut [Vec<ListenerFault>]) {
    let groups = group(fit, |index| {
        let listener = at(candidates, index)?.listener;
        Some((listener.port, listener.protocol.as_str(), listener.hostname.as_deref().unwrap_or_default()))
    });
    for group in groups.values() {
        let Some((first, later)) = group.split_first() else { continue };
        let message = format!(
            "the Gateways of this class are merged, and {} has the same port, protocol and hostname",
            names(candidates, std::slice::from_ref(first))
        );
        for index in later {
            note(faults, *index, "hostname", HOSTNAME_CONFLICT, &message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::gateway::Gateway;
    use crate::api::listener::Listener;
    use crate::gatewayapi::listeners::Spec;

    /// The reasons of listeners written as `gateway protocol port hostname`, one a line.
    fn reasons(listeners: &[&str], merged: bool) -> Vec<String> {
        let gateway = Gateway::default();
        let listeners: Vec<(usize, Listener)> = listeners
            .iter()
            .map(|line| {
                let mut words = line.split(' ');
                let gateway = words.next().unwrap().parse().unwrap();
                let (protocol, port) = (words.next().unwrap(), words.next().unwrap());
                let hostname = words.next().map(|name| format!(r#","hostname":"{name}""#)).unwrap_or_default();
                let json = format!(r#"{{"name":"l","port":{port},"protocol":"{protocol}"{hostname}}}"#);
                (gateway, serde_json::from_str(&json).unwrap())
            })
            .collect();
        let candidates: Vec<Candidate<'_>> = listeners
            .iter()
            .enumerate()
            .map(|(index, (gateway_index, listener))| Candidate {
                gateway: &gateway,
                gateway_index: *gateway_index,
                index,
                listener,
                spec: Spec::default(),
            })
            .collect();
        let faults = find(&candidates, merged);
        faults
            .iter()
            .map(|faults| faults.last().map(|fault| fault.diagnostic.reason).unwrap_or("-").to_owned())
            .collect()
    }

    #[test]
    fn protocols_that_do_not_go_together_all_lose() {
        assert_eq!(
            reasons(&["0 HTTP 80", "0 TCP 80", "0 UDP 80"], false),
            ["ProtocolConflict", "ProtocolConflict", "-"]
        );
        assert_eq!(reasons(&["0 HTTPS 443 a.b", "0 TLS 443 c.d"], false), ["-", "-"]);
        assert_eq!(reasons(&["0 HTTP 80", "0 HTTPS 81"], false), ["-", "-"]);
    }

    #[test]
    fn one_hostname_on_one_port_twice_loses_twice() {
        let conflict = "HostnameConflict";
        assert_eq!(reasons(&["0 HTTP 80", "0 HTTP 80 a.b", "0 HTTP 80"], false), [conflict, "-", conflict]);
        assert_eq!(reasons(&["0 HTTPS 443 a.b", "0 TLS 443 a.b"], false), [conflict, conflict]);
        assert_eq!(reasons(&["0 HTTP 80 a.b", "0 HTTP 81 a.b", "1 HTTP 80 a.b"], false), ["-", "-", "-"]);
    }

    #[test]
    fn of_layer_4_the_first_has_the_port() {
        let conflict = "ProtocolConflict";
        assert_eq!(reasons(&["0 UDP 53", "0 UDP 53", "0 UDP 54"], false), ["-", conflict, "-"]);
        assert_eq!(reasons(&["0 TCP 53", "0 UDP 53", "0 TCP 53"], false), ["-", "-", conflict]);
    }

    #[test]
    fn merged_gateways_share_their_ports() {
        assert_eq!(reasons(&["0 HTTP 80 a.b", "1 HTTP 80 a.b"], true), ["-", "HostnameConflict"]);
        assert_eq!(reasons(&["0 HTTP 80", "1 TCP 80"], true), ["ProtocolConflict", "ProtocolConflict"]);
        assert_eq!(reasons(&["0 HTTP 80", "1 TCP 80"], false), ["-", "-"]);
    }
}
