//! All that is known, and what follows from it. No IO: it is told what was seen and done, and says what to do next.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gateway_shared::api::gateway_class::GatewayClass;
use gateway_shared::api::metadata::ObjectKey;
use gateway_shared::gatewayapi::fleet::Fleet;
use gateway_shared::gatewayapi::translate::Translation;
use gateway_shared::status::live::LiveFleets;

use super::carry_out::{Done, Report};
use super::covers;
use super::desired::{Surroundings, Wanted, wanted};
use super::diff::{self, Action, Applied, Decision, Situation};
use super::existing::Store;
use super::kinds::Id;
use super::live::{self, Nodes};
use super::watches::{Change, Seen, Source};
use crate::backoff::Backoff;

/// How long after a failure a fleet is tried again: at first, and at most.
const RETRY: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(15));

/// How long a fleet that is none of our business is left alone before it is looked at again.
const LEFT_ALONE: Duration = Duration::from_mins(10);

/// All that is known.
#[derive(Debug)]
pub(super) struct State {
    surroundings: Surroundings,
    /// Watches that have not shown everything yet.
    unseen: BTreeSet<Source>,
    /// Why a watch shows nothing.
    blind: BTreeMap<Source, String>,
    store: Store,
    nodes: Nodes,
    translation: Option<Translation>,
    /// Whether anything may be deleted: not before everything was read once.
    complete: bool,
    fleets: BTreeMap<Arc<str>, FleetState>,
    claims: BTreeMap<Id, Arc<str>>,
    /// Fleets about which has to be decided.
    dirty: BTreeSet<Arc<str>>,
    /// Fleets of which something else may have to be told.
    touched: BTreeSet<Arc<str>>,
    live: LiveFleets,
    /// Whether nodes were listed.
    nodes_seen: bool,
    /// Whether anything was told of fleets.
    told: bool,
}

/// What is known of one fleet.
#[derive(Debug)]
struct FleetState {
    /// What it was made from; `None` when nobody asks for it any more.
    made_from: Option<(Arc<Fleet>, Option<Arc<GatewayClass>>)>,
    wanted: Wanted,
    /// Whether it was ever asked for.
    known: bool,
    /// Whether it was found to be none of our business.
    left_alone: bool,
    applied: BTreeMap<Id, Applied>,
    /// Whether something is being done to it.
    busy: bool,
    backoff: Backoff,
    /// Not to be touched before.
    not_before: Option<Instant>,
    /// To be looked at again then although nothing changed.
    again_at: Option<Instant>,
    problem: Option<String>,
    failure: Option<String>,
}

impl Default for FleetState {
    fn default() -> Self {
        Self {
            made_from: None,
            wanted: Wanted::Keep(None),
            known: false,
            left_alone: false,
            applied: BTreeMap::new(),
            busy: false,
            backoff: Backoff::new(RETRY.0, RETRY.1),
            not_before: None,
            again_at: None,
            problem: None,
            failure: None,
        }
    }
}

impl State {
    /// Nothing is known yet; `sources` will tell.
    pub(super) fn new(surroundings: Surroundings, sources: impl IntoIterator<Item = Source>) -> Self {
        Self {
            surroundings,
            unseen: sources.into_iter().collect(),
            blind: BTreeMap::new(),
            store: Store::default(),
            nodes: Nodes::default(),
            translation: None,
            complete: false,
            fleets: BTreeMap::new(),
            claims: BTreeMap::new(),
            dirty: BTreeSet::new(),
            touched: BTreeSet::new(),
            live: LiveFleets::new(),
            nodes_seen: false,
            told: false,
        }
    }

    /// Whether any Service is reached by the addresses of nodes.
    pub(super) fn needs_nodes(&self) -> bool {
        live::needs_nodes(&self.store)
    }

    /// Takes over what a watch saw.
    pub(super) fn see(&mut self, seen: Seen) {
        match seen {
            Seen::Objects(source, change) => {
                let concerned = self.see_objects(source, change);
                self.dirty.extend(concerned.iter().cloned());
                self.touched.extend(concerned);
            }
            Seen::Authority(Change::All(found)) => self.set_authority(found.into_iter().next().map(|((), pem)| pem)),
            Seen::Authority(Change::Set((), pem)) => self.set_authority(Some(pem)),
            Seen::Authority(Change::Gone(())) => self.set_authority(None),
            Seen::Nodes(change) => {
                self.nodes_seen = true;
                apply_change(&mut self.nodes.nodes, change, |_| true);
                self.touch_all();
            }
            Seen::Endpoints(source, change) => {
                let watched =
                    |(namespace, _): &(String, String)| source.namespace.as_ref().is_none_or(|it| it == namespace);
                apply_change(&mut self.nodes.endpoints, change, watched);
                self.touch_all();
            }
            Seen::Authority(Change::Blind(words)) => tracing::warn!("{words}"),
        }
    }

    fn see_objects(&mut self, source: Source, change: Change<Id, super::existing::Existing>) -> Vec<Arc<str>> {
        match change {
            Change::Set(id, existing) => {
                self.wake_claimant(&id);
                self.store.set(id, existing)
            }
            Change::Gone(id) => {
                self.wake_claimant(&id);
                self.store.remove(&id, None)
            }
            Change::All(found) => {
                let there: BTreeSet<&Id> = found.iter().map(|(id, _)| id).collect();
                let watched = |id: &Id| {
                    Some(id.kind) == source.kind && source.namespace.as_ref().is_none_or(|it| **it == *id.namespace)
                };
                let gone: Vec<Id> = self.store.ids().filter(|id| watched(id) && !there.contains(id)).cloned().collect();
                let mut concerned: Vec<_> = gone.iter().flat_map(|id| self.store.remove(id, None)).collect();
                concerned.extend(found.into_iter().flat_map(|(id, existing)| self.store.set(id, existing)));
                self.unseen.remove(&source);
                self.claim();
                if self.blind.remove(&source).is_some() {
                    self.touch_all();
                }
                concerned
            }
            Change::Blind(words) => {
                if self.unseen.contains(&source) {
                    tracing::warn!("{words}");
                    self.blind.insert(source, words);
                    self.touch_all();
                }
                Vec::new()
            }
        }
    }

    fn set_authority(&mut self, pem: Option<String>) {
        let pem = pem.map(Arc::from);
        if self.surroundings.settings.ca_certificate != pem {
            self.surroundings.settings.ca_certificate = pem;
            self.want(true);
        }
    }

    /// Takes over a translation. `complete` says whether nothing that was once there may be missing from it.
    pub(super) fn translated(&mut self, translation: &Translation, complete: bool) {
        if complete && !self.complete {
            self.complete = true;
            self.dirty.extend(self.store.fleets().cloned());
        }
        self.translation = Some(translation.clone());
        self.want(false);
    }

    /// Finds out what is wanted of every fleet; of those that are what they were only when `all` has changed for them.
    fn want(&mut self, all: bool) {
        let Some(translation) = &self.translation else { return };
        let mut changed = false;
        for (key, fleet) in &translation.fleets {
            let class = translation.classes.get(&fleet.class);
            let state = self.fleets.entry(Arc::clone(key)).or_default();
            let same = state.made_from.as_ref().is_some_and(|(old, old_class)| {
                Arc::ptr_eq(old, fleet)
                    && match (old_class, class) {
                        (Some(old), Some(class)) => Arc::ptr_eq(old, &class.class),
                        (old, class) => old.is_none() && class.is_none(),
                    }
            });
            if same && !all {
                continue;
            }
            let now = wanted(fleet, class, &self.surroundings);
            let came = state.made_from.is_none();
            (state.known, state.left_alone) = (true, false);
            state.made_from = Some((Arc::clone(fleet), class.map(|class| Arc::clone(&class.class))));
            self.touched.insert(Arc::clone(key));
            if came || state.wanted != now {
                state.wanted = now;
                // What was corrected is tried at once.
                state.backoff.reset();
                state.not_before = None;
                changed = true;
                self.dirty.insert(Arc::clone(key));
            }
        }
        for (key, state) in &mut self.fleets {
            if translation.fleets.contains_key(key) {
                continue;
            }
            if state.made_from.take().is_some() {
                state.wanted = Wanted::Keep(None);
                state.not_before = None;
                changed = true;
                self.dirty.insert(Arc::clone(key));
                self.touched.insert(Arc::clone(key));
            } else if state.problem.is_some() {
                // It was kept for a fault, which may be corrected.
                self.dirty.insert(Arc::clone(key));
            }
        }
        if changed {
            self.claim();
        }
    }

    /// Finds out which fleet has a right to which name: the one that has it, else the first.
    fn claim(&mut self) {
        let mut claims: BTreeMap<Id, Arc<str>> = BTreeMap::new();
        for (key, state) in &self.fleets {
            let Wanted::Objects(objects) = &state.wanted else { continue };
            for object in objects.iter() {
                let has_it = || self.store.get(&object.id).is_some_and(|it| it.fleet.as_ref() == Some(key));
                if !claims.contains_key(&object.id) || has_it() {
                    claims.insert(object.id.clone(), Arc::clone(key));
                }
            }
        }
        self.claims = claims;
        // Their names may be free.
        let waiting = self.fleets.iter().filter(|(_, state)| state.problem.is_some()).map(|(key, _)| key);
        self.dirty.extend(waiting.cloned());
    }

    /// Something happened to the object `id`: a fleet that waits for its name looks again.
    fn wake_claimant(&mut self, id: &Id) {
        self.dirty.extend(self.claims.get(id).cloned());
    }

    /// What to do now: at most so many fleets. What is handed out is to be reported by [`State::done`].
    pub(super) fn next(&mut self, now: Instant, at_most: usize) -> Vec<(Arc<str>, Vec<Action>)> {
        if !self.unseen.is_empty() || self.translation.is_none() {
            return Vec::new();
        }
        let due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        for (key, state) in &mut self.fleets {
            if due(state.again_at) {
                state.again_at = None;
                state.left_alone = false;
                self.dirty.insert(Arc::clone(key));
            }
        }
        let mut tasks = Vec::new();
        for key in self.dirty.clone() {
            if tasks.len() >= at_most {
                break;
            }
            let waits = |state: &FleetState| state.busy || state.not_before.is_some_and(|until| until > now);
            if self.fleets.get(&key).is_some_and(waits) {
                continue;
            }
            self.dirty.remove(&key);
            let Decision { actions, problem, again_at } = self.decide(&key, now);
            let state = self.fleets.entry(Arc::clone(&key)).or_default();
            if state.problem != problem {
                if let Some(problem) = &problem {
                    tracing::warn!(ir_key = %key, "{problem}");
                }
                state.problem = problem;
                self.touched.insert(Arc::clone(&key));
            }
            state.again_at = again_at;
            if !actions.is_empty() {
                state.busy = true;
                tasks.push((key, actions));
            } else if state.made_from.is_none() && !state.left_alone && state.problem.is_none() {
                self.fleets.remove(&key);
            }
        }
        tasks
    }

    fn decide(&self, key: &Arc<str>, now: Instant) -> Decision {
        match self.fleets.get(key) {
            Some(FleetState { made_from: Some(_), wanted, applied, .. }) => diff::decide(&Situation {
                fleet: key,
                wanted,
                store: &self.store,
                applied,
                claims: &self.claims,
                complete: self.complete,
                now,
            }),
            Some(FleetState { left_alone: true, again_at, .. }) => {
                let again_at = again_at.or_else(|| now.checked_add(LEFT_ALONE));
                Decision { again_at, ..Decision::default() }
            }
            // In our own namespace everything is ours. In a Gateway's, a fleet we never saw may be another controller's,
            // and goes with its Gateway.
            state if self.complete => {
                let known = state.is_some_and(|state| state.known);
                if !known && self.surroundings.gateway_namespace_mode {
                    return Decision::default();
                }
                let mut actions = diff::tear_down(key, &self.store);
                if !actions.is_empty() && self.translation.as_ref().is_some_and(|it| it.keeps(key)) {
                    let problem = "its GatewayClass or Gateway can't be used, as its status says, so the fleet stays as it \
                                   is until that is corrected";
                    return Decision { problem: Some(problem.to_owned()), ..Decision::default() };
                }
                if !actions.is_empty() && !self.is_served_otherwise(key) {
                    actions.insert(0, Action::Confirm { known });
                }
                Decision { actions, ..Decision::default() }
            }
            _ => Decision::default(),
        }
    }

    /// Whether the translation itself says why a fleet is no more: its Gateway is in another one, or its class, which is
    /// still ours, has no fleet of its own any more.
    fn is_served_otherwise(&self, key: &str) -> bool {
        let Some(translation) = &self.translation else { return false };
        match key.split_once('/') {
            Some((namespace, name)) => translation.gateway(&ObjectKey::new(namespace, name)).is_some(),
            None => translation.classes.contains_key(key),
        }
    }

    /// Takes over what was done to a fleet.
    pub(super) fn done(&mut self, report: Report, now: Instant) {
        let Report { fleet, done, failure } = report;
        let state = self.fleets.entry(Arc::clone(&fleet)).or_default();
        state.busy = false;
        for step in done {
            match step {
                Done::Applied { id, hash, why, existing } => {
                    let rewritten = match &state.wanted {
                        Wanted::Objects(objects) => {
                            let rendered = objects.iter().find(|object| object.id == id && object.hash == hash);
                            rendered.map(|object| covers::mismatches(&object.content, &existing.document()))
                        }
                        Wanted::Keep(_) => None,
                    };
                    let repairs = diff::repairs(state.applied.get(&id), &why, now);
                    let (uid, rewritten) = (existing.uid.clone(), rewritten.unwrap_or_default());
                    state.applied.insert(id.clone(), Applied { uid, hash, rewritten, repairs, at: now });
                    self.touched.extend(self.store.set(id, *existing));
                }
                Done::LeftAlone => state.left_alone = true,
                Done::Deleted { id, uid } => {
                    state.applied.remove(&id);
                    self.dirty.extend(self.claims.get(&id).cloned());
                    self.touched.extend(self.store.remove(&id, Some(&uid)));
                }
            }
        }
        match &failure {
            None => {
                state.backoff.reset();
                state.not_before = None;
            }
            Some(words) => {
                if state.failure != failure {
                    tracing::warn!(ir_key = %fleet, "{words}");
                }
                state.not_before = now.checked_add(state.backoff.next_delay());
            }
        }
        state.failure = failure;
        self.touched.insert(Arc::clone(&fleet));
        self.dirty.insert(fleet);
    }

    /// Begins to lead anew: another replica may have applied something else meanwhile.
    pub(super) fn lead(&mut self) {
        for (key, state) in &mut self.fleets {
            state.applied.clear();
            state.backoff.reset();
            state.not_before = None;
            self.dirty.insert(Arc::clone(key));
        }
        self.dirty.extend(self.store.fleets().cloned());
    }

    /// When something is to be done although nothing happens until then.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        let waiting = self.dirty.iter().filter_map(|key| self.fleets.get(key)).filter(|state| !state.busy);
        let again = self.fleets.values().filter_map(|state| state.again_at);
        waiting.filter_map(|state| state.not_before).chain(again).min()
    }

    /// What is told of fleets, if it is something else than the last time. Nothing is, until every watch has shown what
    /// there is or why it can't: half a picture would say of fleets that run that they don't.
    pub(super) fn news(&mut self) -> Option<LiveFleets> {
        let shown = self.unseen.iter().all(|source| self.blind.contains_key(source));
        if !shown || (self.needs_nodes() && !self.nodes_seen) {
            return None;
        }
        let first = !std::mem::replace(&mut self.told, true);
        let before = self.live.clone();
        for key in std::mem::take(&mut self.touched) {
            let there = self.store.of_fleet(&key).next().is_some();
            if !there && self.fleets.get(&key).is_none_or(|state| state.made_from.is_none() && !state.busy) {
                self.fleets.remove(&key);
                self.dirty.remove(&key);
                self.live.remove(&key);
                continue;
            }
            let state = self.fleets.get(&key);
            let names = |id: &Id| self.claims.get(id).is_some_and(|claimed| *claimed == key);
            let mut live = live::fleet(&key, names, &self.store, &self.nodes);
            let own = state.and_then(|state| state.failure.clone().or_else(|| state.problem.clone()));
            live.problem = own.or_else(|| self.blind.values().next().cloned());
            self.live.insert(key, live);
        }
        (first || before != self.live).then(|| self.live.clone())
    }

    /// How many fleets are remembered.
    #[cfg(test)]
    pub(super) fn remembered(&self) -> usize {
        self.fleets.len().max(self.dirty.len())
    }

    fn touch_all(&mut self) {
        self.touched.extend(self.fleets.keys().cloned());
        self.touched.extend(self.store.fleets().cloned());
    }
}

/// Takes over what a watch of `watched` saw.
fn apply_change<K: Ord + Clone, V>(known: &mut BTreeMap<K, V>, change: Change<K, V>, watched: impl Fn(&K) -> bool) {
    match change {
        Change::All(found) => {
            known.retain(|key, _| !watched(key));
            known.extend(found);
        }
        Change::Set(key, value) => drop(known.insert(key, value)),
        Change::Gone(key) => drop(known.remove(&key)),
        Change::Blind(words) => tracing::warn!("{words}"),
    }
}
