//! What goes out next on a stream, and what waits: make before break.
//!
//! On an ordered stream (ADS) clusters and endpoints are never held. A listener or route configuration that mentions a
//! cluster which was sent and is not acknowledged waits for the acknowledgement: Envoy gives it once the cluster is
//! warm. Removals of clusters wait until everything that could still use them has been replaced and acknowledged. Every
//! wait on the proxy ends after [`Behaviour::hold_limit`](super::stream::Behaviour::hold_limit).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gateway_shared::xds::table::{Resource, ResourceType};

use super::cache::Snapshot;
use super::references::{mentioned, mentions};
use super::stream::{Dialect, Flight, Item, Stream, TypeState};

/// After a proxy came back, how long removals wait for it to say all it has: it asks for one type after the other.
const RESUME_PAUSE: Duration = Duration::from_secs(2);

/// A response to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// The type.
    pub kind: ResourceType,
    /// Identifies the response on this stream.
    pub nonce: String,
    /// The version of the whole type.
    pub version_info: String,
    /// Resources to send (in SotW all of them for listeners and clusters).
    pub resources: Vec<Arc<Resource>>,
    /// Names to take away (Delta only).
    pub removals: Vec<Arc<str>>,
}

/// Why a change is not sent yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// Whether the change is a removal.
    pub removal: bool,
    /// What it waits for.
    pub because: Because,
    /// When the wait ends at the latest; `None`: with a change of content only.
    pub until: Option<Instant>,
}

/// What a change waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// It uses a cluster that was sent and is not acknowledged: Envoy is still warming it.
    ClusterNotAcknowledged(Arc<str>),
    /// It uses a cluster that was rejected and doesn't exist in the proxy.
    ClusterRejected(Arc<str>),
    /// Something that may still use it is not replaced yet, or its replacement not acknowledged.
    NotReplacedYet(ResourceType),
    /// The proxy rejected the replacement of this resource, and goes on using what is to be removed.
    StillUsed(ResourceType, Arc<str>),
    /// The proxy reconnected a moment ago and hasn't said yet what it has.
    JustReconnected,
    /// A removal of listeners goes out together with additions, which are waiting.
    AdditionsWait,
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ClusterNotAcknowledged(name) => write!(f, "cluster {name} is not acknowledged yet"),
            Self::ClusterRejected(name) => write!(f, "cluster {name} was rejected"),
            Self::NotReplacedYet(kind) => write!(f, "changes of the {} are not acknowledged yet", kind.label()),
            Self::StillUsed(kind, name) => {
                write!(
                    f,
                    "the proxy rejected the new version of {} {name}, and its old version uses this",
                    kind.label()
                )
            }
            Self::JustReconnected => f.write_str("the proxy reconnected a moment ago"),
            Self::AdditionsWait => f.write_str("the listeners that take its place have to wait"),
        }
    }
}

/// The waits that apply to one type right now.
#[derive(Default)]
struct Gate {
    /// Clusters that listeners and routes must not rely on yet.
    unready: BTreeMap<Arc<str>, (Because, Instant)>,
    /// A wait of all removals.
    removals: Option<(Because, Option<Instant>)>,
    /// What the proxy still uses because it rejected the replacement: blocks removal of what these mention.
    still_used: Vec<(ResourceType, Arc<Resource>)>,
    /// Clusters that are to be removed, and when the wait for their removal ends: their endpoints stay as long.
    leaving: BTreeMap<Arc<str>, Option<Instant>>,
}

impl Stream {
    /// Decides what of `kind` can go out now, and notes it as under way.
    pub(super) fn push(&mut self, kind: ResourceType, now: Instant) -> Option<Push> {
        let snapshot = Arc::clone(self.snapshot.as_ref()?);
        let state = self.types.get_mut(&kind)?;
        if state.dirty.is_empty() && !state.owes_answer {
            state.held.clear();
            return None;
        }
        let gate = if self.behaviour.ordered { self.gate(kind, &snapshot, now) } else { Gate::default() };
        let dialect = self.behaviour.dialect;
        let state = self.types.get_mut(&kind)?;
        let (mut updates, mut removals) = state.sort(kind, &snapshot, &gate, dialect);
        if kind == ResourceType::Listener && !removals.is_empty() && state.held.values().any(|hold| !hold.removal) {
            // One listener may take over the address of another: they change places in one response.
            for name in removals.drain(..) {
                let until = state.held.values().filter_map(|hold| hold.until).min();
                state.held.insert(name, Hold { removal: true, because: Because::AdditionsWait, until });
            }
        }
        state.set_suspects_apart(&mut updates, removals.is_empty(), dialect);
        let owed = state.owes_answer && state.held.values().all(|hold| hold.removal);
        if updates.is_empty() && removals.is_empty() && !owed {
            return None;
        }
        self.commit(kind, &snapshot, updates, removals, now)
    }

    /// Notes `updates` and `removals` as under way and makes the response of them.
    fn commit(
        &mut self,
        kind: ResourceType,
        snapshot: &Snapshot,
        updates: Vec<Arc<Resource>>,
        removals: Vec<Arc<str>>,
        now: Instant,
    ) -> Option<Push> {
        let Shape { delta, full } = Shape::of(self.behaviour.dialect, kind);
        let table = snapshot.table.of(kind);
        let state = self.types.get_mut(&kind)?;
        let mut items = Vec::with_capacity(updates.len().saturating_add(removals.len()));
        for resource in &updates {
            let name = Arc::clone(&resource.name);
            state.settle(&name);
            state.rejected.remove(&name);
            let before = state.known.get(&name).cloned();
            state.known.insert(Arc::clone(resource));
            items.push(Item { name, before, after: Some(Arc::clone(resource)) });
        }
        for name in &removals {
            state.settle(name);
            state.rejected.remove(name);
            let before = state.known.get(name).cloned();
            state.known.remove(name);
            items.push(Item { name: Arc::clone(name), before, after: None });
        }
        if state.dirty.is_empty() && state.known.version_info() == table.version_info() {
            // Equal content: share the snapshot's memory.
            state.known = table.clone();
        }
        if !delta && !full && updates.is_empty() && !state.owes_answer {
            // SotW can't say that an endpoint, route or secret is gone.
            return None;
        }
        state.owes_answer = false;
        self.responses = self.responses.saturating_add(1);
        let nonce = self.responses.to_string();
        let version_info = if delta { table.version_info() } else { state.known.version_info() };
        state.last_nonce.clone_from(&nonce);
        let rewarmed: Vec<Arc<Resource>> = if kind == ResourceType::Cluster {
            items.iter().filter(|it| it.before.is_some()).filter_map(|it| it.after.clone()).collect()
        } else {
            Vec::new()
        };
        let resources = if full { state.known.iter().cloned().collect() } else { updates };
        let flight = Flight { nonce: nonce.clone(), version: version_info.clone(), sent_at: now, items };
        state.in_flight.push_back(flight);
        self.rewarm(snapshot, &rewarmed);
        let removals = if delta { removals } else { Vec::new() };
        Some(Push { kind, nonce, version_info, resources, removals })
    }

    /// Envoy builds a changed cluster anew and waits until its endpoints are *sent*, though it asked for them long ago
    /// and they may not have changed: they go again right behind it. (Envoy 1.39 otherwise leaves such a cluster
    /// unacknowledged for its whole fetch time-out of 15 s; with this it takes milliseconds.)
    fn rewarm(&mut self, snapshot: &Snapshot, clusters: &[Arc<Resource>]) {
        let Some(endpoints) = self.types.get_mut(&ResourceType::Endpoints) else { return };
        for cluster in clusters {
            let lookup = |name: &str| endpoints.known.get(name).map(|it| Arc::clone(&it.name));
            for name in mentioned(&cluster.body, lookup) {
                if snapshot.table.of(ResourceType::Endpoints).get(&name).is_some() {
                    endpoints.asked.insert(Arc::clone(&name));
                    endpoints.dirty.insert(name);
                }
            }
        }
    }

    /// The waits that apply to `kind`.
    fn gate(&self, kind: ResourceType, snapshot: &Snapshot, now: Instant) -> Gate {
        let mut gate = Gate::default();
        match kind {
            ResourceType::Cluster => {
                gate.removals = self
                    .resume_pause(now)
                    .or_else(|| self.unsettled(ResourceType::Listener, now))
                    .or_else(|| self.unsettled(ResourceType::Route, now));
                for kind in [ResourceType::Listener, ResourceType::Route] {
                    gate.still_used.extend(
                        self.rejected(kind)
                            .filter_map(|(name, _)| Some((kind, Arc::clone(self.types.get(&kind)?.known.get(name)?)))),
                    );
                }
            }
            ResourceType::Endpoints => gate.leaving = self.leaving(snapshot, now),
            ResourceType::Listener => gate.unready = self.unready(snapshot, now),
            ResourceType::Route => {
                gate.unready = self.unready(snapshot, now);
                gate.removals = self.unsettled(ResourceType::Listener, now);
            }
            ResourceType::Secret => {
                gate.removals =
                    self.unsettled(ResourceType::Cluster, now).or_else(|| self.unsettled(ResourceType::Listener, now));
            }
            ResourceType::Runtime => {}
        }
        gate
    }

    fn resume_pause(&self, now: Instant) -> Option<(Because, Option<Instant>)> {
        let until = self.resumed_at? + RESUME_PAUSE;
        (now < until).then_some((Because::JustReconnected, Some(until)))
    }

    /// The clusters that the proxy is yet to lose, or was told to and has not acknowledged.
    fn leaving(&self, snapshot: &Snapshot, now: Instant) -> BTreeMap<Arc<str>, Option<Instant>> {
        let mut leaving = BTreeMap::new();
        let Some(clusters) = self.types.get(&ResourceType::Cluster) else { return leaving };
        for flight in &clusters.in_flight {
            let until = flight.sent_at + self.behaviour.hold_limit;
            let removed = flight.items.iter().filter(|it| it.after.is_none() && now < until);
            leaving.extend(removed.map(|it| (Arc::clone(&it.name), Some(until))));
        }
        let gone = |name: &&Arc<str>| {
            snapshot.table.of(ResourceType::Cluster).get(name).is_none() && clusters.known.get(name).is_some()
        };
        leaving.extend(clusters.dirty.iter().filter(gone).map(|name| (Arc::clone(name), None)));
        leaving
    }

    /// Whether changes of `kind` are waiting or under way, within the limit.
    fn unsettled(&self, kind: ResourceType, now: Instant) -> Option<(Because, Option<Instant>)> {
        let state = self.types.get(&kind)?;
        let flights = state.in_flight.iter().map(|flight| flight.sent_at + self.behaviour.hold_limit);
        let until = flights.filter(|until| now < *until).max();
        // What is dirty is either sent in this very round or held, and then its own wait ends some time.
        (until.is_some() || !state.dirty.is_empty()).then_some((Because::NotReplacedYet(kind), until))
    }

    /// The clusters nobody should be sent to yet.
    fn unready(&self, snapshot: &Snapshot, now: Instant) -> BTreeMap<Arc<str>, (Because, Instant)> {
        let mut unready = BTreeMap::new();
        let Some(clusters) = self.types.get(&ResourceType::Cluster) else { return unready };
        let limit = self.behaviour.hold_limit;
        // Envoy acknowledges no cluster while any of them is warming. Once one hangs, its silence says nothing about
        // the others any more, and the acknowledgement of their endpoints has to do.
        let hangs = clusters.in_flight.iter().any(|flight| now >= flight.sent_at + limit);
        for flight in &clusters.in_flight {
            let until = flight.sent_at + limit;
            if now >= until {
                continue;
            }
            for item in flight.items.iter().filter(|it| it.after.is_some()) {
                if !(hangs && self.has_endpoints(snapshot, &item.name)) {
                    let because = Because::ClusterNotAcknowledged(Arc::clone(&item.name));
                    unready.insert(Arc::clone(&item.name), (because, until));
                }
            }
        }
        let rejected = clusters.rejected.iter().map(|(name, rejected)| (name, rejected.at));
        let suspects = clusters.suspects.iter().flat_map(|group| group.names.iter().map(|name| (name, group.since)));
        for (name, since) in rejected.chain(suspects) {
            if now < since + limit && clusters.known.get(name).is_none() {
                unready.insert(Arc::clone(name), (Because::ClusterRejected(Arc::clone(name)), since + limit));
            }
        }
        unready
    }

    /// Whether the proxy acknowledged the endpoints of the cluster `name`, or it has none to wait for.
    fn has_endpoints(&self, snapshot: &Snapshot, name: &str) -> bool {
        if snapshot.table.of(ResourceType::Endpoints).get(name).is_none() {
            return true;
        }
        self.types.get(&ResourceType::Endpoints).is_some_and(|state| {
            state.known.get(name).is_some()
                && !state.asked.contains(name)
                && !state.in_flight.iter().any(|flight| flight.items.iter().any(|it| &*it.name == name))
        })
    }
}

/// How responses of a type look in a dialect.
struct Shape {
    delta: bool,
    /// Every response carries all resources.
    full: bool,
}

impl Shape {
    fn of(dialect: Dialect, kind: ResourceType) -> Self {
        let delta = dialect == Dialect::Delta;
        Self { delta, full: !delta && kind.is_wildcard_by_default() }
    }
}

impl TypeState {
    /// Splits what is dirty into what can be sent now, what can be removed now, and what is held; drops what needs
    /// nothing.
    fn sort(
        &mut self,
        kind: ResourceType,
        snapshot: &Snapshot,
        gate: &Gate,
        dialect: Dialect,
    ) -> (Vec<Arc<Resource>>, Vec<Arc<str>>) {
        let (mut updates, mut removals) = (Vec::new(), Vec::new());
        self.held.clear();
        for name in self.dirty.iter().cloned().collect::<Vec<_>>() {
            let wanted = snapshot.table.of(kind).get(&name).filter(|_| self.subscription.wants(&name));
            let asked = self.asked.contains(&name);
            match (wanted, self.known.get(&name)) {
                (Some(wanted), known) => {
                    if self.rejected.get(&name).is_some_and(|it| it.version == wanted.version) {
                        self.settle(&name);
                    } else if !asked && known.is_some_and(|known| known.version == wanted.version) {
                        self.rejected.remove(&name);
                        self.settle(&name);
                    } else if let Some(hold) = gate.holds_update(snapshot, kind, wanted) {
                        self.held.insert(name, hold);
                    } else {
                        updates.push(Arc::clone(wanted));
                    }
                }
                (None, Some(_)) => match gate.holds_removal(&name) {
                    Some(hold) => drop(self.held.insert(name, hold)),
                    None => removals.push(name),
                },
                (None, None) => {
                    self.rejected.remove(&name);
                    if asked && dialect == Dialect::Delta {
                        // "There is no such resource", so that the proxy doesn't wait for it until its time-out.
                        removals.push(name);
                    } else {
                        self.settle(&name);
                    }
                }
            }
        }
        (updates, removals)
    }

    /// Keeps suspects out of `updates` as long as there is something else to send, and then leaves one group of them,
    /// so that a second rejection can only be about that group.
    fn set_suspects_apart(&mut self, updates: &mut Vec<Arc<Resource>>, no_removals: bool, dialect: Dialect) {
        self.suspects.retain(|group| group.names.iter().any(|name| self.dirty.contains(name)));
        if self.suspects.is_empty() {
            return;
        }
        let suspect = |it: &Arc<Resource>| self.suspects.iter().position(|group| group.names.contains(&it.name));
        let others = updates.iter().any(|it| suspect(it).is_none()) || !no_removals;
        // A SotW client answers the latest response only, so two groups must not be under way together.
        let turn = updates.iter().filter_map(suspect).min();
        let turn = turn.filter(|_| !others && (dialect == Dialect::Delta || self.in_flight.is_empty()));
        updates.retain(|it| suspect(it).is_none_or(|group| Some(group) == turn));
    }

    /// Nothing has to be done about `name` any more.
    fn settle(&mut self, name: &Arc<str>) {
        self.dirty.remove(name);
        self.asked.remove(name);
        for group in &mut self.suspects {
            group.names.remove(name);
        }
    }
}

impl Gate {
    fn holds_update(&self, snapshot: &Snapshot, kind: ResourceType, resource: &Resource) -> Option<Hold> {
        if self.unready.is_empty() {
            return None;
        }
        let clusters = snapshot.clusters_of(kind, resource);
        let (because, until) = clusters.iter().find_map(|name| self.unready.get(name))?.clone();
        Some(Hold { removal: false, because, until: Some(until) })
    }

    fn holds_removal(&self, name: &str) -> Option<Hold> {
        let hold = |because, until| Some(Hold { removal: true, because, until });
        if let Some((because, until)) = &self.removals {
            return hold(because.clone(), *until);
        }
        if let Some(until) = self.leaving.get(name) {
            return hold(Because::NotReplacedYet(ResourceType::Cluster), *until);
        }
        let (kind, user) = self.still_used.iter().find(|(_, user)| mentions(&user.body, name))?;
        hold(Because::StillUsed(*kind, Arc::clone(&user.name)), None)
    }
}
