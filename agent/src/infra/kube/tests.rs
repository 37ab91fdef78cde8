//! What is decided about one fleet, situation by situation.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gateway_shared::infra::object::InfraKind;
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use super::desired::{Rendered, Wanted};
use super::diff::{self, Action, Applied, Decision, RETIREMENT, Situation, Why};
use super::existing::{Existing, Store};
use super::kinds::{Id, KINDS};

const FLEET: &str = "n/g";

/// One fleet and the time, with everything that is known of it.
struct World {
    wanted: Wanted,
    store: Store,
    applied: BTreeMap<Id, Applied>,
    claims: BTreeMap<Id, Arc<str>>,
    complete: bool,
    now: Instant,
}

impl World {
    fn new(objects: Vec<Rendered>) -> Self {
        let claims = objects.iter().map(|object| (object.id.clone(), Arc::from(FLEET))).collect();
        Self {
            wanted: Wanted::Objects(objects.into()),
            store: Store::default(),
            applied: BTreeMap::new(),
            claims,
            complete: true,
            now: Instant::now(),
        }
    }

    fn decide(&self) -> Decision {
        let Self { wanted, store, applied, claims, complete, now } = self;
        let (complete, now) = (*complete, *now);
        diff::decide(&Situation { fleet: FLEET, wanted, store, applied, claims, complete, now })
    }

    /// Words for what is decided.
    fn steps(&self) -> Vec<String> {
        self.decide().actions.iter().map(step).collect()
    }

    /// Makes the cluster so as everything says that is decided.
    fn carry_out(&mut self) {
        for action in self.decide().actions {
            match action {
                Action::Apply(apply) => {
                    let (uid, hash) = (Box::from("uid"), apply.hash);
                    self.there(&apply.id, FLEET, Value::clone(&apply.content));
                    let rewritten = BTreeMap::new();
                    self.applied.insert(apply.id, Applied { uid, hash, rewritten, repairs: 0, at: self.now });
                }
                Action::Delete { id, .. } => drop(self.store.remove(&id, None)),
                Action::Confirm { .. } => {}
            }
        }
    }

    /// Puts an object into the cluster.
    fn there(&mut self, id: &Id, fleet: &str, mut content: Value) {
        let (namespace, name) = fleet.split_once('/').unwrap();
        let metadata = json!({
            "name": &*id.name, "namespace": &*id.namespace, "uid": "uid", "labels": {
                "gateway.envoyproxy.io/owning-gateway-namespace": namespace,
                "gateway.envoyproxy.io/owning-gateway-name": name,
            },
        });
        content["metadata"] = metadata;
        let (id, existing) = Existing::read(id.kind, serde_json::from_value(content).unwrap()).unwrap();
        self.store.set(id, existing);
    }
}

fn step(action: &Action) -> String {
    match action {
        Action::Delete { id, .. } => format!("delete {id}"),
        Action::Confirm { known } => format!("confirm, known: {known}"),
        Action::Apply(apply) => {
            let why = match &apply.why {
                Why::Missing => "make".to_owned(),
                Why::Changed => "change".to_owned(),
                Why::Drifted(fields) => format!("restore {} of", fields.keys().cloned().collect::<Vec<_>>().join(",")),
            };
            let anew = if apply.instead_of.is_some() { " anew" } else { "" };
            format!("{why} {}{anew}", apply.id)
        }
    }
}

fn id(kind: InfraKind, name: &str) -> Id {
    Id { kind, namespace: "n".into(), name: name.into() }
}

fn object(kind: InfraKind, name: &str, content: Value) -> Rendered {
    let hash = xxh3_64(content.to_string().as_bytes());
    Rendered { id: id(kind, name), content: Arc::new(content), hash }
}

fn of_every_kind() -> Vec<Rendered> {
    KINDS.map(|kind| object(kind, "a", json!({"spec": {"x": 1}}))).into()
}

#[test]
fn a_new_fleet_is_made_in_order_and_then_left_alone() {
    let mut world = World::new(of_every_kind());
    assert_eq!(
        world.steps(),
        [
            "make ServiceAccount n/a",
            "make ConfigMap n/a",
            "make Deployment n/a",
            "make DaemonSet n/a",
            "make Service n/a",
            "make HorizontalPodAutoscaler n/a",
            "make PodDisruptionBudget n/a",
        ]
    );
    world.carry_out();
    assert_eq!(world.decide(), Decision::default());
}

#[test]
fn who_begins_to_lead_applies_everything_once() {
    let mut world = World::new(of_every_kind());
    world.carry_out();
    world.applied.clear();
    assert_eq!(world.steps().len(), 7);
    assert!(world.steps().iter().all(|step| step.starts_with("change")));
    world.carry_out();
    assert!(world.steps().is_empty());
}

#[test]
fn a_hand_edited_deployment_is_put_right() {
    let mut world = World::new(vec![object(InfraKind::Deployment, "a", json!({"spec": {"image": "v1"}}))]);
    world.carry_out();
    world.there(&id(InfraKind::Deployment, "a"), FLEET, json!({"spec": {"image": "v2", "more": true}}));
    assert_eq!(world.steps(), ["restore spec.image of Deployment n/a"]);
    // What the API server itself writes in another way is no reason.
    let applied = world.applied.get_mut(&id(InfraKind::Deployment, "a")).unwrap();
    applied.rewritten = [("spec.image".to_owned(), r#""v2""#.to_owned())].into();
    assert!(world.steps().is_empty());
}

#[test]
fn against_somebody_who_keeps_changing_it_we_get_slower_and_say_so() {
    let mut world = World::new(vec![object(InfraKind::Deployment, "a", json!({"spec": {"image": "v1"}}))]);
    world.carry_out();
    world.there(&id(InfraKind::Deployment, "a"), FLEET, json!({"spec": {"image": "v2"}}));
    let drifted = Why::Drifted(BTreeMap::new());
    let mut repairs = Vec::new();
    for _ in 0..6 {
        let applied = world.applied.get_mut(&id(InfraKind::Deployment, "a")).unwrap();
        applied.repairs = diff::repairs(Some(&applied.clone()), &drifted, world.now);
        applied.at = world.now;
        let decision = world.decide();
        assert!(decision.actions.is_empty());
        repairs.push(decision.again_at.unwrap().duration_since(world.now).as_millis());
        world.now += Duration::from_secs(30);
        assert_eq!(world.steps().len(), 1, "later it is put right all the same");
    }
    assert_eq!(repairs, [400, 800, 1600, 3200, 6400, 12800]);
    assert!(world.decide().problem.unwrap().contains("somebody keeps changing spec.image of Deployment n/a"));
    let applied = world.applied.values().next().unwrap();
    assert_eq!(diff::repairs(Some(applied), &drifted, world.now + Duration::from_mins(5)), 0, "long ago");
}

#[test]
fn objects_of_others_are_left_alone_and_what_they_stand_in_the_way_of_stays() {
    let mut world = World::new(vec![object(InfraKind::Service, "old", json!({}))]);
    world.carry_out();
    world.wanted = Wanted::Objects([object(InfraKind::Service, "new", json!({}))].into());
    world.claims.clear();
    world.there(&id(InfraKind::Service, "new"), "n/other", json!({}));
    let Decision { actions, problem, .. } = world.decide();
    assert!(actions.is_empty(), "the old Service stays: {actions:?}");
    assert!(problem.unwrap().starts_with("Service n/new exists and belongs to n/other, so it is left alone"));
}

#[test]
fn of_two_fleets_that_want_one_name_one_has_it() {
    let mut world = World::new(vec![object(InfraKind::Service, "edge", json!({}))]);
    world.claims = [(id(InfraKind::Service, "edge"), Arc::from("n/first"))].into();
    let Decision { actions, problem, .. } = world.decide();
    assert!(actions.is_empty());
    assert!(problem.unwrap().contains("belongs to the fleet n/first"));
}

#[test]
fn a_rename_makes_the_new_one_first() {
    let mut world = World::new(vec![object(InfraKind::Service, "old", json!({}))]);
    world.carry_out();
    world.wanted = Wanted::Objects([object(InfraKind::Service, "new", json!({}))].into());
    world.claims = [(id(InfraKind::Service, "new"), Arc::from(FLEET))].into();
    assert_eq!(world.steps(), ["make Service n/new", "delete Service n/old"]);
    world.complete = false;
    assert_eq!(world.steps(), ["make Service n/new"], "nothing goes before everything was read");
    world.complete = true;
    world.claims.insert(id(InfraKind::Service, "old"), Arc::from("n/other"));
    assert_eq!(world.steps(), ["make Service n/new", "delete Service n/old"], "another fleet waits for the name");
}

#[test]
fn a_deployment_and_what_it_needs_stay_until_the_daemon_set_in_its_place_serves() {
    let kinds = [InfraKind::ConfigMap, InfraKind::Deployment, InfraKind::Service, InfraKind::HorizontalPodAutoscaler];
    let mut world = World::new(kinds.map(|kind| object(kind, "old", json!({}))).into());
    world.carry_out();
    world.wanted = Wanted::Objects([object(InfraKind::DaemonSet, "a", json!({}))].into());
    world.claims.clear();
    let Decision { actions, again_at, .. } = world.decide();
    let steps = actions.iter().map(step).collect::<Vec<_>>();
    assert_eq!(steps, ["make DaemonSet n/a", "delete HorizontalPodAutoscaler n/old"], "what its pods need stays, too");
    assert!(again_at.is_some());
    world.carry_out();
    assert!(world.steps().is_empty(), "it has no pod yet");
    let all = ["delete ConfigMap n/old", "delete Deployment n/old", "delete Service n/old"];
    world.now += RETIREMENT;
    assert_eq!(world.steps(), all, "but it isn't waited for forever");
    world.now -= RETIREMENT;
    world.there(&id(InfraKind::DaemonSet, "a"), FLEET, json!({"status": {"numberAvailable": 1}}));
    assert_eq!(world.steps(), all);
}

#[test]
fn a_fleet_that_cant_be_made_keeps_what_it_has() {
    let mut world = World::new(of_every_kind());
    world.carry_out();
    world.wanted = Wanted::Keep(Some("why".to_owned()));
    world.claims.clear();
    assert_eq!(world.decide(), Decision { problem: Some("why".to_owned()), ..Decision::default() });
}

#[test]
fn a_fleet_that_is_gone_goes_from_the_outside_in() {
    let mut world = World::new(of_every_kind());
    world.carry_out();
    let steps: Vec<String> = diff::tear_down(FLEET, &world.store).iter().map(step).collect();
    assert_eq!(
        steps,
        [
            "delete PodDisruptionBudget n/a",
            "delete HorizontalPodAutoscaler n/a",
            "delete Service n/a",
            "delete DaemonSet n/a",
            "delete Deployment n/a",
            "delete ConfigMap n/a",
            "delete ServiceAccount n/a",
        ]
    );
}

#[test]
fn a_selector_is_kept_where_it_finds_the_new_pods_and_else_the_workload_is_made_anew() {
    let workload = |selector: Value, labels: Value| json!({"spec": {"selector": {"matchLabels": selector}, "template": {"metadata": {"labels": labels}}}});
    let there = workload(json!({"a": "1", "b": "2"}), json!({"a": "1", "b": "2"}));
    let labels = json!({"a": "1", "b": "2", "c": "3"});
    let mut world = World::new(vec![object(InfraKind::Deployment, "a", workload(json!({"a": "1"}), labels))]);
    world.there(&id(InfraKind::Deployment, "a"), FLEET, there.clone());
    let Some(Action::Apply(apply)) = world.decide().actions.pop() else { panic!("nothing to apply") };
    assert_eq!(apply.content.pointer("/spec/selector/matchLabels"), Some(&json!({"a": "1", "b": "2"})));
    assert_eq!(apply.instead_of, None);

    let mut world =
        World::new(vec![object(InfraKind::Deployment, "a", workload(json!({"a": "1"}), json!({"a": "1"})))]);
    world.there(&id(InfraKind::Deployment, "a"), FLEET, there);
    assert_eq!(world.steps(), ["change Deployment n/a anew"]);
}

#[test]
fn a_deployment_keeps_its_pods_when_an_autoscaler_comes() {
    let mut world = World::new(vec![object(InfraKind::Deployment, "a", json!({"spec": {"replicas": 5}}))]);
    world.carry_out();
    world.wanted = Wanted::Objects([object(InfraKind::Deployment, "a", json!({"spec": {}}))].into());
    let Some(Action::Apply(apply)) = world.decide().actions.pop() else { panic!("nothing to apply") };
    assert!(apply.leaves_replicas_open, "so it is looked who said how many there are");
    world.wanted = Wanted::Objects([object(InfraKind::Deployment, "a", json!({"spec": {"replicas": 6}}))].into());
    let Some(Action::Apply(apply)) = world.decide().actions.pop() else { panic!("nothing to apply") };
    assert!(!apply.leaves_replicas_open);
}

#[test]
fn what_is_being_deleted_is_waited_for() {
    let mut world = World::new(vec![object(InfraKind::Service, "a", json!({}))]);
    let json = json!({"metadata": {"name": "a", "namespace": "n", "deletionTimestamp": "2026-01-01T00:00:00Z", "labels": {
        "gateway.envoyproxy.io/owning-gateway-namespace": "n", "gateway.envoyproxy.io/owning-gateway-name": "g",
    }}});
    let (id, existing) = Existing::read(InfraKind::Service, serde_json::from_value(json).unwrap()).unwrap();
    world.store.set(id, existing);
    assert!(world.steps().is_empty());
}
