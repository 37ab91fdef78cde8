//! From one fleet's IR to the table it is served: what changed is made, what didn't is kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use rustc_hash::FxHashMap;

use super::cache::{Cache, Fleet, ListenerState, Made, PortState, RouteConfig, SharedCluster, header_of};
use super::fragment::RouteContext;
use super::global::{add_global, add_shared_cluster};
use super::hcm::Sharer;
use super::options::Options;
use super::problem::Problem;
use super::resources::{Contribution, Resources};
use super::route::alt_svc;
use super::slots::{Change, Slot, update};
use super::sockets::{Port, PortKey, ports, sockets};
use super::splice::{config_head, config_tail, group, write_segment};
use super::table::{Resource, ResourceType, Table};
use super::tls::{sds, secrets};
use super::virtual_host::HostFrame;
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::ir::{HttpListener, Xds};

/// What a fleet is served.
#[derive(Clone, Debug, Default)]
pub struct Translated {
    /// The resources.
    pub table: Table,
    /// What the IR asked for that is not in the table. Everything else is.
    pub problems: Vec<Problem>,
}

/// Translates `ir`. `cache` is what the last translation of this fleet left there, under the same `options`; the result
/// doesn't depend on it.
///
/// # Errors
/// When the IR contradicts itself so that no table would mean what it says. Then nothing is made, the cache stays as it
/// is, and the fleet should keep what it has.
pub fn translate(ir: &Xds, options: &Options, cache: &mut Cache) -> Result<Translated, Vec<Diagnostic>> {
    let faults = contradictions(ir);
    if !faults.is_empty() {
        return Err(faults);
    }
    let mut changes = Changes::default();
    let ports = ports(ir);
    let same_fleet = cache.fleet.is_of(ir);
    let same_routes_context = update_shared_clusters(ir, cache, &mut changes) && cache.fleet.routes_see_the_same(ir);
    let updated = update_listeners(ir, &ports, options, same_routes_context, cache, &mut changes);
    splice_route_configs(ir, options, &updated, cache, &mut changes);
    update_ports(ir, &ports, options, same_fleet, &updated, cache, &mut changes);
    if !same_fleet {
        update_global(ir, options, cache, &mut changes);
    }
    changes.apply(cache);
    Ok(Translated { table: cache.registry.table().clone(), problems: problems(cache) })
}

/// Listeners are told apart by name everywhere: in Envoy, in statuses, in the cache.
fn contradictions(ir: &Xds) -> Vec<Diagnostic> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for (index, listener) in ir.http.iter().enumerate() {
        let name = listener.core.name.as_str();
        let message = if name.is_empty() {
            "the listener has no name".to_owned()
        } else if let Some(first) = seen.insert(name, index) {
            format!("the listener has the name {name} of listener {first}")
        } else {
            continue;
        };
        faults.push(Diagnostic::new(FieldPath::field("name").within_item("http", index), "InvalidListener", message));
    }
    faults
}

/// Contributions that go and come in one run. Going first keeps a content that only moved from looking contested.
#[derive(Debug, Default)]
struct Changes {
    removed: Vec<Contribution>,
    added: Vec<Contribution>,
}

impl Changes {
    /// Puts `new` in the place of `old`.
    fn replace(&mut self, old: Made, new: &Made) {
        self.removed.extend(old.contributions);
        self.added.extend(new.contributions.iter().cloned());
    }

    fn apply(self, cache: &mut Cache) {
        let Cache { registry, listeners, shared_clusters, global, .. } = cache;
        for contribution in &self.removed {
            registry.remove(contribution);
        }
        for contribution in &self.added {
            registry.add(contribution);
        }
        let of_listeners = listeners.iter().flat_map(|listener| {
            let own = listener.own.contributions.iter();
            own.chain(listener.slots.iter().flat_map(|slot| slot.contributions.iter()))
        });
        let of_shared = shared_clusters.values().flat_map(|shared| shared.made.contributions.iter());
        registry.settle(of_listeners.chain(of_shared).chain(global.contributions.iter()));
    }
}

/// Brings shared clusters up to date; tells whether there are still the same names.
fn update_shared_clusters(ir: &Xds, cache: &mut Cache, changes: &mut Changes) -> bool {
    let same_context = cache.fleet.routes_see_the_same(ir);
    let mut old = std::mem::take(&mut cache.shared_clusters);
    for source in &ir.backend_clusters {
        if cache.shared_clusters.contains_key(&source.name) {
            continue;
        }
        let known = old.remove(&source.name);
        if let Some(known) = &known
            && same_context
            && known.source == *source
        {
            cache.shared_clusters.insert(Arc::clone(&source.name), known.clone());
            continue;
        }
        let mut resources = Resources::default();
        let result = add_shared_cluster(source, ir.metrics.as_ref(), ir.health_check_log.as_ref(), &mut resources);
        let made = Made {
            contributions: resources.into_contributions(),
            problems: result.err().map(|invalid| invalid.of(&source.name)).into_iter().collect(),
        };
        changes.replace(known.map(|known| known.made).unwrap_or_default(), &made);
        cache.shared_clusters.insert(Arc::clone(&source.name), SharedCluster { source: source.clone(), made });
    }
    for gone in old.into_values() {
        changes.removed.extend(gone.made.contributions);
    }
    let same_names = cache.shared_names.iter().eq(cache.shared_clusters.keys());
    if !same_names {
        cache.shared_names = cache.shared_clusters.keys().map(Arc::clone).collect();
    }
    same_names
}

/// What became of an HTTP listener in this run.
#[derive(Debug)]
struct Updated {
    /// How its virtual hosts differ.
    change: Change,
    /// Whether its filter chain may differ.
    chain: bool,
    /// The bytes its virtual hosts had.
    old_segment: Bytes,
}

/// Brings the HTTP listeners up to date, in the IR's order.
fn update_listeners(
    ir: &Xds,
    ports: &BTreeMap<PortKey<'_>, Port<'_>>,
    options: &Options,
    same_routes_context: bool,
    cache: &mut Cache,
    changes: &mut Changes,
) -> Vec<Updated> {
    let mut old: FxHashMap<String, ListenerState> =
        std::mem::take(&mut cache.listeners).into_iter().map(|state| (state.header.core.name.clone(), state)).collect();
    let mut updated = Vec::with_capacity(ir.http.len());
    for listener in &ir.http {
        let port = ports.get(&(listener.core.address.as_str(), listener.core.port));
        let http3 = port.is_some_and(Port::serves_http3);
        let route_config: Arc<str> =
            port.map_or_else(|| listener.core.name.clone(), |port| port.route_config(listener, options)).into();
        let mut known = old.remove(&listener.core.name);
        let header = header_of(listener);
        let same_header = known.as_ref().is_some_and(|state| state.header == header);
        let old_segment = known.as_ref().map(|state| segment_of(state, cache)).unwrap_or_default();
        let keeps_fragments =
            same_header && same_routes_context && known.as_ref().is_some_and(|state| state.http3 == http3);
        if !keeps_fragments && let Some(known) = &mut known {
            for slot in std::mem::take(&mut known.slots) {
                changes.removed.extend(slot.contributions);
            }
            known.hosts = Vec::new();
        }
        let own = match &mut known {
            Some(state) if same_header => std::mem::take(&mut state.own),
            known => {
                let own = own_secrets(listener);
                changes.replace(known.as_mut().map(|state| std::mem::take(&mut state.own)).unwrap_or_default(), &own);
                own
            }
        };
        let (mut slots, hosts) = known.map(|state| (state.slots, state.hosts)).unwrap_or_default();
        let alt_svc = http3.then(|| alt_svc(listener.core.external_port));
        let context = RouteContext {
            listener,
            alt_svc: alt_svc.as_ref(),
            metrics: ir.metrics.as_ref(),
            health_check_log: ir.health_check_log.as_ref(),
            shared: &cache.shared_names,
        };
        let routes = update(&mut slots, &listener.routes, &old_segment, &context);
        changes.removed.extend(routes.removed);
        changes.added.extend(routes.added);
        let change = if keeps_fragments { routes.change } else { Change::Regroup };
        let hosts = if change == Change::Regroup { group(&mut slots) } else { hosts };
        cache.listeners.push(ListenerState { header, http3, own, slots, hosts, route_config, segment: 0..0 });
        updated.push(Updated { change, chain: routes.chain || !same_header, old_segment });
    }
    let mut gone: Vec<ListenerState> = old.into_values().collect();
    gone.sort_by(|a, b| a.header.core.name.cmp(&b.header.core.name));
    for state in gone {
        changes.removed.extend(state.own.contributions);
        changes.removed.extend(state.slots.into_iter().flat_map(|slot| slot.contributions));
    }
    updated
}

/// The bytes of a listener's virtual hosts, as they are in the route configuration.
fn segment_of(state: &ListenerState, cache: &Cache) -> Bytes {
    let body = cache.route_configs.get(&state.route_config).map(|config| &config.resource.body);
    let inside = body.filter(|body| state.segment.start <= state.segment.end && state.segment.end <= body.len());
    inside.map(|body| body.slice(state.segment.clone())).unwrap_or_default()
}

/// Secrets that a listener's own TLS needs.
fn own_secrets(listener: &HttpListener) -> Made {
    let mut resources = Resources::default();
    let mut problems = Vec::new();
    if let Some(tls) = &listener.tls {
        for certificate in &tls.certificates {
            resources.optional_secret(secrets::certificate(certificate));
        }
        if let Some(authority) = &tls.ca_certificate {
            resources.optional_secret(secrets::authority(authority, tls.crl.as_ref()));
        }
        for url in sds::servers(&tls.certificates, None) {
            match sds::server_cluster(&url) {
                Ok(cluster) => resources.cluster(&cluster),
                Err(invalid) => problems.push(invalid.of(&listener.core.name)),
            }
        }
    }
    Made { contributions: resources.into_contributions(), problems }
}

/// Splices the route configurations in which something changed.
fn splice_route_configs(ir: &Xds, options: &Options, updated: &[Updated], cache: &mut Cache, changes: &mut Changes) {
    let counts = ir.metrics.as_ref().is_some_and(|metrics| metrics.enable_virtual_host_stats);
    let mut members: BTreeMap<Arc<str>, Vec<usize>> = BTreeMap::new();
    for (index, state) in cache.listeners.iter().enumerate() {
        members.entry(Arc::clone(&state.route_config)).or_default().push(index);
    }
    let mut old = std::mem::take(&mut cache.route_configs);
    for (name, indexes) in members {
        let known = old.remove(&name);
        let names: Vec<String> = indexes
            .iter()
            .filter_map(|index| cache.listeners.get(*index))
            .map(|state| state.header.core.name.clone())
            .collect();
        let unchanged = known.as_ref().is_some_and(|known| known.members == names)
            && indexes.iter().all(|index| updated.get(*index).is_some_and(|one| one.change == Change::Nothing));
        let body = (!unchanged).then(|| splice(&name, &indexes, updated, counts, options, cache));
        let resource = match (known, body) {
            (Some(known), None) => {
                restore_segments(&indexes, updated, &name, cache);
                known.resource
            }
            (known, body) => {
                let resource = Arc::new(Resource::new(Arc::clone(&name), body.unwrap_or_default()));
                changes.removed.extend(known.map(|known| (ResourceType::Route, known.resource)));
                changes.added.push((ResourceType::Route, Arc::clone(&resource)));
                resource
            }
        };
        cache.route_configs.insert(name, RouteConfig { members: names, resource });
    }
    changes.removed.extend(old.into_values().map(|gone| (ResourceType::Route, gone.resource)));
}

/// Encodes one route configuration.
fn splice(
    name: &str,
    indexes: &[usize],
    updated: &[Updated],
    counts: bool,
    options: &Options,
    cache: &mut Cache,
) -> Vec<u8> {
    let expected: usize = indexes.iter().filter_map(|index| updated.get(*index)).map(|one| one.old_segment.len()).sum();
    let mut buffer = Vec::with_capacity(expected + 4096);
    buffer.extend(config_head(name));
    for index in indexes {
        let (Some(state), Some(one)) = (cache.listeners.get_mut(*index), updated.get(*index)) else { continue };
        let frame = HostFrame::new(&state.header, counts, options);
        // Offsets count from the segment's begin, so that a longer neighbour doesn't move them.
        let mut segment = Vec::with_capacity(one.old_segment.len() + 1024);
        write_segment(&mut segment, &mut state.slots, &mut state.hosts, one.change, &one.old_segment, &frame);
        state.segment = buffer.len()..buffer.len() + segment.len();
        buffer.append(&mut segment);
    }
    buffer.extend(config_tail(longest_response(cache, indexes)));
    buffer
}

/// Where nothing changed, segments are where they were: one after the other behind the head.
fn restore_segments(indexes: &[usize], updated: &[Updated], name: &str, cache: &mut Cache) {
    let mut start = config_head(name).len();
    for index in indexes {
        if let (Some(state), Some(one)) = (cache.listeners.get_mut(*index), updated.get(*index)) {
            state.segment = start..start + one.old_segment.len();
            start = state.segment.end;
        }
    }
}

/// The longest response that routes of these listeners give themselves.
fn longest_response(cache: &Cache, indexes: &[usize]) -> usize {
    let slots = indexes.iter().filter_map(|index| cache.listeners.get(*index)).flat_map(|state| &state.slots);
    let length = |slot: &Slot| slot.source.direct_response.as_ref().map(|response| response.body.as_slice().len());
    slots.filter_map(length).max().unwrap_or_default()
}

/// Makes Envoy's listeners on ports where something changed.
fn update_ports(
    ir: &Xds,
    ports: &BTreeMap<PortKey<'_>, Port<'_>>,
    options: &Options,
    same_fleet: bool,
    updated: &[Updated],
    cache: &mut Cache,
    changes: &mut Changes,
) {
    let by_name: FxHashMap<&str, usize> =
        ir.http.iter().enumerate().map(|(index, listener)| (listener.core.name.as_str(), index)).collect();
    let index_of = |listener: &HttpListener| by_name.get(listener.core.name.as_str()).copied();
    let mut old = std::mem::take(&mut cache.ports);
    for ((address, number), port) in ports {
        let key = ((*address).to_owned(), *number);
        let known = old.remove(&key);
        let members: Vec<String> = port.http.iter().map(|listener| listener.core.name.clone()).collect();
        let chains_same = port
            .http
            .iter()
            .all(|listener| index_of(listener).and_then(|index| updated.get(index)).is_some_and(|one| !one.chain));
        if let Some(known) = &known
            && same_fleet
            && chains_same
            && known.members == members
        {
            cache.ports.insert(key, known.clone());
            continue;
        }
        let mut problems = Vec::new();
        let concerning = |listener| Sharer {
            listener,
            routes: index_of(listener)
                .and_then(|index| cache.listeners.get(index))
                .map(|state| {
                    let concerned = state.slots.iter().zip(&listener.routes).filter(|(slot, _)| slot.concerns_chain);
                    concerned.map(|(_, route)| route.as_ref()).collect()
                })
                .unwrap_or_default(),
        };
        let contributions = sockets(port, ir, options, concerning, &mut problems);
        let made = Made { contributions, problems };
        changes.replace(known.map(|known| known.made).unwrap_or_default(), &made);
        cache.ports.insert(key, PortState { members, made });
    }
    for gone in old.into_values() {
        changes.removed.extend(gone.made.contributions);
    }
}

/// Makes what belongs to the fleet as a whole.
fn update_global(ir: &Xds, options: &Options, cache: &mut Cache, changes: &mut Changes) {
    let mut resources = Resources::default();
    let mut problems = Vec::new();
    add_global(ir, options, &mut resources, &mut problems);
    let made = Made { contributions: resources.into_contributions(), problems };
    changes.replace(std::mem::take(&mut cache.global), &made);
    cache.global = made;
    cache.fleet = Fleet::of(ir);
}

/// All problems, in the order of what they are about.
fn problems(cache: &Cache) -> Vec<Problem> {
    let of_listeners = cache
        .listeners
        .iter()
        .flat_map(|state| state.own.problems.iter().chain(state.slots.iter().flat_map(|slot| slot.problems.iter())));
    let of_ports = cache.ports.values().flat_map(|port| &port.made.problems);
    let of_shared = cache.shared_clusters.values().flat_map(|shared| &shared.made.problems);
    of_ports.chain(of_listeners).chain(of_shared).chain(&cache.global.problems).cloned().collect()
}
