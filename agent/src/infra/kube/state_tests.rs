//! From Gateways to what is done about their fleets, watch by watch and translation by translation.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gateway_shared::api::any_object::AnyObject;
use gateway_shared::api::envoy_gateway::EnvoyGateway;
use gateway_shared::api::envoy_gateway_defaults::CONTROLLER_NAME;
use gateway_shared::api::envoy_proxy::EnvoyProxy;
use gateway_shared::api::gateway::Gateway;
use gateway_shared::api::gateway_class::GatewayClass;
use gateway_shared::config::Config;
use gateway_shared::gatewayapi::translate::{self, translate};
use gateway_shared::infra::object::InfraKind;
use gateway_shared::infra::settings::Settings;
use gateway_shared::resources::Resources;
use serde_json::json;

use super::carry_out::{Done, Report};
use super::desired::Surroundings;
use super::diff::Action;
use super::existing::Existing;
use super::kinds::Id;
use super::state::State;
use super::watches::{Change, Seen, Source};

const NAMESPACE: &str = "envoy-gateway-system";

fn services() -> Source {
    Source { kind: Some(InfraKind::Service), namespace: Some(NAMESPACE.to_owned()) }
}

/// A cluster in which every write goes well.
struct World {
    state: State,
    config: Config,
    cache: translate::Cache,
    now: Instant,
}

impl World {
    fn new() -> Self {
        let file: EnvoyGateway = serde_json::from_value(json!({})).unwrap();
        let settings = Settings {
            file: Arc::new(file),
            controller_namespace: NAMESPACE.to_owned(),
            dns_domain: "cluster.local".to_owned(),
            shutdown_manager_image: "example.com/agent".to_owned(),
            ca_certificate: None,
        };
        let surroundings = Surroundings { settings, gateway_namespace_mode: false };
        Self {
            state: State::new(surroundings, [services()]),
            config: Config::default(),
            cache: translate::Cache::default(),
            now: Instant::now(),
        }
    }

    fn translated(&mut self, objects: Vec<AnyObject>, complete: bool) {
        let resources: Resources = objects.into_iter().collect();
        let translation = translate(&resources, &self.config, &mut self.cache);
        self.state.translated(&translation, complete);
    }

    fn next(&mut self) -> Vec<(Arc<str>, Vec<Action>)> {
        self.state.next(self.now, 8)
    }

    /// Does all there is to do, and gives words for it.
    fn settle(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        loop {
            let tasks = self.next();
            if tasks.is_empty() {
                return said;
            }
            for (fleet, actions) in tasks {
                let done = actions.into_iter().filter_map(|action| carry_out(action, &mut said)).collect();
                self.state.done(Report { fleet, done, failure: None }, self.now);
            }
        }
    }
}

fn carry_out(action: Action, said: &mut Vec<String>) -> Option<Done> {
    match action {
        Action::Confirm { known } => {
            said.push(format!("confirm, known: {known}"));
            None
        }
        Action::Delete { id, uid } => {
            said.push(format!("delete {:?}", id.kind));
            Some(Done::Deleted { id, uid })
        }
        Action::Apply(apply) => {
            said.push(format!("apply {:?}", apply.id.kind));
            let mut content = serde_json::Value::clone(&apply.content);
            content["metadata"]["uid"] = json!("uid");
            let (id, existing) = Existing::read(apply.id.kind, serde_json::from_value(content).unwrap()).unwrap();
            Some(Done::Applied { id, hash: apply.hash, why: apply.why, existing: Box::new(existing) })
        }
    }
}

fn class() -> AnyObject {
    let json = json!({"metadata": {"name": "eg", "uid": "class"}, "spec": {"controllerName": CONTROLLER_NAME}});
    serde_json::from_value::<GatewayClass>(json).unwrap().into()
}

/// The class, with the EnvoyProxy `n/p` as its parameters.
fn class_with_parameters() -> AnyObject {
    let json = json!({"metadata": {"name": "eg", "uid": "class"}, "spec": {
        "controllerName": CONTROLLER_NAME,
        "parametersRef": {"group": "gateway.envoyproxy.io", "kind": "EnvoyProxy", "name": "p", "namespace": "n"},
    }});
    serde_json::from_value::<GatewayClass>(json).unwrap().into()
}

fn parameters(name: &str, spec: serde_json::Value) -> AnyObject {
    let json = json!({"metadata": {"name": name, "namespace": "n"}, "spec": spec});
    serde_json::from_value::<EnvoyProxy>(json).unwrap().into()
}

fn gateway(addresses: serde_json::Value) -> AnyObject {
    let json = json!({
        "metadata": {"name": "g", "namespace": "n", "uid": "gateway"},
        "spec": {
            "gatewayClassName": "eg",
            "addresses": addresses,
            "listeners": [{"name": "http", "port": 80, "protocol": "HTTP"}],
        },
    });
    serde_json::from_value::<Gateway>(json).unwrap().into()
}

/// A Gateway with the EnvoyProxy `n/edge` of its own.
fn gateway_of_its_own(name: &str) -> AnyObject {
    let json = json!({
        "metadata": {"name": name, "namespace": "n", "uid": name},
        "spec": {
            "gatewayClassName": "eg",
            "infrastructure": {
                "parametersRef": {"group": "gateway.envoyproxy.io", "kind": "EnvoyProxy", "name": "edge"},
            },
            "listeners": [{"name": "http", "port": 80, "protocol": "HTTP"}],
        },
    });
    serde_json::from_value::<Gateway>(json).unwrap().into()
}

const MADE: [&str; 4] = ["apply ServiceAccount", "apply ConfigMap", "apply Deployment", "apply Service"];

#[test]
fn nothing_is_done_before_every_watch_has_shown_what_there_is() {
    let mut world = World::new();
    world.translated(vec![class(), gateway(json!([]))], true);
    assert!(world.settle().is_empty());
    world.state.see(Seen::Objects(services(), Change::Blind("no right to".to_owned())));
    let news = world.state.news().unwrap();
    assert_eq!(news["n/g"].problem.as_deref(), Some("no right to"));
    world.state.see(Seen::Objects(services(), Change::All(Vec::new())));
    assert_eq!(world.settle(), MADE);
    let news = world.state.news().unwrap();
    assert_eq!(news["n/g"].problem, None);
    assert!(news["n/g"].service.is_some() && news["n/g"].workload.is_some());
    assert_eq!(world.state.news(), None);
}

fn running() -> World {
    let mut world = World::new();
    world.translated(vec![class(), gateway(json!([]))], true);
    world.state.see(Seen::Objects(services(), Change::All(Vec::new())));
    assert_eq!(world.settle(), MADE);
    world
}

#[test]
fn objects_belong_to_the_class() {
    let mut world = World::new();
    world.translated(vec![class(), gateway(json!([]))], true);
    world.state.see(Seen::Objects(services(), Change::All(Vec::new())));
    let tasks = world.next();
    let Some(Action::Apply(apply)) = tasks[0].1.first() else { panic!("nothing to apply") };
    assert_eq!(apply.content["metadata"]["ownerReferences"][0]["uid"], "class");
}

#[test]
fn a_gateway_that_fails_keeps_its_fleet() {
    let mut world = running();
    world.translated(vec![class(), gateway(json!([{"type": "NamedAddress", "value": "x"}]))], true);
    assert!(world.settle().is_empty());
    world.translated(vec![class(), gateway(json!([]))], true);
    assert!(world.settle().is_empty(), "and goes on with it");
}

#[test]
fn a_fleet_nobody_asks_for_goes_once_that_is_certain() {
    let mut world = running();
    world.translated(vec![class()], true);
    let gone = world.settle();
    assert_eq!(
        gone,
        ["confirm, known: true", "delete Service", "delete Deployment", "delete ConfigMap", "delete ServiceAccount"]
    );
    assert!(world.state.news().unwrap().is_empty());
}

#[test]
fn what_an_earlier_agent_left_is_looked_into_and_not_before_everything_was_read() {
    let service = json!({"metadata": {"name": "s", "namespace": NAMESPACE, "labels": {
        "gateway.envoyproxy.io/owning-gateway-namespace": "n", "gateway.envoyproxy.io/owning-gateway-name": "old",
    }}});
    let found: (Id, Existing) = Existing::read(InfraKind::Service, serde_json::from_value(service).unwrap()).unwrap();
    let mut world = World::new();
    world.translated(vec![class()], false);
    world.state.see(Seen::Objects(services(), Change::All(vec![found])));
    assert!(world.settle().is_empty());
    world.translated(vec![class()], true);
    let tasks = world.next();
    assert!(matches!(tasks[0].1.as_slice(), [Action::Confirm { known: false }, Action::Delete { .. }]));
    let fleet = Arc::clone(&tasks[0].0);
    world.state.done(Report { fleet, done: vec![Done::LeftAlone], failure: None }, world.now);
    assert!(world.next().is_empty());
    world.now = world.state.wake_at().unwrap();
    assert_eq!(world.next().len(), 1, "later it is looked into again");
}

#[test]
fn a_failure_is_told_and_tried_again_later() {
    let mut world = World::new();
    world.translated(vec![class(), gateway(json!([]))], true);
    world.state.see(Seen::Objects(services(), Change::All(Vec::new())));
    let (fleet, _) = world.next().remove(0);
    assert!(world.next().is_empty(), "one at a time for each fleet");
    world.state.done(Report { fleet, done: Vec::new(), failure: Some("refused".to_owned()) }, world.now);
    assert_eq!(world.state.news().unwrap()["n/g"].problem.as_deref(), Some("refused"));
    assert!(world.next().is_empty());
    assert_eq!(world.state.wake_at(), Some(world.now + Duration::from_millis(500)));
    world.now += Duration::from_millis(500);
    assert_eq!(world.settle(), MADE);
    assert_eq!(world.state.news().unwrap()["n/g"].problem, None);
}

#[test]
fn who_leads_anew_trusts_nothing_it_applied_before() {
    let mut world = running();
    world.state.lead();
    assert_eq!(world.settle(), MADE);
}

const GONE: [&str; 4] = ["delete Service", "delete Deployment", "delete ConfigMap", "delete ServiceAccount"];

#[test]
fn merged_gateways_keep_their_fleet_while_the_parameters_of_the_class_are_missing() {
    let mut world = World::new();
    let merged = || parameters("p", json!({"mergeGateways": true}));
    world.translated(vec![class_with_parameters(), merged(), gateway(json!([]))], true);
    world.state.see(Seen::Objects(services(), Change::All(Vec::new())));
    assert_eq!(world.settle(), MADE);

    world.translated(vec![class_with_parameters(), gateway(json!([]))], true);
    assert!(world.settle().is_empty(), "nobody knows whether they are still merged");
    let news = world.state.news().unwrap();
    assert!(news["eg"].service.is_some());
    assert!(news["eg"].problem.as_ref().unwrap().starts_with("its GatewayClass or Gateway can't be used"));
    world.state.lead();
    assert!(world.settle().is_empty(), "nor does another leader");

    world.translated(vec![class_with_parameters(), merged(), gateway(json!([]))], true);
    assert_eq!(world.settle(), MADE, "what is there is applied anew");
    assert_eq!(world.state.news().unwrap()["eg"].problem, None);
}

#[test]
fn a_fleet_that_was_kept_for_a_fault_goes_once_the_class_says_so() {
    let mut world = World::new();
    let merged = parameters("p", json!({"mergeGateways": true}));
    world.translated(vec![class_with_parameters(), merged, gateway(json!([]))], true);
    world.state.see(Seen::Objects(services(), Change::All(Vec::new())));
    assert_eq!(world.settle(), MADE);
    world.translated(vec![class_with_parameters(), gateway(json!([]))], true);
    assert!(world.settle().is_empty());
    world.translated(vec![class_with_parameters()], true);
    assert!(world.settle().is_empty());
    world.translated(vec![class()], true);
    assert_eq!(world.settle(), GONE);
    assert!(world.state.news().unwrap().is_empty());
}

#[test]
fn a_fleet_keeps_its_objects_while_the_parameters_of_its_class_are_missing() {
    let mut world = World::new();
    let internal = json!({"provider": {"type": "Kubernetes", "kubernetes": {"envoyService": {"type": "ClusterIP"}}}});
    world.translated(vec![class_with_parameters(), parameters("p", internal), gateway(json!([]))], true);
    world.state.see(Seen::Objects(services(), Change::All(Vec::new())));
    assert_eq!(world.settle(), MADE);
    world.translated(vec![class_with_parameters(), gateway(json!([]))], true);
    assert!(world.settle().is_empty(), "not even the Service, which the defaults would make public");
}

#[test]
fn a_name_passes_to_the_fleet_that_waits_for_it() {
    let fixed = json!({"provider": {"type": "Kubernetes", "kubernetes": {"envoyService": {"name": "edge"}}}});
    let edge = || parameters("edge", fixed.clone());
    let mut world = World::new();
    world.translated(vec![class(), edge(), gateway_of_its_own("a")], true);
    world.state.see(Seen::Objects(services(), Change::All(Vec::new())));
    assert_eq!(world.settle(), MADE);
    world.translated(vec![class(), edge(), gateway_of_its_own("a"), gateway_of_its_own("b")], true);
    assert_eq!(world.settle(), MADE[..3], "all of b but its Service, which a has");
    assert!(world.state.news().unwrap()["n/b"].problem.as_ref().unwrap().contains("belongs to the fleet n/a"));

    world.translated(vec![class(), edge(), gateway_of_its_own("b")], true);
    let said = world.settle();
    assert_eq!(said[0], "confirm, known: true");
    assert_eq!(said[1..5], GONE);
    assert_eq!(said[5..], ["apply Service"]);
    let news = world.state.news().unwrap();
    assert!(news["n/b"].service.is_some() && news["n/b"].problem.is_none());
}

#[test]
fn who_waits_for_a_name_looks_again_when_the_object_goes() {
    let service = json!({"metadata": {"name": "edge", "namespace": NAMESPACE, "labels": {
        "gateway.envoyproxy.io/owning-gateway-namespace": "n", "gateway.envoyproxy.io/owning-gateway-name": "a",
    }}});
    let (id, found): (Id, Existing) =
        Existing::read(InfraKind::Service, serde_json::from_value(service).unwrap()).unwrap();
    let fixed = json!({"provider": {"type": "Kubernetes", "kubernetes": {"envoyService": {"name": "edge"}}}});
    let mut world = World::new();
    world.translated(vec![class(), parameters("edge", fixed), gateway_of_its_own("b")], false);
    world.state.see(Seen::Objects(services(), Change::All(vec![(id.clone(), found)])));
    assert_eq!(world.settle(), MADE[..3]);
    world.state.see(Seen::Objects(services(), Change::Gone(id)));
    assert_eq!(world.settle(), MADE[3..]);
}

#[test]
fn of_two_fleets_that_want_one_name_the_one_that_has_it_keeps_it_although_it_is_seen_late() {
    let fixed = json!({"provider": {"type": "Kubernetes", "kubernetes": {"envoyService": {"name": "edge"}}}});
    let service = json!({"metadata": {"name": "edge", "namespace": NAMESPACE, "labels": {
        "gateway.envoyproxy.io/owning-gateway-namespace": "n", "gateway.envoyproxy.io/owning-gateway-name": "b",
    }}});
    let found: (Id, Existing) = Existing::read(InfraKind::Service, serde_json::from_value(service).unwrap()).unwrap();
    let mut world = World::new();
    let objects = vec![class(), parameters("edge", fixed), gateway_of_its_own("a"), gateway_of_its_own("b")];
    world.translated(objects, true);
    world.state.see(Seen::Objects(services(), Change::All(vec![found])));
    assert_eq!(world.settle(), [&MADE[..3], &MADE].concat());
    assert!(world.state.news().unwrap()["n/a"].problem.as_ref().unwrap().contains("belongs to the fleet n/b"));
}

#[test]
fn who_only_watches_forgets_fleets_that_are_gone() {
    let mut world = World::new();
    world.translated(vec![class(), gateway(json!([]))], true);
    let service = json!({"metadata": {"name": "s", "namespace": NAMESPACE, "labels": {
        "gateway.envoyproxy.io/owning-gateway-namespace": "n", "gateway.envoyproxy.io/owning-gateway-name": "g",
    }}});
    let (id, found): (Id, Existing) =
        Existing::read(InfraKind::Service, serde_json::from_value(service).unwrap()).unwrap();
    world.state.see(Seen::Objects(services(), Change::All(vec![(id.clone(), found)])));
    assert!(world.state.news().unwrap().contains_key("n/g"));
    world.translated(vec![class()], true);
    world.state.see(Seen::Objects(services(), Change::Gone(id)));
    assert!(world.state.news().unwrap().is_empty());
    assert_eq!(world.state.remembered(), 0);

    world.translated(vec![class(), gateway(json!([]))], true);
    assert!(world.state.news().unwrap().contains_key("n/g"));
    world.translated(vec![class()], true);
    assert!(world.state.news().unwrap().is_empty(), "nothing was ever made of it");
    assert_eq!(world.state.remembered(), 0);
}
