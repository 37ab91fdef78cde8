//! The rules of the incremental dialect.

use std::collections::BTreeMap;
use std::time::Duration;

use super::super::client::{Client, Cluster, Endpoints, Listener, Route, Secret};
use super::super::stream::{Dialect, Event};

fn client() -> Client {
    Client::new(Dialect::Delta)
}

const NONE: [&str; 0] = [];

/// An early Envoy waits for the first snapshot; it gets neither an error nor an emptiness that would clear it.
#[test]
fn nothing_is_said_before_the_first_snapshot() {
    let mut client = client();
    assert_eq!(client.ask(Cluster, &[]), NONE);
    assert_eq!(client.ask(Endpoints, &["a"]), NONE);
    assert_eq!(client.publish(&["cluster a 1", "endpoints a 1"]), ["cluster +a", "endpoints +a"]);
}

/// The first request for everything is answered even if there is nothing, or Envoy would never start.
#[test]
fn a_wildcard_gets_an_answer_even_if_it_is_empty() {
    let mut client = client();
    client.publish(&[]);
    assert_eq!(client.ask(Cluster, &[]), ["cluster"]);
    assert_eq!(client.ack(Cluster), NONE);
    assert_eq!(client.ask(Listener, &["*"]), ["listener"]);
    assert_eq!(client.ack(Listener), NONE);
}

/// Only listeners and clusters are all meant when none is named.
#[test]
fn no_names_mean_everything_for_listeners_and_clusters_only() {
    let mut client = client();
    client.publish(&["cluster a 1", "listener l 1", "route r 1", "endpoints a 1", "secret s 1"]);
    assert_eq!(client.ask(Cluster, &[]), ["cluster +a"]);
    client.ack(Cluster);
    assert_eq!(client.ask(Listener, &[]), ["listener +l"]);
    for kind in [Route, Endpoints, Secret] {
        assert_eq!(client.ask(kind, &[]), NONE);
    }
    assert_eq!(client.ask(Secret, &["*"]), ["secret +s"]);
}

/// Responses carry what changed, and nothing that didn't.
#[test]
fn only_changes_are_sent() {
    let mut client = client();
    client.publish(&["cluster a 1", "cluster b 1"]);
    client.ask(Cluster, &[]);
    client.ack(Cluster);
    assert_eq!(client.publish(&["cluster a 1", "cluster b 2", "cluster c 1"]), ["cluster +b +c"]);
    client.ack(Cluster);
    assert_eq!(client.publish(&["cluster b 2", "cluster c 1"]), ["cluster -a"]);
    client.ack(Cluster);
    assert_eq!(client.publish(&["cluster b 2", "cluster c 1"]), NONE);
    assert_eq!(client.names_of(Cluster), "b c");
}

/// A change that is undone before it was sent is none.
#[test]
fn the_latest_snapshot_wins() {
    let mut client = client();
    client.publish(&["endpoints a 1"]);
    client.ask(Endpoints, &["a"]);
    client.ack(Endpoints);
    let back = super::super::client::table(&["endpoints a 1"]);
    let snapshot = |table| {
        let (key, at) = (std::sync::Arc::from("k"), std::time::SystemTime::UNIX_EPOCH);
        std::sync::Arc::new(super::super::cache::Snapshot::new(key, std::sync::Arc::new(table), at))
    };
    client.stream.on_snapshot(snapshot(super::super::client::table(&["endpoints a 2"])));
    client.stream.on_snapshot(snapshot(back));
    assert_eq!(client.sent(), NONE);
}

/// What nobody subscribed to is not sent.
#[test]
fn named_subscriptions_get_their_names() {
    let mut client = client();
    client.publish(&["route r 1", "route s 1"]);
    assert_eq!(client.ask(Route, &["r"]), ["route +r"]);
    client.ack(Route);
    assert_eq!(client.publish(&["route r 1", "route s 2"]), NONE);
    assert_eq!(client.change(Route, &["s"], &["r"]), ["route +s"]);
    client.ack(Route);
    assert_eq!(client.publish(&["route r 2", "route s 2"]), NONE);
    assert_eq!(client.publish(&["route r 2", "route s 3"]), ["route +s"]);
}

/// A name that doesn't exist is answered as removed, once, so that the proxy doesn't wait for its time-out; and it is
/// sent when it comes into being.
#[test]
fn what_does_not_exist_is_reported_removed() {
    let mut client = client();
    client.publish(&["endpoints a 1"]);
    assert_eq!(client.ask(Endpoints, &["a", "b"]), ["endpoints +a -b"]);
    assert_eq!(client.ack(Endpoints), NONE);
    assert_eq!(client.publish(&["endpoints a 1", "endpoints b 1"]), ["endpoints +b"]);
}

/// A name that is asked for again is sent again: the proxy may have forgotten it.
#[test]
fn a_repeated_subscription_is_answered_again() {
    let mut client = client();
    client.publish(&["route r 1"]);
    client.ask(Route, &["r"]);
    client.ack(Route);
    assert_eq!(client.ask(Route, &["r"]), ["route +r"]);
}

/// Wildcard and names together: leaving the name keeps the resource, and says so.
#[test]
fn a_name_left_under_a_wildcard_is_told_again() {
    let mut client = client();
    client.publish(&["cluster a 1"]);
    assert_eq!(client.ask(Cluster, &["*", "a", "gone"]), ["cluster +a -gone"]);
    client.ack(Cluster);
    assert_eq!(client.change(Cluster, &[], &["a"]), ["cluster +a"]);
    client.ack(Cluster);
    assert_eq!(client.change(Cluster, &[], &["gone"]), ["cluster -gone"]);
    client.ack(Cluster);
    // Leaving the wildcard leaves everything that isn't named.
    assert_eq!(client.change(Cluster, &["a"], &["*"]), ["cluster +a"]);
    client.ack(Cluster);
    assert_eq!(client.publish(&["cluster a 2", "cluster b 1"]), ["cluster +a"]);
}

/// A wildcard of the old style (no names) goes on when names are added.
#[test]
fn names_are_added_to_a_wildcard() {
    let mut client = client();
    client.publish(&["cluster a 1"]);
    client.ask(Cluster, &[]);
    client.ack(Cluster);
    assert_eq!(client.ask(Cluster, &["b"]), ["cluster -b"]);
    client.ack(Cluster);
    assert_eq!(client.publish(&["cluster a 1", "cluster b 1", "cluster c 1"]), ["cluster +b +c"]);
}

/// On reconnect nothing is sent that is there, but an answer: what changed is sent, what is gone is removed.
#[test]
fn initial_versions_are_believed() {
    let mut client = client();
    client.publish(&["cluster a 1", "cluster b 1", "endpoints a 1", "endpoints b 1"]);
    client.ask(Cluster, &[]);
    client.ask(Endpoints, &["a", "b"]);
    client.ack_all();
    assert_eq!(client.reconnect(), ["cluster"]);
    client.ack_all();
    // It never acknowledges what it wasn't sent, and has it all the same.
    let current = client.stream.snapshot.clone().map(|snapshot| snapshot.table.of(Endpoints).version_info());
    assert!(current.is_some() && client.stream.settled(Endpoints) == current);
    assert_eq!(client.publish(&["cluster a 1", "cluster b 1", "endpoints a 2", "endpoints b 1"]), ["endpoints +a"]);
    assert_eq!(client.stream.settled(Endpoints), None);
    client.ack_all();
    assert!(client.stream.settled(Endpoints).is_some_and(|version| Some(version) != current));

    client.stream.snapshot = None;
    assert_eq!(client.reconnect(), NONE);
    let new = ["cluster a 1", "cluster c 1", "endpoints a 2", "endpoints b 2"];
    assert_eq!(client.publish(&new), ["cluster +c", "endpoints +b"]);
    client.ack_all();
    // Removals wait a moment, until the proxy has said all it has.
    assert_eq!(client.wait(Duration::from_secs(2)), ["cluster -b"]);
    client.ack_all();
    assert_eq!(client.names_of(Cluster), "a c");
}

/// A version nobody could have sent is another version.
#[test]
fn foreign_versions_are_replaced() {
    let mut client = client();
    client.has.insert(Cluster, BTreeMap::from([("a".to_owned(), "v7".to_owned())]));
    client.publish(&["cluster a 1"]);
    assert_eq!(client.ask(Cluster, &[]), ["cluster +a"]);
}

/// An answer to a response that isn't under way counts for nothing; subscriptions in it do.
#[test]
fn stale_nonces_are_ignored() {
    let mut client = client();
    client.publish(&["route r 1", "route s 1"]);
    client.ask(Route, &["r"]);
    let event = client.request(Route, &["s"], &[], Some("77".into()), Some("no"));
    assert_eq!(event, Some(Event::Stale { kind: Route }));
    assert_eq!(client.stream.rejected(Route).count(), 0);
    assert_eq!(client.sent(), ["route +s"]);
}

/// What was rejected isn't sent again until its content changes; the accepted version stays.
#[test]
fn a_rejected_version_is_not_repeated() {
    let mut client = client();
    client.publish(&["route r 1"]);
    client.ask(Route, &["r"]);
    client.ack(Route);
    client.publish(&["route r 2"]);
    assert_eq!(client.nack(Route, "bad"), NONE);
    assert_eq!(client.publish(&["route r 2", "route other 1"]), NONE);
    assert_eq!(client.wait(Duration::from_secs(60)), NONE);
    assert_eq!(
        client.stream.rejected(Route).map(|(name, it)| (&**name, &*it.text)).collect::<Vec<_>>(),
        [("r", "bad")]
    );
    // Back to what it has: nothing to send, and nothing is wrong any more.
    assert_eq!(client.publish(&["route r 1"]), NONE);
    assert_eq!(client.stream.rejected(Route).count(), 0);
    assert_eq!(client.publish(&["route r 3"]), ["route +r"]);
}

/// Envoy applies the clusters it doesn't name, so they are not sent again.
#[test]
fn a_rejection_by_name_leaves_the_others() {
    let mut client = client();
    client.publish(&["cluster a 1", "cluster b 1", "cluster c 1"]);
    client.ask(Cluster, &[]);
    assert_eq!(client.nack(Cluster, "Error adding/updating cluster(s) b: bad"), NONE);
    assert_eq!(client.publish(&["cluster a 1", "cluster b 2", "cluster c 1"]), ["cluster +b"]);
}

/// A rejection without a name costs the innocent a few more responses, never their update.
#[test]
fn the_guilty_one_is_found_by_halving() {
    let mut client = client();
    client.publish(&["route a 1", "route b 1", "route c 1", "route d 1"]);
    assert_eq!(client.ask(Route, &["a", "b", "c", "d"]), ["route +a +b +c +d"]);
    assert_eq!(client.nack(Route, "missing closing )"), ["route +a +b", "route +c +d"]);
    assert_eq!(client.ack(Route), NONE);
    assert_eq!(client.nack(Route, "missing closing )"), ["route +c", "route +d"]);
    assert_eq!(client.nack(Route, "missing closing )"), NONE);
    assert_eq!(client.ack(Route), NONE);
    assert_eq!(client.names_of(Route), "a b d");
    assert_eq!(client.stream.rejected(Route).map(|(name, _)| &**name).collect::<Vec<_>>(), ["c"]);
}

/// What was sent in place of a rejected version decides: the rejection says nothing about it.
#[test]
fn a_rejection_is_over_when_something_else_was_sent_since() {
    let mut client = client();
    client.publish(&["route r 1"]);
    client.ask(Route, &["r"]);
    client.ack(Route);
    client.publish(&["route r 2"]);
    client.publish(&["route r 3"]);
    client.nack(Route, "bad");
    client.ack(Route);
    assert_eq!(client.stream.rejected(Route).count(), 0);
    assert!(client.stream.settled(Route).is_some());
}

/// A later response is not undone by the rejection of an earlier one.
#[test]
fn a_rejection_does_not_touch_what_was_sent_since() {
    let mut client = client();
    client.publish(&["route r 1"]);
    client.ask(Route, &["r"]);
    client.ack(Route);
    client.publish(&["route r 2"]);
    assert_eq!(client.publish(&["route r 3"]), ["route +r"]);
    assert_eq!(client.nack(Route, "bad"), NONE);
    assert_eq!(client.ack(Route), NONE);
    assert_eq!(client.publish(&["route r 1"]), ["route +r"]);
}
