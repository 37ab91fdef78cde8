//! The store, driven by what watches say.

use std::collections::BTreeSet;
use std::sync::Arc;

use gateway_shared::api::metadata::ObjectKey;
use serde_json::{Value, json};

use super::decode::{Decoded, decode};
use super::registry::{WATCHED, Watched};
use super::seen::Seen;
use super::store::{Event, Source, Store};

fn watched(kind: &str) -> &'static Watched {
    WATCHED.iter().find(|watched| watched.kind == kind).unwrap()
}

fn source(kind: &str) -> Source {
    Source { kind: watched(kind).kind, namespace: None }
}

fn route(name: &str, hostname: &str) -> Value {
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"namespace": "shop", "name": name, "resourceVersion": "1", "managedFields": [{"manager": "x"}]},
        "spec": {"hostnames": [hostname]},
    })
}

fn read(kind: &str, object: Value) -> Decoded {
    decode(watched(kind), object).unwrap()
}

fn changed(kind: &str, object: Value) -> Event {
    Event::Changed(source(kind), read(kind, object))
}

fn deleted(kind: &str, namespace: &str, name: &str) -> Event {
    Event::Deleted(source(kind), ObjectKey::new(namespace, name))
}

fn list(store: &mut Store, kind: &str, objects: Vec<Value>) -> bool {
    let mut changed = store.apply(Event::Restarted(source(kind)));
    for object in objects {
        changed |= store.apply(Event::Listed(source(kind), read(kind, object)));
    }
    changed | store.apply(Event::ListedAll(source(kind)))
}

/// A store that watches these kinds, all of them still empty.
fn store(kinds: &[&str]) -> (Store, Seen) {
    let seen = Seen::default();
    let mut store = Store::new(None, "gateway-system", seen.clone());
    store.apply(Event::Planned(kinds.iter().map(|kind| source(kind)).collect(), Vec::new()));
    (store, seen)
}

fn names(store: &Store) -> Vec<String> {
    store.loaded().resources.http_routes().iter().map(|route| route.metadata.name.clone()).collect()
}

#[test]
fn nothing_is_complete_before_every_kind_was_listed_once() {
    let (mut store, _) = store(&["HTTPRoute", "Gateway"]);
    assert!(!Store::new(None, "x", Seen::default()).is_complete());
    list(&mut store, "HTTPRoute", vec![route("a", "a.example")]);
    assert!(!store.is_complete());
    assert_eq!(store.missing().map(|source| source.kind).collect::<Vec<_>>(), ["Gateway"]);
    assert!(list(&mut store, "Gateway", vec![]));
    assert!(store.is_complete());
    // A list that begins again takes nothing away.
    store.apply(Event::Restarted(source("Gateway")));
    assert!(store.is_complete());
}

#[test]
fn a_new_list_neither_loses_nor_doubles_and_takes_out_what_was_deleted_meanwhile() {
    let (mut store, seen) = store(&["HTTPRoute"]);
    list(&mut store, "HTTPRoute", vec![route("a", "a.example"), route("b", "b.example"), route("c", "c.example")]);
    let before = store.loaded();
    store.apply(Event::Restarted(source("HTTPRoute")));
    assert_eq!(names(&store), ["a", "b", "c"]);
    assert!(!store.apply(Event::Listed(source("HTTPRoute"), read("HTTPRoute", route("a", "a.example")))));
    // The list breaks off and begins again.
    store.apply(Event::Restarted(source("HTTPRoute")));
    store.apply(Event::Listed(source("HTTPRoute"), read("HTTPRoute", route("c", "c.example"))));
    store.apply(Event::Listed(source("HTTPRoute"), read("HTTPRoute", route("d", "d.example"))));
    assert_eq!(names(&store), ["a", "b", "c", "d"]);
    assert!(store.apply(Event::ListedAll(source("HTTPRoute"))));
    assert_eq!(names(&store), ["c", "d"]);
    assert!(!seen.exists("HTTPRoute", &ObjectKey::new("shop", "a")));
    let kept = |loaded: &crate::provider::Loaded| {
        loaded.resources.http_routes().get(&ObjectKey::new("shop", "c")).map(Arc::clone).unwrap()
    };
    assert!(Arc::ptr_eq(&kept(&before), &kept(&store.loaded())));
}

#[test]
fn a_change_of_a_status_or_of_bookkeeping_changes_nothing_but_what_is_seen() {
    let (mut store, seen) = store(&["HTTPRoute"]);
    list(&mut store, "HTTPRoute", vec![route("a", "a.example")]);
    let before = store.loaded();
    let mut written = route("a", "a.example");
    written["metadata"]["resourceVersion"] = "2".into();
    written["metadata"]["managedFields"] = json!([{"manager": "y"}]);
    written["metadata"]["annotations"] = json!({"kubectl.kubernetes.io/last-applied-configuration": "{}"});
    written["status"] = json!({"parents": [{"controllerName": "somebody"}]});
    assert!(!store.apply(changed("HTTPRoute", written)));
    assert_eq!(store.loaded(), before);
    let key = ObjectKey::new("shop", "a");
    assert_eq!(seen.status("HTTPRoute", &key).unwrap()["parents"][0]["controllerName"], "somebody");
    assert_eq!(&*seen.get("HTTPRoute", &key).unwrap().resource_version, "2");
}

#[test]
fn an_object_that_does_not_decode_is_one_finding_and_keeps_what_it_was() {
    let (mut store, _) = store(&["HTTPRoute"]);
    list(&mut store, "HTTPRoute", vec![route("a", "a.example")]);
    let broken = |name: &str| {
        let mut broken = route(name, "x.example");
        broken["spec"]["rules"] = json!([{"backendRefs": [{"name": "b", "port": "http"}]}]);
        broken
    };
    assert!(store.apply(changed("HTTPRoute", broken("a"))));
    assert!(store.apply(changed("HTTPRoute", broken("b"))));
    assert!(!store.apply(changed("HTTPRoute", broken("b"))));
    assert_eq!(names(&store), ["a"]);
    let errors = store.loaded().errors;
    assert_eq!(
        errors.iter().map(|error| error.object.as_deref().unwrap()).collect::<Vec<_>>(),
        ["HTTPRoute shop/a", "HTTPRoute shop/b"]
    );
    assert_eq!(errors[0].path, "spec.rules[0].backendRefs[0].port");
    assert!(errors[0].message.ends_with("what it was before goes on"), "{}", errors[0]);
    assert!(errors[1].message.ends_with("it has no effect until it is corrected"), "{}", errors[1]);
    // One is corrected, the other deleted.
    assert!(store.apply(changed("HTTPRoute", route("a", "a.example"))));
    assert!(store.apply(deleted("HTTPRoute", "shop", "b")));
    assert!(store.loaded().errors.is_empty());
    // One that was deleted while nobody watched leaves no finding behind either.
    store.apply(changed("HTTPRoute", broken("b")));
    assert!(list(&mut store, "HTTPRoute", vec![route("a", "a.example")]));
    assert!(store.loaded().errors.is_empty());
}

#[test]
fn a_kind_that_goes_takes_its_objects_along_and_says_what_is_missing() {
    let (mut store, seen) = store(&["HTTPRoute", "Gateway"]);
    list(&mut store, "Gateway", vec![]);
    list(&mut store, "HTTPRoute", vec![route("a", "a.example")]);
    assert!(store.apply(Event::Planned(BTreeSet::from([source("Gateway")]), Vec::new())));
    assert!(names(&store).is_empty() && store.is_complete());
    assert!(!seen.exists("HTTPRoute", &ObjectKey::new("shop", "a")));
    // It comes back, and has to be listed.
    store.apply(Event::Planned(BTreeSet::from([source("Gateway"), source("HTTPRoute")]), Vec::new()));
    assert!(!store.is_complete());
    assert!(list(&mut store, "HTTPRoute", vec![route("a", "a.example")]));
    assert_eq!(names(&store), ["a"]);
}

#[test]
fn a_watch_of_one_namespace_speaks_for_no_other() {
    let seen = Seen::default();
    let mut store = Store::new(None, "gateway-system", seen);
    let of = |namespace: &str| Source { kind: "HTTPRoute", namespace: Some(namespace.into()) };
    let mut till = route("till", "till.example");
    till["metadata"]["namespace"] = "bank".into();
    store.apply(Event::Planned([of("shop"), of("bank")].into(), Vec::new()));
    for (namespace, object) in [("shop", route("a", "a.example")), ("bank", till)] {
        store.apply(Event::Restarted(of(namespace)));
        store.apply(Event::Listed(of(namespace), read("HTTPRoute", object)));
        store.apply(Event::ListedAll(of(namespace)));
    }
    assert_eq!(names(&store), ["till", "a"]);
    store.apply(Event::Restarted(of("shop")));
    store.apply(Event::ListedAll(of("shop")));
    assert_eq!(names(&store), ["till"]);
}

#[test]
fn objects_count_while_their_namespace_is_selected() {
    let selector = serde_json::from_value(json!({"matchLabels": {"gateway": "on"}})).unwrap();
    let mut store = Store::new(Some(selector), "gateway-system", Seen::default());
    store.apply(Event::Planned(["HTTPRoute", "Namespace", "Service"].map(source).into(), Vec::new()));
    let namespace = |label: &str| json!({"metadata": {"name": "shop", "labels": {"gateway": label}}});
    let service = |namespace: &str| json!({"metadata": {"name": "s", "namespace": namespace}, "spec": {}});
    list(&mut store, "HTTPRoute", vec![route("a", "a.example")]);
    list(&mut store, "Service", vec![service("shop"), service("gateway-system")]);
    list(&mut store, "Namespace", vec![namespace("off")]);
    assert!(names(&store).is_empty());
    // The control plane's own.
    assert_eq!(store.loaded().resources.services().len(), 1);
    assert!(store.apply(changed("Namespace", namespace("on"))));
    assert_eq!((names(&store), store.loaded().resources.services().len()), (vec!["a".to_owned()], 2));
    assert!(store.apply(changed("Namespace", namespace("off"))));
    assert!(names(&store).is_empty());
    assert!(!store.apply(changed("HTTPRoute", route("a", "b.example"))));
    assert!(!store.apply(deleted("HTTPRoute", "shop", "a")));
    store.apply(changed("Namespace", namespace("on")));
    assert!(names(&store).is_empty());
}
