//! The rules of the state-of-the-world dialect.

use super::super::client::{Client, Cluster, Endpoints, Listener, Route};
use super::super::stream::{Dialect, Event};

fn client() -> Client {
    Client::new(Dialect::Sotw)
}

const NONE: [&str; 0] = [];

/// Responses for listeners and clusters carry all of them; what is missing is gone.
#[test]
fn clusters_and_listeners_are_sent_in_full() {
    let mut client = client();
    client.publish(&["cluster a 1", "cluster b 1"]);
    assert_eq!(client.ask(Cluster, &[]), ["cluster +a +b"]);
    client.ack(Cluster);
    assert_eq!(client.publish(&["cluster a 2", "cluster b 1"]), ["cluster +a +b"]);
    client.ack(Cluster);
    assert_eq!(client.publish(&["cluster b 1"]), ["cluster +b"]);
    client.ack(Cluster);
    assert_eq!(client.publish(&["cluster b 1"]), NONE);
    assert_eq!(client.ask(Listener, &[]), ["listener"]);
}

/// Other types carry what changed of what is asked for.
#[test]
fn other_types_are_sent_as_they_change() {
    let mut client = client();
    client.publish(&["endpoints a 1", "endpoints b 1"]);
    assert_eq!(client.ask(Endpoints, &["a"]), ["endpoints +a"]);
    client.ack(Endpoints);
    assert_eq!(client.ask(Endpoints, &["b"]), ["endpoints +b"]);
    client.ack(Endpoints);
    assert_eq!(client.publish(&["endpoints a 2", "endpoints b 1"]), ["endpoints +a"]);
    client.ack(Endpoints);
    // That one is gone can't be said.
    assert_eq!(client.publish(&["endpoints a 2"]), NONE);
    assert_eq!(client.publish(&["endpoints a 2", "endpoints b 1"]), ["endpoints +b"]);
}

/// What doesn't exist is not answered, and sent once it exists.
#[test]
fn what_does_not_exist_is_waited_for() {
    let mut client = client();
    client.publish(&[]);
    assert_eq!(client.ask(Route, &["r"]), NONE);
    assert_eq!(client.publish(&["route r 1"]), ["route +r"]);
}

/// An empty list means everything only as long as no name was ever given.
#[test]
fn an_empty_list_after_names_means_nothing() {
    let mut client = client();
    client.publish(&["cluster a 1", "cluster b 1"]);
    assert_eq!(client.ask(Cluster, &["a"]), ["cluster +a"]);
    client.ack(Cluster);
    assert_eq!(client.change(Cluster, &["*"], &[]), ["cluster +a +b"]);
    client.ack(Cluster);
    client.change(Cluster, &[], &["*", "a"]);
    assert_eq!(client.publish(&["cluster a 2"]), NONE);
}

/// The acknowledgement of a response changes nothing and is not answered.
#[test]
fn an_acknowledgement_is_not_answered() {
    let mut client = client();
    client.publish(&["cluster a 1"]);
    client.ask(Cluster, &[]);
    assert_eq!(client.ack(Cluster), NONE);
}

/// A client that comes back with the current version and the same names gets nothing.
#[test]
fn a_reconnect_with_the_current_version_is_quiet() {
    let mut client = client();
    client.publish(&["cluster a 1", "endpoints a 1", "endpoints b 1"]);
    client.ask(Cluster, &[]);
    client.ask(Endpoints, &["a"]);
    client.ack_all();
    assert_eq!(client.reconnect(), NONE);
    client.stream.snapshot = None;
    assert_eq!(client.reconnect(), NONE);
    assert_eq!(client.publish(&["cluster a 1", "endpoints a 1"]), NONE);
    assert_eq!(client.publish(&["cluster a 1", "endpoints a 2"]), ["endpoints +a"]);
    client.ack_all();
    assert_eq!(client.publish(&["cluster a 2", "endpoints a 2"]), ["cluster +a"]);
}

/// A client that comes back with another version gets all it asks for.
#[test]
fn a_reconnect_with_an_old_version_gets_everything() {
    let mut client = client();
    client.publish(&["cluster a 1", "cluster b 1"]);
    client.ask(Cluster, &[]);
    client.ack(Cluster);
    client.stream.snapshot = None;
    client.reconnect();
    assert_eq!(client.publish(&["cluster a 1", "cluster c 1"]), ["cluster +a +c"]);
}

/// A request with an old nonce crossed a response on the wire: its list is out of date.
#[test]
fn a_stale_request_changes_nothing() {
    let mut client = client();
    client.publish(&["route r 1", "route s 1"]);
    client.ask(Route, &["r"]);
    client.ack(Route);
    client.change(Route, &[], &["r"]);
    let event = client.request(Route, &[], &[], Some("0".into()), None);
    assert_eq!(event, Some(Event::Stale { kind: Route }));
    client.change(Route, &["s"], &[]);
    client.ack(Route);
    let event = client.request(Route, &[], &[], Some("1".into()), Some("no"));
    assert_eq!(event, Some(Event::Stale { kind: Route }));
    assert_eq!(client.publish(&["route r 1", "route s 2"]), ["route +s"]);
}

/// The full state after a rejection has the rejected resource as the client last accepted it.
#[test]
fn the_full_state_leaves_out_what_was_rejected() {
    let mut client = client();
    client.publish(&["cluster a 1"]);
    client.ask(Cluster, &[]);
    client.ack(Cluster);
    client.publish(&["cluster a 1", "cluster b 1"]);
    assert_eq!(client.nack(Cluster, "bad"), NONE);
    assert_eq!(client.publish(&["cluster a 2", "cluster b 1"]), ["cluster +a"]);
    client.ack(Cluster);
    assert_eq!(client.publish(&["cluster a 2", "cluster b 2"]), ["cluster +a +b"]);
}
