//! Whose status may be another than before: found in what differs, without reading every status again.

use std::collections::BTreeSet;
use std::sync::Arc;

use imbl::ordmap::DiffItem;
use rustc_hash::FxHashSet;

use super::assembly::{ListenerSummary, RouteId};
use super::fleet::{Fleet, GatewayContext};
use super::object_status::{Statuses, live_of};
use super::statuses::named_envoy_proxies;
use super::subjects::{Subject, SubjectKind};
use super::translate::Translation;
use crate::api::metadata::{Object, ObjectKey};

impl Statuses<'_> {
    /// The objects whose status may be another than `before`, in the order in which they are written. What has nothing
    /// said about it any more is among them. Costs in time what differs.
    #[must_use]
    pub fn changed_since(&self, before: &Statuses<'_>) -> BTreeSet<Subject> {
        if self.config != before.config {
            return self.subjects().into_iter().chain(before.subjects()).collect();
        }
        let mut changed = BTreeSet::new();
        self.routes(before, &mut changed);
        self.gateways(before, &mut changed);
        self.classes(before, &mut changed);
        let backends = before.resources.backends().changes(self.resources.backends());
        changed.extend(backends.map(|change| Subject::new(SubjectKind::Backend, change.key.clone())));
        changed
    }

    /// Routes that were decided about anew, and those that match what another one began or ceased to match.
    fn routes(&self, before: &Statuses<'_>, changed: &mut BTreeSet<Subject>) {
        let subject = |id: &RouteId| Subject::new(SubjectKind::Route(id.kind), id.key.clone());
        for item in before.translation.routes.diff(&self.translation.routes) {
            match item {
                DiffItem::Add(id, _) | DiffItem::Remove(id, _) => drop(changed.insert(subject(id))),
                DiffItem::Update { old: (_, old), new: (id, new) } => {
                    if !Arc::ptr_eq(old, new) {
                        changed.insert(subject(id));
                    }
                }
            }
        }
        let (old, new) = (&before.translation.listeners, &self.translation.listeners);
        let nothing = ListenerSummary::default();
        for (name, summary) in new {
            let earlier = old.get(name).unwrap_or(&nothing);
            changed.extend(summary.rivals_changed_since(earlier).map(subject));
        }
        for (_, gone) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
            changed.extend(nothing.rivals_changed_since(gone).map(subject));
        }
    }

    /// Gateways whose fleet was made anew or runs otherwise, or whose listeners have other numbers of routes.
    fn gateways(&self, before: &Statuses<'_>, changed: &mut BTreeSet<Subject>) {
        let counted = self.listeners_counted_anew(before);
        let (old, new) = (&before.translation.fleets, &self.translation.fleets);
        let nothing_new = |fleet: &Fleet, key: &str| {
            let same_live = match (before.live, self.live) {
                (Some(old), Some(new)) => {
                    let same = |context: &Arc<GatewayContext>| live_of(old, context) == live_of(new, context);
                    std::ptr::eq(old, new) || fleet.gateways.iter().all(same)
                }
                (old, new) => old.is_none() && new.is_none(),
            };
            let same_live = same_live && before.held.get(key) == self.held.get(key);
            let mut listeners = fleet.gateways.iter().flat_map(|context| &context.listeners);
            same_live && (counted.is_empty() || !listeners.any(|listener| counted.contains(&listener.ir_name)))
        };
        for (key, fleet) in new {
            match old.get(key) {
                Some(earlier) if Arc::ptr_eq(earlier, fleet) => {
                    if !nothing_new(fleet, key) {
                        changed.extend(gateways_of(fleet));
                    }
                }
                Some(earlier) => changed.extend(gateways_of(earlier).chain(gateways_of(fleet))),
                None => changed.extend(gateways_of(fleet)),
            }
        }
        changed.extend(old.iter().filter(|(key, _)| !new.contains_key(*key)).flat_map(|(_, gone)| gateways_of(gone)));
    }

    fn listeners_counted_anew(&self, before: &Statuses<'_>) -> FxHashSet<Arc<str>> {
        let (old, new) = (&before.translation.listeners, &self.translation.listeners);
        let count = |statuses: &Translation, name: &Arc<str>| statuses.listeners.get(name).map_or(0, |it| it.attached);
        old.keys()
            .chain(new.keys())
            .filter(|name| count(before.translation, name) != count(self.translation, name))
            .cloned()
            .collect()
    }

    /// Classes, of which there are few, and EnvoyProxies, where a class or a fleet that may name one changed.
    fn classes(&self, before: &Statuses<'_>, changed: &mut BTreeSet<Subject>) {
        let (old, new) = (before.translation, self.translation);
        let subject = |name: &Arc<str>| Subject::new(SubjectKind::GatewayClass, ObjectKey::cluster(name));
        let shows_features = |statuses: &Statuses<'_>| statuses.live.is_some();
        for name in old.classes.keys().chain(new.classes.keys()) {
            if old.classes.get(name) != new.classes.get(name)
                || before.class_is_used(name) != self.class_is_used(name)
                || shows_features(before) != shows_features(self)
            {
                changed.insert(subject(name));
            }
        }
        let same_fleets = old.fleets.len() == new.fleets.len()
            && old.fleets.values().zip(new.fleets.values()).all(|(old, new)| Arc::ptr_eq(old, new));
        if same_fleets && old.classes == new.classes {
            return;
        }
        let differing = |ours: &Translation, theirs: &Translation| -> Vec<ObjectKey> {
            let kept = |key: &Arc<str>, fleet: &Arc<Fleet>| {
                theirs.fleets.get(key).is_some_and(|other| Arc::ptr_eq(other, fleet))
            };
            let fleets = ours.fleets.iter().filter(|(key, fleet)| !kept(key, fleet));
            named_envoy_proxies(ours.classes.values(), fleets.flat_map(|(_, fleet)| &fleet.gateways)).collect()
        };
        let proxies = differing(old, new).into_iter().chain(differing(new, old));
        changed.extend(proxies.map(|key| Subject::new(SubjectKind::EnvoyProxy, key)));
    }
}

fn gateways_of(fleet: &Fleet) -> impl Iterator<Item = Subject> {
    fleet.gateways.iter().map(|context| Subject::new(SubjectKind::Gateway, context.gateway.key()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::any_object::AnyObject;
    use crate::config::Config;
    use crate::gatewayapi::object_status::HeldFleets;
    use crate::gatewayapi::translate::{Cache, translate};
    use crate::resources::Resources;
    use crate::status::live::{LiveAddress, LiveFleet, LiveFleets, LiveService};

    fn object<T: Object + serde::de::DeserializeOwned + Into<AnyObject>>(json: &str) -> AnyObject {
        serde_json::from_str::<T>(json).unwrap().into()
    }

    fn gateway(name: &str) -> AnyObject {
        object::<crate::api::gateway::Gateway>(&format!(
            r#"{{"metadata":{{"name":"{name}","namespace":"infra"}},"spec":{{"gatewayClassName":"eg",
                "listeners":[{{"name":"http","port":80,"protocol":"HTTP"}}]}}}}"#
        ))
    }

    fn route(name: &str, gateway: &str, path: &str) -> AnyObject {
        object::<crate::api::http_route::HttpRoute>(&format!(
            r#"{{"metadata":{{"name":"{name}","namespace":"infra"}},"spec":{{"parentRefs":[{{"name":"{gateway}"}}],
                "rules":[{{"matches":[{{"path":{{"type":"PathPrefix","value":"{path}"}}}}]}}]}}}}"#
        ))
    }

    /// What changes in the statuses of some objects when `change` is made to them, and how a full reading differs.
    struct World {
        resources: Resources,
        config: Config,
        cache: Cache,
        translation: Translation,
        live: LiveFleets,
    }

    impl World {
        fn new() -> Self {
            let class = object::<crate::api::gateway_class::GatewayClass>(&format!(
                r#"{{"metadata":{{"name":"eg"}},"spec":{{"controllerName":"{}"}}}}"#,
                crate::api::envoy_gateway_defaults::CONTROLLER_NAME
            ));
            let objects = vec![
                class,
                gateway("a"),
                gateway("b"),
                route("one", "a", "/one"),
                route("two", "a", "/two"),
                route("three", "b", "/three"),
            ];
            let resources: Resources = objects.into_iter().collect();
            let (config, mut cache) = (Config::default(), Cache::default());
            let translation = translate(&resources, &config, &mut cache);
            Self { resources, config, cache, translation, live: LiveFleets::new() }
        }

        /// Makes the change; returns what is found to have changed, having checked that it is all that did.
        fn change(&mut self, change: impl FnOnce(&mut Resources, &mut LiveFleets)) -> Vec<String> {
            let (resources, live, translation) = (self.resources.clone(), self.live.clone(), self.translation.clone());
            change(&mut self.resources, &mut self.live);
            self.translation = translate(&self.resources, &self.config, &mut self.cache);
            let held = HeldFleets::new();
            let before = Statuses {
                resources: &resources,
                config: &self.config,
                translation: &translation,
                live: Some(&live),
                held: &held,
            };
            let after = Statuses {
                resources: &self.resources,
                config: &self.config,
                translation: &self.translation,
                live: Some(&self.live),
                held: &held,
            };
            let found = after.changed_since(&before);
            for subject in before.subjects().into_iter().chain(after.subjects()) {
                let differs = before.of(&subject) != after.of(&subject);
                assert!(!differs || found.contains(&subject), "{subject} was overlooked");
            }
            found.iter().map(ToString::to_string).collect()
        }
    }

    #[test]
    fn nothing_changes_by_itself() {
        assert!(World::new().change(|_, _| {}).is_empty());
    }

    #[test]
    fn one_route_is_one_status() {
        let changed = World::new().change(|resources, _| resources.insert(route("one", "a", "/1")));
        assert_eq!(changed, ["HTTPRoute infra/one"]);
    }

    #[test]
    fn whoever_matches_the_same_is_told_too() {
        let mut world = World::new();
        let changed = world.change(|resources, _| resources.insert(route("one", "a", "/two")));
        assert_eq!(changed, ["HTTPRoute infra/one", "HTTPRoute infra/two"]);
        let changed = world.change(|resources, _| resources.insert(route("one", "a", "/one")));
        assert_eq!(changed, ["HTTPRoute infra/one", "HTTPRoute infra/two"]);
    }

    #[test]
    fn a_route_that_moves_changes_the_counts_of_both_gateways() {
        let changed = World::new().change(|resources, _| resources.insert(route("one", "b", "/one")));
        assert_eq!(changed, ["Gateway infra/a", "Gateway infra/b", "HTTPRoute infra/one"]);
    }

    #[test]
    fn what_is_gone_is_named() {
        let changed = World::new().change(|resources, _| {
            resources.remove(&route("three", "b", "/three"));
        });
        assert_eq!(changed, ["Gateway infra/b", "HTTPRoute infra/three"]);
    }

    #[test]
    fn of_a_class_that_is_not_accepted_the_fleets_that_run_are_shown() {
        let mut world = World::new();
        let unreadable = format!(
            r#"{{"metadata":{{"name":"eg"}},"spec":{{"controllerName":"{}","parametersRef":
                {{"group":"gateway.envoyproxy.io","kind":"EnvoyProxy","name":"p","namespace":"n"}}}}}}"#,
            crate::api::envoy_gateway_defaults::CONTROLLER_NAME
        );
        let unreadable = object::<crate::api::gateway_class::GatewayClass>(&unreadable);
        world.change(|resources, _| resources.insert(unreadable));
        let address = |ip: &str| LiveFleet {
            service: Some(LiveService { addresses: vec![LiveAddress::Ip(ip.to_owned())], fixed: Vec::new() }),
            ..LiveFleet::default()
        };
        let changed = world.change(|_, live| {
            live.insert("infra/a".into(), LiveFleet::default());
            live.insert("infra/b".into(), address("10.0.0.2"));
            live.insert("eg".into(), address("10.0.0.1"));
        });
        assert_eq!(changed, ["Gateway infra/a", "Gateway infra/b"]);
        let held = HeldFleets::new();
        let statuses = Statuses {
            resources: &world.resources,
            config: &world.config,
            translation: &world.translation,
            live: Some(&world.live),
            held: &held,
        };
        let shown = |name| {
            let status = statuses.of(&Subject::new(SubjectKind::Gateway, ObjectKey::new("infra", name))).unwrap();
            status.pointer("/addresses/0/value").cloned()
        };
        assert_eq!((shown("a"), shown("b")), (Some("10.0.0.1".into()), Some("10.0.0.2".into())));
    }

    #[test]
    fn a_fleet_that_runs_otherwise_is_its_gateways_alone() {
        let changed = World::new().change(|_, live| {
            live.insert("infra/b".into(), LiveFleet { problem: Some("no".to_owned()), ..LiveFleet::default() });
        });
        assert_eq!(changed, ["Gateway infra/b"]);
    }
}
