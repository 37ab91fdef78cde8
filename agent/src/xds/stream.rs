//! The protocol of one stream as a state machine without IO: what the proxy asked for, what it has, what is on the way,
//! what it rejected. Both dialects share it; [`super::push`] decides what goes out next.
//!
//! The central value is, for each type, `known`: the resources the proxy has once everything under way is accepted. It
//! is compared with the snapshot only where something changed (`dirty`), so a publication costs what it changed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gateway_shared::xds::table::{Change, Resource, ResourceType, TypeTable};

use super::cache::Snapshot;
use super::push::{Hold, Push};
use super::rejection::{self, Verdict};
use super::subscription::{Shift, Subscription};

/// How a stream behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Behaviour {
    /// The dialect spoken.
    pub dialect: Dialect,
    /// Whether several types share the stream (ADS) and are pushed make-before-break.
    pub ordered: bool,
    /// How long a push may wait for a cluster that was sent and not acknowledged, or was rejected.
    pub hold_limit: Duration,
}

/// The two dialects of xDS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Incremental: responses carry what changed.
    Delta,
    /// State of the world: responses for listeners and clusters carry all of them.
    Sotw,
}

/// What a request told us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The proxy accepted a response.
    Accepted {
        /// The type of the response.
        kind: ResourceType,
        /// Its version.
        version: String,
    },
    /// The proxy rejected a response.
    Rejected {
        /// The type of the response.
        kind: ResourceType,
        /// Its version.
        version: String,
        /// Envoy's words.
        text: String,
        /// The resources found guilty; empty while that is still being found out.
        guilty: Vec<Arc<str>>,
    },
    /// The request answers a response that is not under way; what it says about it was ignored.
    Stale {
        /// The type of the request.
        kind: ResourceType,
    },
}

/// A resource the proxy rejected: it isn't sent again until its content changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// The version that was rejected.
    pub version: u64,
    /// When.
    pub at: Instant,
    /// Envoy's words.
    pub text: Arc<str>,
}

/// A response under way.
#[derive(Clone, Debug)]
pub(super) struct Flight {
    pub(super) nonce: String,
    pub(super) version: String,
    pub(super) sent_at: Instant,
    pub(super) items: Vec<Item>,
}

/// What a response changes for one resource.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) name: Arc<str>,
    pub(super) before: Option<Arc<Resource>>,
    pub(super) after: Option<Arc<Resource>>,
}

/// Resources of a rejected response that named none of them: sent apart from the rest until the guilty one is found.
#[derive(Clone, Debug)]
pub(super) struct Suspects {
    pub(super) names: BTreeSet<Arc<str>>,
    pub(super) since: Instant,
}

/// One type on one stream.
#[derive(Debug, Default)]
pub(super) struct TypeState {
    pub(super) subscription: Subscription,
    /// What the proxy has once all that is under way is accepted.
    pub(super) known: TypeTable,
    /// Names where `known` may differ from what is wanted.
    pub(super) dirty: BTreeSet<Arc<str>>,
    /// Names that need an answer even if it is the same as before, or that there is nothing.
    pub(super) asked: BTreeSet<Arc<str>>,
    /// A response is owed even if it is empty (first request for everything).
    pub(super) owes_answer: bool,
    pub(super) in_flight: VecDeque<Flight>,
    pub(super) rejected: BTreeMap<Arc<str>, Rejected>,
    pub(super) suspects: VecDeque<Suspects>,
    pub(super) held: BTreeMap<Arc<str>, Hold>,
    /// The version with which a SotW client came back, until it was compared with a snapshot.
    pub(super) resumes: Option<String>,
    pub(super) last_nonce: String,
}

/// The state machine of one stream.
#[derive(Debug)]
pub struct Stream {
    pub(super) behaviour: Behaviour,
    pub(super) snapshot: Option<Arc<Snapshot>>,
    pub(super) types: BTreeMap<ResourceType, TypeState>,
    /// When the proxy came back with resources of an earlier stream, if it did.
    pub(super) resumed_at: Option<Instant>,
    pub(super) responses: u64,
}

impl Stream {
    /// A stream on which nothing was said yet.
    #[must_use]
    pub const fn new(behaviour: Behaviour) -> Self {
        Self { behaviour, snapshot: None, types: BTreeMap::new(), resumed_at: None, responses: 0 }
    }

    /// The fleet has a new snapshot. Costs what changed, for types that are subscribed to.
    pub fn on_snapshot(&mut self, snapshot: Arc<Snapshot>) {
        for (kind, state) in &mut self.types {
            let newer = snapshot.table.of(*kind);
            match &self.snapshot {
                Some(old) => state.mark(old.table.of(*kind).changes(newer)),
                None => state.compare_all(newer),
            }
        }
        self.snapshot = Some(snapshot);
    }

    /// The next response, if anything can be sent now. Call until it returns `None`, after every request, every
    /// snapshot and at [`Self::next_deadline`].
    pub fn poll(&mut self, now: Instant) -> Option<Push> {
        loop {
            let before = self.open_ends();
            for kind in ResourceType::ALL {
                if let Some(push) = self.push(kind, now) {
                    return Some(push);
                }
            }
            if self.open_ends() == before {
                return None;
            }
        }
    }

    /// When to call [`Self::poll`] again though nothing happened.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Instant> {
        self.types.values().flat_map(|state| state.held.values()).filter_map(|hold| hold.until).min()
    }

    /// What is not sent yet, and why.
    pub fn held(&self) -> impl Iterator<Item = (ResourceType, &Arc<str>, &Hold)> {
        self.types.iter().flat_map(|(kind, state)| state.held.iter().map(|(name, hold)| (*kind, name, hold)))
    }

    /// What the proxy rejected and still has in an older version, or not at all.
    pub fn rejected(&self, kind: ResourceType) -> impl Iterator<Item = (&Arc<str>, &Rejected)> {
        self.types.get(&kind).into_iter().flat_map(|state| state.rejected.iter())
    }

    /// Whether a rejection of `kind` is still of interest: something is rejected, or it is being found out what.
    pub fn is_rejecting(&self, kind: ResourceType) -> bool {
        self.types.get(&kind).is_some_and(|state| {
            let searching = state.suspects.iter().any(|group| !group.names.is_empty()) || !state.in_flight.is_empty();
            searching || !state.rejected.is_empty()
        })
    }

    /// How many resources of `kind` the proxy subscribes to; `None` if it never asked for the type.
    #[must_use]
    pub fn subscribed(&self, kind: ResourceType) -> Option<usize> {
        let state = self.types.get(&kind)?;
        let all = self.snapshot.as_ref().map_or(0, |snapshot| snapshot.table.of(kind).len());
        Some(if state.subscription.is_wildcard() { all } else { state.subscription.names().len() })
    }

    /// The version of `kind` of which the proxy has all it wants, if it does: nothing is under way, waits or was rejected.
    /// A proxy that comes back with all of it says so without ever acknowledging anything on this stream.
    #[must_use]
    pub fn settled(&self, kind: ResourceType) -> Option<String> {
        let state = self.types.get(&kind)?;
        let TypeState { dirty, asked, owes_answer, in_flight, rejected, suspects, held, resumes, .. } = state;
        let open = !dirty.is_empty() || !asked.is_empty() || *owes_answer || resumes.is_some() || !held.is_empty();
        let disputed = !in_flight.is_empty() || !rejected.is_empty() || suspects.iter().any(|it| !it.names.is_empty());
        let snapshot = self.snapshot.as_ref().filter(|_| !open && !disputed)?;
        Some(snapshot.table.of(kind).version_info())
    }

    fn open_ends(&self) -> usize {
        self.types.values().map(|state| state.dirty.len()).sum()
    }

    /// The state of `kind`, and whether this is the first word about it on this stream.
    pub(super) fn touch(&mut self, kind: ResourceType) -> (&mut TypeState, bool) {
        let first = !self.types.contains_key(&kind);
        (self.types.entry(kind).or_default(), first)
    }

    /// The subscription changed: what is wanted newly has to be looked at, what is not is forgotten.
    pub(super) fn shift(&mut self, kind: ResourceType, shift: Shift) {
        let Some(state) = self.types.get_mut(&kind) else { return };
        let table = self.snapshot.as_ref().map(|snapshot| snapshot.table.of(kind));
        let Shift { added, removed, wildcard_began, wildcard_ended } = shift;
        if wildcard_ended {
            let gone: Vec<_> = state.known.iter().map(|it| Arc::clone(&it.name)).collect();
            let gone = gone.into_iter().chain(std::mem::take(&mut state.dirty));
            for name in gone.filter(|name| !state.subscription.wants(name)).collect::<Vec<_>>() {
                state.forget(&name);
            }
        }
        for name in removed {
            if state.subscription.is_wildcard() {
                // The client can't know whether it is still entitled to this one: tell it again, or that it is gone.
                state.asked.insert(Arc::clone(&name));
                state.dirty.insert(name);
            } else {
                state.forget(&name);
            }
        }
        if let (true, Some(table)) = (wildcard_began, table) {
            state.compare_all(table);
        }
        state.dirty.extend(added);
    }

    /// A request answers the response `nonce`: it accepts it, or rejects it with `error`.
    pub(super) fn answer(&mut self, kind: ResourceType, nonce: &str, error: Option<&str>, now: Instant) -> Event {
        let dialect = self.behaviour.dialect;
        let Some(state) = self.types.get_mut(&kind) else { return Event::Stale { kind } };
        let Some(position) = state.in_flight.iter().position(|flight| flight.nonce == nonce) else {
            return Event::Stale { kind };
        };
        if dialect == Dialect::Sotw {
            // An answer in SotW is about the whole state, so it settles the responses before it as well.
            state.in_flight.drain(..position);
        }
        let position = if dialect == Dialect::Sotw { 0 } else { position };
        let Some(flight) = state.in_flight.remove(position) else { return Event::Stale { kind } };
        match error {
            None => Event::Accepted { kind, version: flight.version },
            Some(text) => {
                let version = flight.version.clone();
                let guilty = state.reject(flight, text, now);
                Event::Rejected { kind, version, text: text.to_owned(), guilty }
            }
        }
    }
}

impl TypeState {
    /// Marks what `changes` touches and the client wants.
    fn mark<'a>(&mut self, changes: impl Iterator<Item = Change<'a>>) {
        for change in changes {
            let name = match change {
                Change::Updated(resource) => &resource.name,
                Change::Removed(name) => name,
            };
            if self.subscription.wants(name) {
                self.dirty.insert(Arc::clone(name));
            }
        }
    }

    /// Marks everything in which the client differs from `table`: on its first request, on the first snapshot.
    pub(super) fn compare_all(&mut self, table: &TypeTable) {
        if let Some(version) = self.resumes.take() {
            let mut view = TypeTable::default();
            if self.subscription.is_wildcard() {
                view = table.clone();
            } else {
                self.subscription.names().iter().filter_map(|name| table.get(name)).for_each(|it| {
                    view.insert(Arc::clone(it));
                });
            }
            if view.version_info() == version {
                self.known = view;
                self.owes_answer = false;
                self.dirty.clear();
                return;
            }
        }
        let known = std::mem::take(&mut self.known);
        self.mark(known.changes(table));
        self.known = known;
        // Names that exist nowhere still need an answer.
        self.dirty.extend(self.asked.iter().cloned());
    }

    /// The client no longer wants `name`, and may throw it away without being told.
    fn forget(&mut self, name: &Arc<str>) {
        self.known.remove(name);
        self.dirty.remove(name);
        self.asked.remove(name);
        self.rejected.remove(name);
        self.held.remove(name);
        for group in &mut self.suspects {
            group.names.remove(name);
        }
    }

    /// The client rejected `flight`: it keeps what it had. Returns the resources it named as the reason.
    fn reject(&mut self, flight: Flight, text: &str, now: Instant) -> Vec<Arc<str>> {
        let Flight { nonce: _, version: _, sent_at: _, items } = flight;
        let updated: Vec<_> = items.iter().filter(|it| it.after.is_some()).map(|it| Arc::clone(&it.name)).collect();
        if updated.is_empty() {
            return Vec::new();
        }
        let Verdict { guilty, rest_applied } = rejection::read(text, &updated);
        let text: Arc<str> = Arc::from(text);
        let mut unsettled = Vec::new();
        for item in items {
            let is_guilty = guilty.contains(&item.name);
            if rest_applied && !is_guilty {
                continue;
            }
            if !self.subscription.wants(&item.name) {
                continue;
            }
            let sent_since = self.in_flight.iter().flat_map(|flight| &flight.items).any(|it| it.name == item.name);
            if sent_since {
                // Its answer is on the way, and decides.
            } else if let (true, Some(after)) = (is_guilty, &item.after) {
                let rejected = Rejected { version: after.version, at: now, text: Arc::clone(&text) };
                self.rejected.insert(Arc::clone(&item.name), rejected);
            } else {
                self.dirty.insert(Arc::clone(&item.name));
                if item.after.is_some() {
                    unsettled.push(Arc::clone(&item.name));
                }
            }
            self.revert(item);
        }
        if guilty.is_empty() {
            let half = unsettled.len().div_ceil(2).max(1);
            for names in unsettled.chunks(half) {
                self.suspects.push_back(Suspects { names: names.iter().cloned().collect(), since: now });
            }
        }
        guilty
    }

    /// Takes back what a rejected response changed, unless a later one already changed it again.
    fn revert(&mut self, item: Item) {
        let later = self.in_flight.iter_mut().flat_map(|flight| &mut flight.items).find(|it| it.name == item.name);
        if let Some(later) = later {
            later.before = item.before;
            return;
        }
        match item.before {
            Some(before) => self.known.insert(before),
            None => self.known.remove(&item.name),
        }
    }
}
