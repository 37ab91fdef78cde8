//! Which names an encoded resource mentions, found without knowing its type.
//!
//! A listener or route configuration refers to clusters in many places: route actions, weights, mirrors, and the
//! configuration of any HTTP filter inside an `Any`. All of these are strings on the wire, so one walk over the length
//! delimited fields finds them, whatever message they stand in. A string that only looks like a name makes a push wait a
//! moment longer than it had to; none that is a reference is missed.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Messages nest about a dozen levels deep in what Envoy is sent; deeper "messages" are text that happens to parse.
const MAX_DEPTH: u32 = 48;

/// The names in `body` that `known` recognises, sorted, each once.
pub fn mentioned(body: &[u8], known: impl Fn(&str) -> Option<Arc<str>>) -> Vec<Arc<str>> {
    let mut found = BTreeSet::new();
    let _ = walk(body, MAX_DEPTH, &mut |text| {
        found.extend(known(text));
        ControlFlow::Continue(())
    });
    found.into_iter().collect()
}

/// Whether `body` mentions `name`.
#[must_use]
pub fn mentions(body: &[u8], name: &str) -> bool {
    walk(body, MAX_DEPTH, &mut |text| if text == name { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        .is_break()
}

/// Calls `visit` with every text field of the message `bytes`, on all levels.
fn walk(bytes: &[u8], depth: u32, visit: &mut dyn FnMut(&str) -> ControlFlow<()>) -> ControlFlow<()> {
    if depth == 0 || !is_message(bytes) {
        return ControlFlow::Continue(());
    }
    let mut rest = bytes;
    while let Some((field, after)) = next_field(rest) {
        rest = after;
        let Some(value) = field else { continue };
        if let Ok(text) = std::str::from_utf8(value) {
            visit(text)?;
        }
        walk(value, depth - 1, visit)?;
    }
    ControlFlow::Continue(())
}

/// Whether `bytes` is a well-formed sequence of fields.
fn is_message(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while !rest.is_empty() {
        match next_field(rest) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    true
}

/// The first field of `bytes` (its content, if it is length delimited) and what follows it.
fn next_field(bytes: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let (tag, rest) = varint(bytes)?;
    if tag >> 3 == 0 {
        return None;
    }
    match tag & 7 {
        0 => varint(rest).map(|(_, rest)| (None, rest)),
        1 => rest.split_at_checked(8).map(|(_, rest)| (None, rest)),
        2 => {
            let (length, rest) = varint(rest)?;
            let (value, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            Some((Some(value), rest))
        }
        5 => rest.split_at_checked(4).map(|(_, rest)| (None, rest)),
        _ => None,
    }
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0u64;
    let mut rest = bytes;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        rest = after;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((value, rest));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use envoy_types::pb::envoy::config::route::v3::route_action::ClusterSpecifier;
    use envoy_types::pb::envoy::config::route::v3::weighted_cluster::ClusterWeight;
    use envoy_types::pb::envoy::config::route::v3::{
        Route, RouteAction, RouteConfiguration, VirtualHost, WeightedCluster, route, route_action::RequestMirrorPolicy,
    };
    use envoy_types::pb::google::protobuf::Any;
    use prost::Message;

    use super::*;

    fn configuration() -> Vec<u8> {
        let weighted = WeightedCluster {
            clusters: vec![
                ClusterWeight { name: "ns/one".into(), ..ClusterWeight::default() },
                ClusterWeight { name: "ns/two".into(), ..ClusterWeight::default() },
            ],
            ..WeightedCluster::default()
        };
        let action = RouteAction {
            cluster_specifier: Some(ClusterSpecifier::WeightedClusters(weighted)),
            request_mirror_policies: vec![RequestMirrorPolicy { cluster: "mirror".into(), ..Default::default() }],
            ..RouteAction::default()
        };
        let auth =
            RouteAction { cluster_specifier: Some(ClusterSpecifier::Cluster("auth".into())), ..RouteAction::default() };
        let hidden = Any { type_url: "type.googleapis.com/some.Filter".into(), value: auth.encode_to_vec() };
        RouteConfiguration {
            name: "infra/edge/http".into(),
            virtual_hosts: vec![VirtualHost {
                name: "host".into(),
                routes: vec![Route { action: Some(route::Action::Route(action)), ..Route::default() }],
                typed_per_filter_config: [("filter".to_owned(), hidden)].into(),
                ..VirtualHost::default()
            }],
            ..RouteConfiguration::default()
        }
        .encode_to_vec()
    }

    #[test]
    fn names_are_found_in_actions_weights_mirrors_and_filters() {
        let clusters = ["auth", "mirror", "ns/one", "ns/two", "ns/three"];
        let found =
            mentioned(&configuration(), |name| clusters.iter().find(|it| **it == name).map(|it| Arc::from(*it)));
        assert_eq!(found.iter().map(|it| &**it).collect::<Vec<_>>(), ["auth", "mirror", "ns/one", "ns/two"]);
        assert!(mentions(&configuration(), "ns/two"));
        assert!(!mentions(&configuration(), "ns/tw"));
    }

    #[test]
    fn anything_at_all_can_be_walked() {
        for bytes in [&b""[..], b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", b"\x0a\xff", b"\x00", b"\x0a\x05abc"] {
            assert!(!mentions(bytes, "abc"), "{bytes:?}");
        }
    }
}
