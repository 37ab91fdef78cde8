//! What is kept from one translation of a fleet to the next.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::problem::Problem;
use super::registry::Registry;
use super::resources::Contribution;
use super::route_action::SharedClusters;
use super::slots::Slot;
use super::splice::Host;
use super::table::Resource;
use crate::api::filter_order::FilterPosition;
use crate::ir::{
    AccessLog, BackendCluster, GlobalResources, HttpListener, Metrics, ProxyHealthCheckLog, ReadyListener, TcpListener,
    Tracing, UdpListener, Xds,
};

/// What is kept from one translation of a fleet to the next. An empty one gives the same result, only slower.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    pub(super) registry: Registry,
    pub(super) fleet: Fleet,
    /// Names of clusters that routes share.
    pub(super) shared_names: SharedClusters,
    pub(super) shared_clusters: BTreeMap<Arc<str>, SharedCluster>,
    /// HTTP listeners in the IR's order.
    pub(super) listeners: Vec<ListenerState>,
    pub(super) route_configs: BTreeMap<Arc<str>, RouteConfig>,
    pub(super) ports: BTreeMap<(String, u32), PortState>,
    pub(super) global: Made,
}

/// Contributions with the problems of making them.
#[derive(Clone, Debug, Default)]
pub(super) struct Made {
    pub(super) contributions: Box<[Contribution]>,
    pub(super) problems: Vec<Problem>,
}

/// Everything of the IR but HTTP listeners and shared clusters, as it was last.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fleet {
    ready_listener: Option<ReadyListener>,
    access_log: Option<AccessLog>,
    tracing: Option<Tracing>,
    metrics: Option<Metrics>,
    health_check_log: Option<ProxyHealthCheckLog>,
    tcp: Vec<TcpListener>,
    udp: Vec<UdpListener>,
    filter_order: Vec<FilterPosition>,
    global_resources: Option<GlobalResources>,
}

impl Fleet {
    /// Whether `ir` is still the same here.
    pub(super) fn is_of(&self, ir: &Xds) -> bool {
        // Patches and extension servers come after translation.
        let Xds {
            ready_listener,
            access_log,
            tracing,
            metrics,
            health_check_log,
            http: _,
            tcp,
            udp,
            envoy_patch_policies: _,
            filter_order,
            global_resources,
            extension_server_policies: _,
            backend_clusters: _,
        } = ir;
        self.ready_listener == *ready_listener
            && self.access_log == *access_log
            && self.tracing == *tracing
            && self.metrics == *metrics
            && self.health_check_log == *health_check_log
            && self.tcp == *tcp
            && self.udp == *udp
            && self.filter_order == *filter_order
            && self.global_resources == *global_resources
    }

    /// What routes depend on, whether `ir` is still the same there.
    pub(super) fn routes_see_the_same(&self, ir: &Xds) -> bool {
        self.metrics == ir.metrics && self.health_check_log == ir.health_check_log
    }

    pub(super) fn of(ir: &Xds) -> Self {
        Self {
            ready_listener: ir.ready_listener.clone(),
            access_log: ir.access_log.clone(),
            tracing: ir.tracing.clone(),
            metrics: ir.metrics.clone(),
            health_check_log: ir.health_check_log.clone(),
            tcp: ir.tcp.clone(),
            udp: ir.udp.clone(),
            filter_order: ir.filter_order.clone(),
            global_resources: ir.global_resources.clone(),
        }
    }
}

/// A cluster that routes share, with what it was made from.
#[derive(Clone, Debug)]
pub(super) struct SharedCluster {
    pub(super) source: BackendCluster,
    pub(super) made: Made,
}

/// One HTTP listener with its routes.
#[derive(Clone, Debug)]
pub(super) struct ListenerState {
    /// The listener without its routes.
    pub(super) header: HttpListener,
    /// Whether its routes tell of HTTP/3.
    pub(super) http3: bool,
    /// Secrets of the listener itself.
    pub(super) own: Made,
    pub(super) slots: Vec<Slot>,
    pub(super) hosts: Vec<Host>,
    /// The route configuration its virtual hosts are in.
    pub(super) route_config: Arc<str>,
    /// Where they are in it.
    pub(super) segment: Range<usize>,
}

/// A route configuration and the listeners whose virtual hosts it holds.
#[derive(Clone, Debug)]
pub(super) struct RouteConfig {
    pub(super) members: Vec<String>,
    pub(super) resource: Arc<Resource>,
}

/// Envoy's listeners on one port.
#[derive(Clone, Debug, Default)]
pub(super) struct PortState {
    /// The HTTP listeners they were made from, by name.
    pub(super) members: Vec<String>,
    pub(super) made: Made,
}

/// A copy of `listener` without its routes.
pub(super) fn header_of(listener: &HttpListener) -> HttpListener {
    let HttpListener {
        core,
        hostnames,
        tls,
        tls_overlaps,
        routes: _,
        tcp_keepalive,
        headers,
        proxy_protocol,
        client_ip_detection,
        geo_ip_provider,
        path,
        host,
        http1,
        http2,
        http3,
        grpc,
        health_check,
        timeout,
        connection,
        preserve_route_order,
        match_backend_scheme,
        request_id,
    } = listener;
    HttpListener {
        core: core.clone(),
        hostnames: hostnames.clone(),
        tls: tls.clone(),
        tls_overlaps: *tls_overlaps,
        routes: Vec::new(),
        tcp_keepalive: tcp_keepalive.clone(),
        headers: headers.clone(),
        proxy_protocol: proxy_protocol.clone(),
        client_ip_detection: client_ip_detection.clone(),
        geo_ip_provider: geo_ip_provider.clone(),
        path: path.clone(),
        host: host.clone(),
        http1: http1.clone(),
        http2: http2.clone(),
        http3: *http3,
        grpc: grpc.clone(),
        health_check: health_check.clone(),
        timeout: timeout.clone(),
        connection: connection.clone(),
        preserve_route_order: *preserve_route_order,
        match_backend_scheme: *match_backend_scheme,
        request_id: *request_id,
    }
}
