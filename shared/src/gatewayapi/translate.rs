//! Translation from top to bottom: what changed, the classes, the fleets, the routes, and putting them together.

use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::OrdMap;
use rustc_hash::FxHashSet;

use super::assembly::{Assembly, ListenerSummary, RouteId};
use super::classes::{self, ClassDecision};
use super::decision::{RouteFragment, RouteKind};
use super::fleet::{Fleet, GatewayContext};
use super::fleets::{self, FleetPlan};
use super::memo::Memo;
use super::routes::http::http_route;
use super::routes::tcp::tcp_route;
use super::routes::tls::tls_route;
use super::routes::udp::udp_route;
use super::view::{Attachments, View};
use crate::api::metadata::{Object, ObjectKey};
use crate::config::Config;
use crate::ir;
use crate::resources::{Read, ReadKind, Resources};

/// What all objects together became. A copy is cheap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Translation {
    /// Every GatewayClass that names our controller, by name.
    pub classes: BTreeMap<Arc<str>, ClassDecision>,
    /// Every fleet, by IR key.
    pub fleets: BTreeMap<Arc<str>, Arc<Fleet>>,
    /// Every route, ours or not, with all that was decided about it.
    pub routes: OrdMap<RouteId, Arc<RouteFragment>>,
    /// What assembly found out about each listener, by its IR name.
    pub listeners: BTreeMap<Arc<str>, ListenerSummary>,
    /// The XdsIR of every fleet, by IR key.
    pub xds: BTreeMap<Arc<str>, Arc<ir::xds::Xds>>,
}

impl Translation {
    /// The InfraIR of every fleet, by IR key.
    pub fn infra(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<ir::infra::Infra>)> {
        self.fleets.iter().map(|(key, fleet)| (key, &fleet.infra))
    }

    /// Whether what the fleet `key` has stays as it is (design §6 rules 3 and 25). So it is when none of its Gateways can
    /// be used; and, where it is in no plan any more, when that may be the doing of a fault: without its EnvoyProxy a
    /// class doesn't say whether its Gateways are merged, which fleets are named by.
    #[must_use]
    pub fn keeps(&self, key: &str) -> bool {
        if let Some(fleet) = self.fleets.get(key) {
            return fleet.is_failed();
        }
        match key.split_once('/') {
            Some((namespace, name)) => {
                self.gateway(&ObjectKey::new(namespace, name)).is_some_and(|context| context.failed.is_some())
            }
            None => self.classes.get(key).is_some_and(|class| class.fault.is_some()),
        }
    }

    /// The fleets that are in no plan and that [`Translation::keeps`] would keep.
    pub fn kept_unplanned(&self) -> impl Iterator<Item = String> {
        let classes = self.classes.values().filter(|class| class.fault.is_some()).map(|class| class.name.to_string());
        let contexts = self.fleets.values().flat_map(|fleet| &fleet.gateways);
        let gateways = contexts.filter(|context| context.failed.is_some()).map(|it| it.gateway.key().to_string());
        classes.chain(gateways).filter(|key| !self.fleets.contains_key(key.as_str()))
    }

    /// One Gateway of ours.
    #[must_use]
    pub fn gateway(&self, key: &ObjectKey) -> Option<&Arc<GatewayContext>> {
        let own = self.fleets.get(key.to_string().as_str());
        own.into_iter()
            .chain(self.fleets.values())
            .flat_map(|fleet| &fleet.gateways)
            .find(|context| context.gateway.key() == *key)
    }
}

/// What is kept between translations, for one [`Config`].
#[derive(Debug, Default)]
pub struct Cache {
    resources: Resources,
    fleets: Memo<Arc<str>, Fleet>,
    routes: Memo<RouteId, RouteFragment>,
    attachments: Attachments,
    assembly: Assembly,
    last: Translation,
}

/// Translates `resources`, making again only what depends on something that changed since the last call with `cache`.
/// The result is the same as with an empty cache.
pub fn translate(resources: &Resources, config: &Config, cache: &mut Cache) -> Translation {
    let mut changed = cache.resources.changed_reads(resources);
    let mut touched = FxHashSet::default();
    let classes = classes::decide(resources, config);
    update_fleets(resources, config, &classes, &mut changed, cache);
    update_routes(resources, config, &changed, &mut touched, cache);
    let translation = assemble(classes, &touched, cache);
    cache.resources = resources.clone();
    cache.last = translation.clone();
    translation
}

/// Makes the fleets that are new or depend on something that changed. A Gateway whose routes have to look again is
/// added to what `changed`; one that comes out as it was is not.
fn update_fleets(
    resources: &Resources,
    config: &Config,
    classes: &BTreeMap<Arc<str>, ClassDecision>,
    changed: &mut FxHashSet<Read>,
    cache: &mut Cache,
) {
    let plans = fleets::plan(resources, classes);
    let stale: FxHashSet<Arc<str>> = cache.fleets.readers_of(changed).into_iter().collect();
    let nobody = Attachments::default();
    for plan in &plans {
        let holds = cache.fleets.get(&plan.ir_key).is_some_and(|fleet| fleet.holds_at(resources.now()));
        if holds && !stale.contains(&plan.ir_key) {
            continue;
        }
        let view = View::new(resources, &nobody, config);
        let mut fleet = fleets::fleet(&view, plan);
        let mut reads = view.into_reads();
        reads.extend(plan_reads(plan));
        reads.sort_unstable();
        reads.dedup();
        for context in &mut fleet.gateways {
            let key = context.gateway.key();
            match cache.attachments.get(&key) {
                Some(old) if **old == **context => *context = Arc::clone(old),
                _ => {
                    cache.attachments.insert(key.clone(), Arc::clone(context));
                    changed.insert(Read::new(ReadKind::Attachment, key));
                }
            }
        }
        if let Some(old) = cache.fleets.get(&plan.ir_key) {
            fleet.keep_equal_parts(old);
        }
        for listener in &fleet.frame.http {
            cache.assembly.set_keep_order(&listener.core.name, listener.preserve_route_order);
        }
        cache.fleets.put(Arc::clone(&plan.ir_key), Arc::new(fleet), reads);
    }
    forget_gone_fleets(&plans, changed, cache);
}

/// What a plan itself was made from.
fn plan_reads(plan: &FleetPlan) -> impl Iterator<Item = Read> {
    let gateways = plan.gateways.iter().map(|gateway| Read::new(ReadKind::Gateway, gateway.key()));
    let parameters = plan.class.parameters().map(|key| Read::new(ReadKind::EnvoyProxy, key));
    let class = [ReadKind::GatewayClass, ReadKind::GatewaysOfClass].map(|kind| Read::named(kind, &plan.class.name));
    // A fleet of one Gateway doesn't care which others its class has.
    let merged = plan.class.merge_gateways;
    gateways
        .chain(parameters)
        .chain(class.into_iter().filter(move |read| merged || read.kind == ReadKind::GatewayClass))
}

/// Forgets fleets that are no longer planned, and Gateways that are in no fleet any more.
fn forget_gone_fleets(plans: &[FleetPlan], changed: &mut FxHashSet<Read>, cache: &mut Cache) {
    let planned: FxHashSet<&Arc<str>> = plans.iter().map(|plan| &plan.ir_key).collect();
    let gone: Vec<Arc<str>> = cache.fleets.keys().filter(|key| !planned.contains(key)).cloned().collect();
    for key in &gone {
        cache.fleets.remove(key);
    }
    let served: FxHashSet<ObjectKey> =
        plans.iter().flat_map(|plan| &plan.gateways).map(|gateway| gateway.key()).collect();
    cache.attachments.retain(|key, _| {
        let stays = served.contains(key);
        if !stays {
            changed.insert(Read::new(ReadKind::Attachment, key.clone()));
        }
        stays
    });
}

/// Makes the routes that are new, changed, or depend on something that changed, and moves their pieces in the assembly.
fn update_routes(
    resources: &Resources,
    config: &Config,
    changed: &FxHashSet<Read>,
    touched: &mut FxHashSet<Arc<str>>,
    cache: &mut Cache,
) {
    let mut stale = cache.routes.readers_of(changed);
    stale.extend(changed.iter().filter_map(|read| {
        let kind = match read.kind {
            ReadKind::HttpRoute => RouteKind::Http,
            ReadKind::TlsRoute => RouteKind::Tls,
            ReadKind::TcpRoute => RouteKind::Tcp,
            ReadKind::UdpRoute => RouteKind::Udp,
            _ => return None,
        };
        Some(RouteId { kind, key: read.key.clone() })
    }));
    stale.sort_unstable();
    stale.dedup();
    for id in stale {
        let old = cache.routes.get(&id).cloned();
        let view = View::new(resources, &cache.attachments, config);
        let Some(mut fragment) = route_fragment(&view, resources, &id) else {
            if let Some(old) = old {
                cache.assembly.remove(&old, touched);
                cache.routes.remove(&id);
                cache.last.routes.remove(&id);
            }
            continue;
        };
        let reads = view.into_reads();
        // Equal, and shared with everything else that is kept by it.
        fragment.key = id.key.clone();
        if let Some(old) = old {
            if *old == fragment {
                cache.routes.put(id, old, reads);
                continue;
            }
            fragment.keep_equal_pieces(&old);
            cache.assembly.remove(&old, touched);
        }
        let fragment = Arc::new(fragment);
        let attachments = &cache.attachments;
        cache.assembly.insert(&fragment, |listener| keeps_order(attachments, &fragment, listener), touched);
        cache.last.routes.insert(id.clone(), Arc::clone(&fragment));
        cache.routes.put(id, fragment, reads);
    }
}

/// Makes one route; `None` when there is no such route any more.
fn route_fragment(view: &View<'_>, resources: &Resources, id: &RouteId) -> Option<RouteFragment> {
    let RouteId { kind, key } = id;
    match kind {
        RouteKind::Http => resources.http_routes().get(key).map(|route| http_route(view, route)),
        RouteKind::Tls => resources.tls_routes().get(key).map(|route| tls_route(view, route)),
        RouteKind::Tcp => resources.tcp_routes().get(key).map(|route| tcp_route(view, route)),
        RouteKind::Udp => resources.udp_routes().get(key).map(|route| udp_route(view, route)),
    }
}

/// Whether a listener that `fragment` is attached to keeps its routes in the order of their objects.
fn keeps_order(attachments: &Attachments, fragment: &RouteFragment, listener: &str) -> bool {
    fragment
        .gateways()
        .filter_map(|gateway| attachments.get(gateway))
        .filter(|context| context.listeners.iter().any(|candidate| &*candidate.ir_name == listener))
        .any(|context| context.preserves_route_order())
}

/// Puts the routes into the frames of their fleets. A fleet none of whose parts changed keeps its XdsIR.
fn assemble(classes: BTreeMap<Arc<str>, ClassDecision>, touched: &FxHashSet<Arc<str>>, cache: &Cache) -> Translation {
    let last = &cache.last;
    let mut listeners = last.listeners.clone();
    for listener in touched {
        listeners.insert(Arc::clone(listener), cache.assembly.summary(listener));
    }
    let mut fleets = BTreeMap::new();
    let mut xds = BTreeMap::new();
    let mut keys: Vec<&Arc<str>> = cache.fleets.keys().collect();
    keys.sort_unstable();
    for key in keys {
        let Some(fleet) = cache.fleets.get(key) else { continue };
        let unchanged = last.fleets.get(key).is_some_and(|old| Arc::ptr_eq(&old.frame, &fleet.frame));
        let untouched = || fleet.frame.listeners().all(|listener| !touched.contains(listener.name.as_str()));
        let assembled = match last.xds.get(key) {
            Some(old) if unchanged && untouched() => Arc::clone(old),
            _ => Arc::new(with_routes(&fleet.frame, &cache.assembly)),
        };
        xds.insert(Arc::clone(key), assembled);
        fleets.insert(Arc::clone(key), Arc::clone(fleet));
    }
    listeners.retain(|_, summary| summary.attached > 0);
    Translation { classes, fleets, routes: last.routes.clone(), listeners, xds }
}

/// The frame of a fleet with the routes of its listeners in place.
fn with_routes(frame: &ir::xds::Xds, assembly: &Assembly) -> ir::xds::Xds {
    let mut xds = frame.clone();
    for listener in &mut xds.http {
        listener.routes = assembly.routes(&listener.core.name);
    }
    for listener in &mut xds.tcp {
        listener.routes = assembly.tcp_routes(&listener.core.name);
        if let Some(tls) = &listener.tls {
            for route in &mut listener.routes {
                route.tls.get_or_insert_default().terminate = Some(tls.clone());
            }
        }
    }
    for listener in &mut xds.udp {
        listener.route = assembly.udp_route(&listener.core.name);
    }
    xds
}
