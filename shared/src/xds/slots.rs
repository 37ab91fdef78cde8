//! The routes of one listener as they were made last, and what of them can stay: fragments are kept by the identity of
//! their route, so a run makes only those whose route is a new object.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::fragment::{Fragment, RouteContext, fragment};
use super::problem::Problem;
use super::resources::Contribution;
use crate::ir::HttpRoute;

/// One route with what it became.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// The route it was made from; the same object means the same fragment.
    pub(super) source: Arc<HttpRoute>,
    /// Where its encoded Envoy route begins in the listener's segment of the route configuration.
    pub(super) start: usize,
    /// How long it is; 0 when the route couldn't be made.
    pub(super) len: usize,
    /// The encoded Envoy route until it is in the segment.
    pub(super) fresh: Option<Box<[u8]>>,
    /// Which virtual host it is in.
    pub(super) host: usize,
    pub(super) contributions: Box<[Contribution]>,
    pub(super) problems: Box<[Problem]>,
    /// Whether the connection manager depends on it.
    pub(super) concerns_chain: bool,
}

impl Slot {
    fn new(source: &Arc<HttpRoute>, context: &RouteContext<'_>) -> Self {
        let Fragment { route, contributions, concerns_chain, problems } = fragment(source, context);
        let fresh = route.map(Vec::into_boxed_slice);
        Self {
            source: Arc::clone(source),
            start: 0,
            len: fresh.as_ref().map_or(0, |bytes| bytes.len()),
            fresh,
            host: 0,
            contributions,
            problems: problems.into_boxed_slice(),
            concerns_chain,
        }
    }
}

/// How the virtual hosts of a listener differ from the last run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    /// Not at all, byte for byte.
    Nothing,
    /// Some routes have other bytes; all are where they were.
    InPlace,
    /// Routes came, went, moved or changed hosts.
    Regroup,
}

/// What an update did, besides to the slots.
#[derive(Debug)]
pub(super) struct Update {
    pub(super) change: Change,
    /// Whether the connection manager may look different.
    pub(super) chain: bool,
    /// Contributions that are no longer made.
    pub(super) removed: Vec<Contribution>,
    /// Contributions that are new.
    pub(super) added: Vec<Contribution>,
}

/// Brings `slots` up to date with `routes`. `segment` holds the bytes they were encoded to last.
pub(super) fn update(
    slots: &mut Vec<Slot>,
    routes: &[Arc<HttpRoute>],
    segment: &[u8],
    context: &RouteContext<'_>,
) -> Update {
    match replaced(slots, routes) {
        Some(indexes) => replace(slots, routes, &indexes, segment, context),
        None => rearrange(slots, routes, context),
    }
}

/// The indexes of routes that are new objects, when all routes are where they were under their old names.
fn replaced(slots: &[Slot], routes: &[Arc<HttpRoute>]) -> Option<Vec<usize>> {
    if slots.len() != routes.len() {
        return None;
    }
    let mut indexes = Vec::new();
    for (index, (slot, route)) in slots.iter().zip(routes).enumerate() {
        if Arc::ptr_eq(&slot.source, route) {
            continue;
        }
        if slot.source.name != route.name || slot.source.hostname != route.hostname {
            return None;
        }
        indexes.push(index);
    }
    Some(indexes)
}

fn replace(
    slots: &mut [Slot],
    routes: &[Arc<HttpRoute>],
    indexes: &[usize],
    segment: &[u8],
    context: &RouteContext<'_>,
) -> Update {
    let mut update = Update { change: Change::Nothing, chain: false, removed: Vec::new(), added: Vec::new() };
    for index in indexes {
        let (Some(slot), Some(route)) = (slots.get_mut(*index), routes.get(*index)) else { continue };
        let mut new = Slot::new(route, context);
        update.chain |= slot.concerns_chain || new.concerns_chain;
        new.host = slot.host;
        let old = segment.get(slot.start..slot.start + slot.len).filter(|bytes| !bytes.is_empty());
        if new.fresh.as_deref() == old {
            new.start = slot.start;
            new.fresh = None;
        } else {
            update.change = Change::InPlace;
        }
        exchange(&slot.contributions, &mut new.contributions, &mut update);
        *slot = new;
    }
    update
}

/// Notes what changes between two fragments of one route; what is equal in both is kept as it is.
fn exchange(old: &[Contribution], new: &mut [Contribution], update: &mut Update) {
    let mut gone: Vec<&Contribution> = old.iter().collect();
    for contribution in new {
        let kept = gone.iter().position(|(kind, resource)| *kind == contribution.0 && *resource == contribution.1);
        match kept {
            Some(at) => contribution.1 = Arc::clone(&gone.swap_remove(at).1),
            None => update.added.push(contribution.clone()),
        }
    }
    update.removed.extend(gone.into_iter().cloned());
}

fn rearrange(slots: &mut Vec<Slot>, routes: &[Arc<HttpRoute>], context: &RouteContext<'_>) -> Update {
    let mut update = Update { change: Change::Regroup, chain: false, removed: Vec::new(), added: Vec::new() };
    let mut gone: Vec<Slot> = Vec::new();
    let mut kept: FxHashMap<*const HttpRoute, Slot> = FxHashMap::default();
    for slot in std::mem::take(slots) {
        // A route that is there twice is kept once.
        gone.extend(kept.insert(Arc::as_ptr(&slot.source), slot));
    }
    slots.reserve_exact(routes.len());
    for route in routes {
        slots.push(kept.remove(&Arc::as_ptr(route)).unwrap_or_else(|| {
            let slot = Slot::new(route, context);
            update.chain |= slot.concerns_chain;
            update.added.extend(slot.contributions.iter().cloned());
            slot
        }));
    }
    // Where routes that concern the chain change places, the first of them may be another one.
    update.chain |= slots.iter().any(|slot| slot.concerns_chain);
    gone.extend(kept.into_values());
    gone.sort_by(|a, b| a.source.name.cmp(&b.source.name));
    for slot in gone {
        update.chain |= slot.concerns_chain;
        update.removed.extend(slot.contributions);
    }
    update
}
