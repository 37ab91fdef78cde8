//! Make before break, in both dialects.

use std::time::Duration;

use super::super::client::{Client, Cluster, Endpoints, LIMIT, Listener, Route};
use super::super::stream::Dialect;

const NONE: [&str; 0] = [];
const BEFORE: [&str; 4] = ["cluster a 1", "endpoints a 1", "listener l 1", "route r 1 a"];
const AFTER: [&str; 4] = ["cluster b 1", "endpoints b 1", "listener l 1", "route r 1 b"];

/// A client that has everything in `lines`, as Envoy would come to it.
fn settled(dialect: Dialect, lines: &[&str]) -> Client {
    let mut client = Client::new(dialect);
    client.publish(lines);
    client.ask(Cluster, &[]);
    client.ack(Cluster);
    let names = |kind: &str| -> Vec<String> {
        lines.iter().filter_map(|it| it.strip_prefix(kind)?.split(' ').nth(1)).map(str::to_owned).collect()
    };
    for (kind, word) in [(Endpoints, "endpoints"), (Route, "route")] {
        let names = names(word);
        client.ask(kind, &names.iter().map(String::as_str).collect::<Vec<_>>());
        client.ack(kind);
    }
    client.ask(Listener, &[]);
    client.ack(Listener);
    assert_eq!(client.sent(), NONE);
    client
}

/// New cluster, its endpoints at once, the acknowledgement, then the route, its acknowledgement, then the removal.
#[test]
fn a_backend_is_switched_without_a_gap() {
    let mut client = settled(Dialect::Delta, &BEFORE);
    assert_eq!(client.publish(&AFTER), ["cluster +b"]);
    assert_eq!(client.ask(Endpoints, &["b"]), ["endpoints +b"]);
    assert_eq!(client.ack(Endpoints), NONE);
    assert_eq!(
        client.held(),
        [
            "cluster -a: changes of the route configuration are not acknowledged yet",
            "endpoints -a: changes of the cluster are not acknowledged yet",
            "route configuration +r: cluster b is not acknowledged yet",
        ]
    );
    assert_eq!(client.ack(Cluster), ["route +r"]);
    assert_eq!(client.ack(Route), ["cluster -a"]);
    assert_eq!(client.change(Endpoints, &[], &["a"]), NONE);
    assert_eq!(client.ack(Cluster), NONE);
    assert!(client.held().is_empty());
}

/// In SotW the cluster that is still used stays in the full state until the route is acknowledged.
#[test]
fn sotw_keeps_the_old_cluster_in_between() {
    let mut client = settled(Dialect::Sotw, &BEFORE);
    assert_eq!(client.publish(&AFTER), ["cluster +a +b"]);
    assert_eq!(client.ask(Endpoints, &["b"]), ["endpoints +b"]);
    client.ack(Endpoints);
    assert_eq!(client.ack(Cluster), ["route +r"]);
    assert_eq!(client.ack(Route), ["cluster +b"]);
    assert_eq!(client.ack(Cluster), NONE);
    assert_eq!(client.names_of(Cluster), "b");
}

/// While one cluster warms, endpoints and what doesn't use it go out.
#[test]
fn only_dependants_of_a_warming_cluster_wait() {
    let old = ["cluster a 1", "endpoints a 1", "route r 1 a", "route s 1 a", "listener l 1"];
    let mut client = settled(Dialect::Delta, &old);
    let new = ["cluster a 1", "cluster b 1", "endpoints a 2", "route r 2 a", "route s 2 a b", "listener l 2"];
    assert_eq!(client.publish(&new), ["cluster +b", "endpoints +a", "listener +l", "route +r"]);
    client.ack(Endpoints);
    client.ack(Listener);
    client.ack(Route);
    assert_eq!(client.held(), ["route configuration +s: cluster b is not acknowledged yet"]);
    assert_eq!(client.ack(Cluster), ["route +s"]);
}

/// Nobody waits longer than the limit.
#[test]
fn a_cluster_that_never_warms_is_not_waited_for_for_ever() {
    let mut client = settled(Dialect::Delta, &BEFORE);
    assert_eq!(client.publish(&AFTER), ["cluster +b"]);
    assert_eq!(client.stream.next_deadline(), Some(client.now + LIMIT));
    assert_eq!(client.wait(LIMIT - Duration::from_millis(1)), NONE);
    assert_eq!(client.wait(Duration::from_millis(1)), ["route +r"]);
    // The old cluster stays until the route is acknowledged, or that takes too long as well.
    assert_eq!(client.stream.next_deadline(), Some(client.now + LIMIT));
    assert_eq!(client.wait(LIMIT), ["cluster -a"]);
}

/// Envoy acknowledges no cluster while one of them hangs: afterwards acknowledged endpoints are enough.
#[test]
fn a_hanging_cluster_does_not_slow_down_later_ones() {
    let mut client = settled(Dialect::Delta, &BEFORE);
    client.publish(&["cluster a 1", "cluster hangs 1", "endpoints a 1", "route r 1 a", "listener l 1"]);
    client.wait(LIMIT);
    let clusters = ["cluster a 1", "cluster hangs 1", "cluster b 1"];
    let new = [&clusters[..], &["endpoints a 1", "endpoints b 1", "route r 2 b", "listener l 1"]].concat();
    assert_eq!(client.publish(&new), ["cluster +b"]);
    assert_eq!(client.ask(Endpoints, &["b"]), ["endpoints +b"]);
    assert_eq!(client.ack(Endpoints), ["route +r"]);
}

/// A rejected cluster holds what uses it, says so, and lets go when the content changes.
#[test]
fn dependants_of_a_rejected_cluster_wait_for_its_repair() {
    let mut client = settled(Dialect::Delta, &BEFORE);
    client.publish(&["cluster a 1", "cluster b bad", "endpoints a 1", "route r 2 b", "listener l 1"]);
    assert_eq!(client.nack(Cluster, "Error adding/updating cluster(s) b: bad"), NONE);
    assert_eq!(client.held(), ["route configuration +r: cluster b was rejected"]);
    let repaired = ["cluster a 1", "cluster b good", "endpoints a 1", "route r 2 b", "listener l 1"];
    assert_eq!(client.publish(&repaired), ["cluster +b"]);
    assert_eq!(client.ack(Cluster), ["route +r"]);
}

/// A rejected change of a cluster that exists holds nothing: the old one serves.
#[test]
fn a_rejected_update_leaves_the_old_cluster_to_rely_on() {
    let mut client = settled(Dialect::Delta, &BEFORE);
    client.publish(&["cluster a 2", "endpoints a 1", "route r 2 a", "listener l 1"]);
    client.ack(Endpoints);
    assert_eq!(client.nack(Cluster, "bad"), ["route +r"]);
}

/// A rejected cluster doesn't hold its dependants for ever either.
#[test]
fn a_rejected_cluster_is_waited_for_up_to_the_limit() {
    let mut client = settled(Dialect::Delta, &BEFORE);
    client.publish(&["cluster a 1", "cluster b bad", "endpoints a 1", "route r 2 b", "listener l 1"]);
    client.nack(Cluster, "bad");
    assert_eq!(client.wait(LIMIT), ["route +r"]);
}

/// The proxy keeps its old route if it rejects the new one, so the clusters of the old one stay.
#[test]
fn a_rejected_route_keeps_its_clusters() {
    let mut client = settled(Dialect::Delta, &BEFORE);
    client.publish(&["cluster b 1", "listener l 1", "route r bad b", "endpoints a 1"]);
    assert_eq!(client.ack(Cluster), ["route +r"]);
    assert_eq!(client.nack(Route, "missing closing )"), NONE);
    assert_eq!(client.wait(LIMIT * 10), NONE);
    assert_eq!(
        client.held(),
        ["cluster -a: the proxy rejected the new version of route configuration r, and its old version uses this"]
    );
    assert_eq!(client.publish(&["cluster b 1", "listener l 1", "route r good b", "endpoints a 1"]), ["route +r"]);
    assert_eq!(client.ack(Route), ["cluster -a"]);
}

/// Envoy builds a changed cluster anew and waits for its endpoints, though they are the same.
#[test]
fn endpoints_follow_a_changed_cluster() {
    let changed = ["cluster a 2 a", "endpoints a 1", "listener l 1", "route r 1 a"];
    for (dialect, cluster) in [(Dialect::Delta, "cluster +a"), (Dialect::Sotw, "cluster +a")] {
        let mut client = settled(dialect, &["cluster a 1 a", "endpoints a 1", "listener l 1", "route r 1 a"]);
        assert_eq!(client.publish(&changed), [cluster, "endpoints +a"]);
    }
}

/// Listeners that change places do so in one response, or the address would be taken.
#[test]
fn listeners_change_places_together() {
    let mut client = settled(Dialect::Delta, &["cluster a 1", "listener old 1 a"]);
    assert_eq!(client.publish(&["cluster a 1", "cluster b 1", "listener new 1 b"]), ["cluster +b"]);
    assert_eq!(client.ack(Cluster), ["listener +new -old"]);
}

/// Streams of one type have no order to keep.
#[test]
fn single_type_streams_wait_for_nothing() {
    let mut client = Client::new(Dialect::Delta).unordered();
    client.publish(&["route r 1 a"]);
    client.ask(Route, &["r"]);
    client.ack(Route);
    assert_eq!(client.publish(&["route r 2 b"]), ["route +r"]);
}

/// An emptied fleet loses its listeners first, then the clusters.
#[test]
fn removal_of_everything_goes_backwards() {
    let mut client = settled(Dialect::Delta, &BEFORE);
    assert_eq!(client.publish(&[]), ["listener -l"]);
    assert_eq!(client.ack(Listener), ["route -r"]);
    assert_eq!(client.ack(Route), ["cluster -a"]);
    assert_eq!(client.ack(Cluster), ["endpoints -a"]);
}
