//! Which names go with which object: object ⇄ IR ⇄ Envoy resources.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use envoy_types::pb::envoy::config::listener::v3::filter::ConfigType;
use envoy_types::pb::envoy::config::listener::v3::listener_filter::ConfigType as ListenerFilterConfig;
use envoy_types::pb::envoy::config::listener::v3::{Filter, FilterChain, Listener};
use envoy_types::pb::envoy::config::route::v3::RouteConfiguration;
use envoy_types::pb::envoy::extensions::filters::network::http_connection_manager::v3::HttpConnectionManager;
use envoy_types::pb::envoy::extensions::filters::network::http_connection_manager::v3::http_connection_manager::RouteSpecifier;
use envoy_types::pb::envoy::extensions::filters::network::tcp_proxy::v3::TcpProxy;
use envoy_types::pb::envoy::extensions::filters::network::tcp_proxy::v3::tcp_proxy::ClusterSpecifier;
use envoy_types::pb::envoy::extensions::filters::udp::udp_proxy::v3::udp_proxy_config::RouteSpecifier as UdpRouteSpecifier;
use envoy_types::pb::envoy::extensions::filters::udp::udp_proxy::v3::{Route as UdpRoute, UdpProxyConfig};
use envoy_types::pb::google::protobuf::Any;
use envoy_types::pb::xds::r#type::matcher::v3::matcher::on_match::OnMatch;
use prost::Message as _;

use super::facts::Facts;
use super::report::Became;
use crate::gatewayapi::decision::{Layer4Route, ListenerOutcome, ParentDecision, ParentOutcome};
use crate::ir::destination::RouteDestination;
use crate::ir::http_route::HttpRoute;
use crate::xds::table::{ResourceType, Table};

/// What an object became in one fleet, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    /// Envoy listeners.
    pub listeners: BTreeSet<String>,
    /// Route configurations: one for each IR listener, or one for several on one port.
    pub route_configurations: BTreeSet<String>,
    /// Clusters; IR destinations go by the same names.
    pub clusters: BTreeSet<String>,
    /// Virtual hosts; named only for Routes.
    pub virtual_hosts: BTreeSet<String>,
}

/// What an object became, by the IR key of the fleet.
pub type Provenance = BTreeMap<Arc<str>, Pieces>;

/// What a Route became through `parents`.
pub(super) fn of_route(facts: &Facts<'_>, parents: &[&ParentDecision]) -> Provenance {
    let mut provenance = Provenance::new();
    for parent in parents {
        let ParentOutcome::Ours { ir_key, listeners, .. } = &parent.outcome else { continue };
        let index = facts.index(ir_key);
        for listener in listeners {
            let ListenerOutcome::Attached { routes, layer4, listener_ready: true, hostnames: _ } = &listener.outcome
            else {
                continue;
            };
            if let Some(destination) = layer4.as_ref().and_then(Layer4Route::destination) {
                let pieces = provenance.entry(Arc::clone(ir_key)).or_default();
                let clusters = clusters(destination);
                pieces.listeners.extend(clusters.iter().filter_map(|name| index.proxied.get(name)).flatten().cloned());
                pieces.clusters.extend(clusters);
            }
            if routes.is_empty() {
                continue;
            }
            let pieces = provenance.entry(Arc::clone(ir_key)).or_default();
            for route in routes {
                // A route that is nowhere has to be looked for under its listener's own name.
                let host = index.hosts.get(&*route.name);
                let configuration = host.map_or(&*listener.ir_name, |(configuration, _)| configuration);
                pieces.listeners.extend(index.listeners.get(configuration).cloned());
                pieces.route_configurations.insert(configuration.to_owned());
                pieces.virtual_hosts.extend(host.map(|(_, host)| host.clone()));
                pieces.clusters.extend(destinations(route).flat_map(clusters));
            }
        }
    }
    provenance
}

/// Everything in the snapshots of `fleets`.
pub(super) fn of_fleets<'k>(facts: &Facts<'_>, fleets: impl IntoIterator<Item = &'k Arc<str>>) -> Provenance {
    let names = |table: &Table, kind| table.of(kind).iter().map(|resource| resource.name.to_string()).collect();
    fleets
        .into_iter()
        .map(|ir_key| {
            let pieces = facts.table(ir_key).map(|table| Pieces {
                listeners: names(table, ResourceType::Listener),
                route_configurations: names(table, ResourceType::Route),
                clusters: names(table, ResourceType::Cluster),
                virtual_hosts: BTreeSet::new(),
            });
            (Arc::clone(ir_key), pieces.unwrap_or_default())
        })
        .collect()
}

impl Pieces {
    /// Every resource, by type and name, in the order they are named in summaries.
    pub(super) fn resources(&self) -> impl Iterator<Item = (ResourceType, &str)> {
        let Self { listeners, route_configurations, clusters, virtual_hosts: _ } = self;
        let listeners = listeners.iter().map(|name| (ResourceType::Listener, name.as_str()));
        let routes = route_configurations.iter().map(|name| (ResourceType::Route, name.as_str()));
        let clusters = clusters.iter().map(|name| (ResourceType::Cluster, name.as_str()));
        listeners.chain(routes).chain(clusters)
    }

    /// Whether the resource of `kind` called `name` is one of these.
    pub(super) fn holds(&self, kind: ResourceType, name: &str) -> bool {
        match kind {
            ResourceType::Listener => self.listeners.contains(name),
            ResourceType::Route => self.route_configurations.contains(name),
            ResourceType::Cluster | ResourceType::Endpoints => self.clusters.contains(name),
            ResourceType::Secret | ResourceType::Runtime => false,
        }
    }
}

/// The destinations of an IR route: its own and those of mirrors.
pub(super) fn destinations(route: &HttpRoute) -> impl Iterator<Item = &RouteDestination> {
    let mirrors = route.mirrors.iter().map(|mirror| &*mirror.destination);
    route.destination.as_deref().into_iter().chain(mirrors)
}

/// The clusters of a destination: one, or one for each setting that has filters of its own or is shared.
fn clusters(destination: &RouteDestination) -> Vec<String> {
    let valid: Vec<_> = destination.settings.iter().filter(|setting| !setting.invalid).collect();
    let shared = destination.backend_cluster_refs.iter().map(|shared| shared.name.to_string());
    let own = if valid.is_empty() {
        Vec::new()
    } else if destination.settings.iter().any(|setting| setting.filters.is_some()) {
        valid.iter().map(|setting| setting.name.to_string()).collect()
    } else {
        vec![destination.name.to_string()]
    };
    own.into_iter().chain(shared).collect()
}

/// The same for a report.
pub(super) fn for_report(provenance: &Provenance) -> Vec<Became> {
    let list = |names: &BTreeSet<String>| names.iter().cloned().collect();
    let became = provenance.iter().map(|(fleet, pieces)| {
        let Pieces { listeners, route_configurations, clusters, virtual_hosts } = pieces;
        Became {
            fleet: fleet.to_string(),
            listeners: list(listeners),
            route_configurations: list(route_configurations),
            virtual_hosts: list(virtual_hosts),
            clusters: list(clusters),
        }
    });
    became.collect()
}

/// Which resource of a table holds what.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// By route configuration: the listener that takes it.
    listeners: BTreeMap<String, String>,
    /// By cluster: the listeners that send connections or datagrams straight to it.
    proxied: BTreeMap<String, BTreeSet<String>>,
    /// By route: its route configuration and virtual host.
    hosts: BTreeMap<String, (String, String)>,
}

impl Index {
    /// The index of `table`.
    pub(super) fn of(table: &Table) -> Self {
        let mut index = Self::default();
        for resource in table.of(ResourceType::Listener).iter() {
            let Ok(listener) = Listener::decode(resource.body.as_ref()) else { continue };
            let filters = listener.listener_filters.iter().filter_map(|filter| match &filter.config_type {
                Some(ListenerFilterConfig::TypedConfig(config)) => Some(config),
                _ => None,
            });
            for cluster in filters.flat_map(udp_clusters) {
                index.proxied.entry(cluster).or_default().insert(resource.name.to_string());
            }
            for chain in listener.filter_chains.iter().chain(&listener.default_filter_chain) {
                index.listeners.extend(route_configurations(chain).map(|name| (name, resource.name.to_string())));
                for cluster in chain.filters.iter().flat_map(tcp_clusters) {
                    index.proxied.entry(cluster).or_default().insert(resource.name.to_string());
                }
            }
        }
        for resource in table.of(ResourceType::Route).iter() {
            let Ok(configuration) = RouteConfiguration::decode(resource.body.as_ref()) else { continue };
            for host in configuration.virtual_hosts {
                let place = (resource.name.to_string(), host.name);
                index.hosts.extend(host.routes.into_iter().map(|route| (route.name, place.clone())));
            }
        }
        index
    }
}

/// The clusters that a filter sends connections to.
fn tcp_clusters(filter: &Filter) -> Vec<String> {
    let Some(ConfigType::TypedConfig(config)) = &filter.config_type else { return Vec::new() };
    if !config.type_url.ends_with(".TcpProxy") {
        return Vec::new();
    }
    match TcpProxy::decode(config.value.as_slice()).ok().and_then(|proxy| proxy.cluster_specifier) {
        Some(ClusterSpecifier::Cluster(name)) => vec![name],
        Some(ClusterSpecifier::WeightedClusters(weighted)) => {
            weighted.clusters.into_iter().map(|cluster| cluster.name).collect()
        }
        None => Vec::new(),
    }
}

/// The cluster that a listener filter sends datagrams to.
fn udp_clusters(config: &Any) -> Option<String> {
    if !config.type_url.ends_with(".UdpProxyConfig") {
        return None;
    }
    let proxy = UdpProxyConfig::decode(config.value.as_slice()).ok()?;
    let UdpRouteSpecifier::Matcher(matcher) = proxy.route_specifier? else { return None };
    // A UDP listener has one route, which is taken whatever comes.
    let OnMatch::Action(action) = matcher.on_no_match?.on_match? else { return None };
    let route = UdpRoute::decode(action.typed_config?.value.as_slice()).ok()?;
    Some(route.cluster)
}

/// The route configurations that a filter chain asks for.
fn route_configurations(chain: &FilterChain) -> impl Iterator<Item = String> {
    chain.filters.iter().filter_map(|filter| {
        let Some(ConfigType::TypedConfig(config)) = &filter.config_type else { return None };
        let manager = HttpConnectionManager::decode(config.value.as_slice()).ok()?;
        match manager.route_specifier? {
            RouteSpecifier::Rds(rds) if config.type_url.ends_with(".HttpConnectionManager") => {
                Some(rds.route_config_name)
            }
            _ => None,
        }
    })
}
