//! Putting the pieces together: the routes of every listener in precedence order, how many are attached, and which overlap.
//!
//! An assembly is kept between runs and changed by what differs: a route's old pieces are taken out and its new ones put
//! in where they belong. The order is total, so it is the same whatever the history was.

use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use rustc_hash::FxHashSet;

use super::decision::{Layer4Route, ListenerOutcome, ParentOutcome, RouteFragment, RouteKind};
use super::overlaps::{OverlapKey, overlap_key};
use super::precedence::Precedence;
use crate::api::metadata::{ObjectKey, Timestamp};
use crate::ir;

/// A route, whatever its kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RouteId {
    /// What kind of route it is.
    pub kind: RouteKind,
    /// Its namespace and name.
    pub key: ObjectKey,
}

/// Where one IR route stands on its listener.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    /// The more specific match first; all equal where the listener keeps the order of the routes.
    precedence: Option<Precedence>,
    /// Kinds are translated one after the other.
    kind: RouteKind,
    /// Older routes first (an object from a file has no age and comes first, as it does for the API server's users).
    created: Option<Timestamp>,
    key: ObjectKey,
    /// The parentRef it is attached by, then its place among what that parentRef gave this listener.
    parent: usize,
    index: usize,
}

/// The routes of one listener.
#[derive(Debug, Default)]
struct ListenerRoutes {
    entries: BTreeMap<Position, Arc<ir::http_route::HttpRoute>>,
    /// Those below HTTP, in the order of their objects.
    layer4: BTreeMap<Position, Layer4Route>,
    /// Whether routes stay in the order of their objects instead of being sorted by precedence (`preserveRouteOrder`).
    keep_order: bool,
    attached: i32,
    /// Who matches exactly the same requests: one entry for each IR route.
    overlaps: OrdMap<OverlapKey, Vec<RouteId>>,
}

/// The routes of all listeners of all fleets.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    /// By the listener's IR name, which is unique across fleets.
    listeners: BTreeMap<Arc<str>, ListenerRoutes>,
}

/// What assembly found out about one listener.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListenerSummary {
    /// How many times a route is attached: once for each parentRef that led here (GatewayAPI `attachedRoutes`).
    pub attached: i32,
    /// The routes that match exactly the same requests.
    overlaps: OrdMap<OverlapKey, Vec<RouteId>>,
}

impl ListenerSummary {
    /// The other routes that match exactly what `route`, which belongs to `owner`, matches.
    pub fn conflicts<'a>(
        &'a self,
        owner: &'a RouteId,
        route: &ir::http_route::HttpRoute,
    ) -> impl Iterator<Item = &'a RouteId> {
        self.overlaps.get(&overlap_key(route)).into_iter().flatten().filter(move |other| *other != owner)
    }

    /// The routes that have, or had in `earlier`, company in matching a request, where that company changed. Costs in
    /// time what differs.
    pub fn rivals_changed_since<'a>(&'a self, earlier: &'a Self) -> impl Iterator<Item = &'a RouteId> {
        earlier.overlaps.diff(&self.overlaps).flat_map(|item| {
            let (old, new): (&[RouteId], &[RouteId]) = match item {
                DiffItem::Add(_, new) => (&[], new),
                DiffItem::Update { old: (_, old), new: (_, new) } => (old, new),
                DiffItem::Remove(_, old) => (old, &[]),
            };
            old.iter().chain(new).filter(move |_| old.len() > 1 || new.len() > 1)
        })
    }
}

impl Assembly {
    /// Takes the pieces of `fragment` out, adding the listeners it stood on to `touched`.
    pub(super) fn remove(&mut self, fragment: &RouteFragment, touched: &mut FxHashSet<Arc<str>>) {
        for piece in pieces(fragment) {
            let Some(listener) = self.listeners.get_mut(piece.listener) else { continue };
            listener.attached -= 1;
            for (index, route) in piece.routes.iter().enumerate() {
                if listener.entries.remove(&piece.position(index, route, listener.keep_order)).is_some() {
                    listener.forget_overlap(&piece.owner(), route);
                }
            }
            if piece.layer4.is_some() {
                listener.layer4.remove(&piece.place(0, None));
            }
            if listener.attached <= 0 && listener.entries.is_empty() && listener.layer4.is_empty() {
                self.listeners.remove(piece.listener);
            }
            touched.insert(Arc::clone(piece.listener));
        }
    }

    /// Puts the pieces of `fragment` in, adding the listeners it stands on to `touched`.
    pub(super) fn insert(
        &mut self,
        fragment: &RouteFragment,
        keeps_order: impl Fn(&str) -> bool,
        touched: &mut FxHashSet<Arc<str>>,
    ) {
        for piece in pieces(fragment) {
            let listener = self.listeners.entry(Arc::clone(piece.listener)).or_insert_with(|| ListenerRoutes {
                keep_order: keeps_order(piece.listener),
                ..ListenerRoutes::default()
            });
            listener.attached += 1;
            for (index, route) in piece.routes.iter().enumerate() {
                listener.entries.insert(piece.position(index, route, listener.keep_order), Arc::clone(route));
                // Nearly always there is one.
                let owners = listener.overlaps.entry(overlap_key(route)).or_insert_with(|| Vec::with_capacity(1));
                // In order, whoever came first, so that a full and an incremental run agree.
                let owner = piece.owner();
                owners.insert(owners.partition_point(|other| *other <= owner), owner);
            }
            if let Some(route) = piece.layer4 {
                listener.layer4.insert(piece.place(0, None), route.clone());
            }
            touched.insert(Arc::clone(piece.listener));
        }
    }

    /// Says anew whether the routes of `listener` keep their order; sorts them again where that changed.
    pub(super) fn set_keep_order(&mut self, listener: &str, keep_order: bool) {
        let Some(listener) = self.listeners.get_mut(listener) else { return };
        if listener.keep_order != keep_order {
            listener.keep_order = keep_order;
            listener.entries = std::mem::take(&mut listener.entries)
                .into_iter()
                .map(|(position, route)| {
                    let precedence = (!keep_order).then(|| Precedence::of(&route));
                    (Position { precedence, ..position }, route)
                })
                .collect();
        }
    }

    /// The routes of one listener, in order.
    pub(super) fn routes(&self, listener: &str) -> Vec<Arc<ir::http_route::HttpRoute>> {
        self.listeners.get(listener).map(|listener| listener.entries.values().cloned().collect()).unwrap_or_default()
    }

    /// What one TCP or TLS listener serves: every TLSRoute, since server names tell them apart, or else the first
    /// TCPRoute, since nothing tells those apart. They all count as attached.
    pub(super) fn tcp_routes(&self, listener: &str) -> Vec<ir::tcp_listener::TcpRoute> {
        let Some(listener) = self.listeners.get(listener) else { return Vec::new() };
        let tcp = |(position, route): (&Position, &Layer4Route)| match route {
            Layer4Route::Tcp(route) => Some((position.kind, (**route).clone())),
            Layer4Route::Udp(_) => None,
        };
        let mut routes = listener.layer4.iter().filter_map(tcp).peekable();
        match routes.peek() {
            Some((RouteKind::Tls, _)) => {
                routes.take_while(|(kind, _)| *kind == RouteKind::Tls).map(|(_, route)| route).collect()
            }
            _ => routes.take(1).map(|(_, route)| route).collect(),
        }
    }

    /// What one UDP listener serves: the first UDPRoute. They all count as attached.
    pub(super) fn udp_route(&self, listener: &str) -> Option<ir::udp_listener::UdpRoute> {
        self.listeners.get(listener)?.layer4.values().find_map(|route| match route {
            Layer4Route::Udp(route) => Some((**route).clone()),
            Layer4Route::Tcp(_) => None,
        })
    }

    /// What was found out about one listener.
    pub(super) fn summary(&self, listener: &str) -> ListenerSummary {
        self.listeners.get(listener).map_or_else(ListenerSummary::default, |listener| ListenerSummary {
            attached: listener.attached,
            overlaps: listener.overlaps.clone(),
        })
    }
}

impl ListenerRoutes {
    fn forget_overlap(&mut self, owner: &RouteId, route: &ir::http_route::HttpRoute) {
        let key = overlap_key(route);
        let Some(owners) = self.overlaps.get_mut(&key) else { return };
        if let Some(at) = owners.iter().position(|other| other == owner) {
            owners.remove(at);
        }
        if owners.is_empty() {
            self.overlaps.remove(&key);
        }
    }
}

/// What one parentRef of a route gives one listener.
struct Piece<'a> {
    fragment: &'a RouteFragment,
    parent: usize,
    listener: &'a Arc<str>,
    routes: &'a [Arc<ir::http_route::HttpRoute>],
    layer4: Option<&'a Layer4Route>,
}

impl Piece<'_> {
    fn owner(&self) -> RouteId {
        RouteId { kind: self.fragment.kind, key: self.fragment.key.clone() }
    }

    fn position(&self, index: usize, route: &ir::http_route::HttpRoute, keep_order: bool) -> Position {
        self.place(index, (!keep_order).then(|| Precedence::of(route)))
    }

    fn place(&self, index: usize, precedence: Option<Precedence>) -> Position {
        Position {
            precedence,
            kind: self.fragment.kind,
            created: self.fragment.created,
            key: self.fragment.key.clone(),
            parent: self.parent,
            index,
        }
    }
}

fn pieces(fragment: &RouteFragment) -> impl Iterator<Item = Piece<'_>> {
    fragment.parents.iter().flat_map(move |parent| {
        let listeners = match &parent.outcome {
            ParentOutcome::Ours { listeners, .. } => listeners.as_slice(),
            ParentOutcome::ForeignKind
            | ParentOutcome::NoSuchGateway { .. }
            | ParentOutcome::ForeignClass { .. }
            | ParentOutcome::FailedGateway { .. } => &[],
        };
        listeners.iter().filter_map(move |decision| match &decision.outcome {
            ListenerOutcome::Attached { routes, layer4, hostnames: _, listener_ready: _ } => Some(Piece {
                fragment,
                parent: parent.index,
                listener: &decision.ir_name,
                routes,
                layer4: layer4.as_ref(),
            }),
            _ => None,
        })
    })
}
