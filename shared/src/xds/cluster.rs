//! Clusters: one destination, or one backend of it, with its endpoints and the secrets they need.

use super::admission_control;
use super::circuit_breaker::circuit_breakers;
use super::config_source::ads_with_default_wait;
use super::credential_injector;
use super::destination::{EndpointType, endpoint_type};
use super::dns;
use super::encode::pack;
use super::endpoints::{load_assignment, transport_socket_name};
use super::health_check::health_check;
use super::load_balancing::{cluster_provided, load_balancing};
use super::metadata::metadata;
use super::outlier_detection::outlier_detection;
use super::pb::cluster::{
    Cluster, TrackClusterStats, UpstreamConnectionOptions, cluster,
    cluster::{ClusterDiscoveryType, TransportSocketMatch},
};
use super::pb::core::{TcpKeepalive as EnvoyKeepalive, TransportSocket};
use super::pb::extensions::filters::http::upstream_codec::v3::UpstreamCodec;
use super::pb::hcm::{HttpFilter, http_filter};
use super::pb::wkt;
use super::problem::Invalid;
use super::protocol_options::{self, Needs};
use super::proxy_protocol::with_proxy_header;
use super::resources::Resources;
use super::tls::{
    secrets,
    upstream::{placeholder_socket, upstream_socket},
};
use super::values::{duration, percent, seconds, structure, text, uint32};
use crate::api::envoy_proxy::IpFamily;
use crate::ir::{
    AdmissionControl, AppProtocol, BackendConnection, CircuitBreaker, ClusterTrafficFeatures, DestinationSetting, Dns,
    HealthCheck, Http1Settings, Http2Settings, LoadBalancer, Metrics, Preconnect, ProxyHealthCheckLog, ProxyProtocol,
    ResourceMetadata, RouteDestination, TcpKeepalive, Timeout,
};

const BUFFER_LIMIT: u32 = 32 * 1024;
const CONNECT_SECONDS: i64 = 10;
/// Envoy's own panic threshold, which needn't be sent.
const DEFAULT_PANIC_THRESHOLD: u32 = 50;

/// What traffic policies say of a cluster.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Traffic<'a> {
    pub(super) load_balancer: Option<&'a LoadBalancer>,
    pub(super) proxy_protocol: Option<&'a ProxyProtocol>,
    pub(super) health_check: Option<&'a HealthCheck>,
    pub(super) admission_control: Option<&'a AdmissionControl>,
    pub(super) circuit_breaker: Option<&'a CircuitBreaker>,
    pub(super) timeout: Option<&'a Timeout>,
    pub(super) tcp_keepalive: Option<&'a TcpKeepalive>,
    pub(super) backend_connection: Option<&'a BackendConnection>,
    pub(super) http2: Option<&'a Http2Settings>,
    pub(super) dns: Option<&'a Dns>,
}

impl<'a> Traffic<'a> {
    /// What the cluster's part of a policy says.
    pub(super) fn of(source: Option<&'a ClusterTrafficFeatures>) -> Self {
        let Some(source) = source else { return Self::default() };
        let ClusterTrafficFeatures {
            load_balancer,
            proxy_protocol,
            health_check,
            admission_control,
            circuit_breaker,
            timeout,
            tcp_keepalive,
            backend_connection,
            http2,
            dns,
        } = source;
        Self {
            load_balancer: load_balancer.as_ref(),
            proxy_protocol: proxy_protocol.as_ref(),
            health_check: health_check.as_ref(),
            admission_control: admission_control.as_ref(),
            circuit_breaker: circuit_breaker.as_ref(),
            timeout: timeout.as_ref(),
            tcp_keepalive: tcp_keepalive.as_ref(),
            backend_connection: backend_connection.as_ref(),
            http2: http2.as_ref(),
            dns: dns.as_ref(),
        }
    }
}

/// All a cluster is made from.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClusterSource<'a> {
    pub(super) name: &'a str,
    pub(super) settings: &'a [DestinationSetting],
    pub(super) endpoint_type: EndpointType,
    pub(super) traffic: Traffic<'a>,
    /// The hostname of the route, for health checks.
    pub(super) hostname: &'a str,
    pub(super) http1: Option<&'a Http1Settings>,
    pub(super) metrics: Option<&'a Metrics>,
    pub(super) health_check_log: Option<&'a ProxyHealthCheckLog>,
    pub(super) use_client_protocol: bool,
    pub(super) ip_family: Option<IpFamily>,
    pub(super) metadata: Option<&'a ResourceMetadata>,
    pub(super) stat_name: Option<&'a str>,
    /// Whether a route sends requests here, whose own options hold then.
    pub(super) of_route: bool,
}

impl<'a> ClusterSource<'a> {
    /// A cluster of `settings` with nothing special about it.
    pub(super) fn new(name: &'a str, settings: &'a [DestinationSetting]) -> Self {
        Self {
            name,
            settings,
            endpoint_type: endpoint_type(settings),
            traffic: Traffic::default(),
            hostname: "",
            http1: None,
            metrics: None,
            health_check_log: None,
            use_client_protocol: false,
            ip_family: None,
            metadata: None,
            stat_name: None,
            of_route: false,
        }
    }

    /// A cluster of a whole destination with nothing special about it.
    pub(super) fn of(destination: &'a RouteDestination) -> Self {
        Self { metadata: destination.metadata.as_deref(), ..Self::new(&destination.name, &destination.settings) }
    }
}

/// Adds the cluster, its endpoints and its secrets. Where the endpoints are wrong nothing is added: a cluster without
/// its endpoints would hold up Envoy's warming.
pub(super) fn add_cluster(source: &ClusterSource<'_>, resources: &mut Resources) -> Result<(), Invalid> {
    let assignment =
        load_assignment(source.name, source.settings, source.traffic.health_check, source.traffic.load_balancer)?;
    let (mut cluster, credential) = build(source)?;
    for tls in source.settings.iter().filter_map(|setting| setting.tls.as_deref()) {
        let Some(authority) = &tls.tls.ca_certificate else { continue };
        if tls.insecure_skip_verify {
            continue;
        }
        if tls.use_system_trust_store {
            resources.secret(secrets::system_authorities(&authority.name));
        } else {
            resources.optional_secret(secrets::authority(authority, None));
        }
    }
    match source.endpoint_type {
        EndpointType::Static => resources.endpoints(&assignment),
        EndpointType::Dns => cluster.load_assignment = Some(assignment),
        EndpointType::DynamicResolver => {}
    }
    resources.cluster(&cluster);
    resources.optional_secret(credential);
    Ok(())
}

/// Adds the certificates that the agent serves for connections to these backends.
pub(super) fn add_client_certificates(settings: &[DestinationSetting], resources: &mut Resources) {
    for tls in settings.iter().filter_map(|setting| setting.tls.as_deref()) {
        for certificate in &tls.tls.client_certificates {
            resources.optional_secret(secrets::certificate(certificate));
        }
    }
}

fn build(source: &ClusterSource<'_>) -> Result<(Cluster, Option<super::pb::tls::Secret>), Invalid> {
    if source.name.is_empty() {
        return Err(Invalid::new("destination", "it has no name, so its cluster can't have one"));
    }
    let traffic = source.traffic;
    let needs = needs(source);
    let (transport_socket, transport_socket_matches) = transport_sockets(source, needs);
    let (filters, credential) = upstream_filters(source);
    let protocol_options = protocol_options::upstream_options(source, needs, filters)
        .map(|options| (protocol_options::KEY.to_owned(), options));
    let family = dns::lookup_family(source.ip_family, traffic.dns);
    let (discovery, eds_cluster_config) = match source.endpoint_type {
        EndpointType::DynamicResolver => (dns::dynamic_resolver(source.ip_family, traffic.dns), None),
        EndpointType::Dns => (dns::dns_cluster(family, traffic.dns), None),
        EndpointType::Static => (
            ClusterDiscoveryType::Type(cluster::DiscoveryType::Eds.into()),
            Some(cluster::EdsClusterConfig {
                service_name: source.name.to_owned(),
                eds_config: Some(ads_with_default_wait()),
            }),
        ),
    };
    let balancing = if source.endpoint_type == EndpointType::DynamicResolver {
        Some(cluster_provided())
    } else {
        load_balancing(traffic.load_balancer, source.settings)
    };
    let cluster = Cluster {
        name: source.name.to_owned(),
        alt_stat_name: source.stat_name.unwrap_or_default().to_owned(),
        dns_lookup_family: family.into(),
        common_lb_config: Some(cluster::CommonLbConfig {
            healthy_panic_threshold: traffic
                .health_check
                .and_then(|check| check.panic_threshold)
                .filter(|threshold| *threshold != DEFAULT_PANIC_THRESHOLD)
                .map(percent),
            ..cluster::CommonLbConfig::default()
        }),
        per_connection_buffer_limit_bytes: Some(uint32(
            traffic.backend_connection.and_then(|connection| connection.buffer_limit).unwrap_or(BUFFER_LIMIT),
        )),
        preconnect_policy: traffic
            .backend_connection
            .and_then(|connection| connection.preconnect.as_ref())
            .and_then(preconnect),
        metadata: metadata(source.metadata),
        // An endpoint taken out of DNS or EDS is gone, whatever its health check still says.
        ignore_health_on_host_removal: true,
        connect_timeout: Some(
            traffic
                .timeout
                .and_then(|timeout| timeout.tcp.as_ref()?.connect_timeout)
                .map_or(seconds(CONNECT_SECONDS), duration),
        ),
        track_cluster_stats: source.metrics.and_then(track_stats),
        transport_socket,
        transport_socket_matches,
        typed_extension_protocol_options: protocol_options.into_iter().collect(),
        load_balancing_policy: balancing,
        health_checks: traffic
            .health_check
            .and_then(|check| check.active.as_ref())
            .map(|active| health_check(active, source.hostname, source.health_check_log))
            .into_iter()
            .collect(),
        outlier_detection: traffic.health_check.and_then(|check| check.passive.as_ref()).map(outlier_detection),
        circuit_breakers: Some(circuit_breakers(traffic.circuit_breaker)),
        upstream_connection_options: traffic.tcp_keepalive.map(keepalive),
        cluster_discovery_type: Some(discovery),
        eds_cluster_config,
        ..Cluster::default()
    };
    Ok((cluster, credential))
}

/// Cluster-wide options that follow from all settings together. A server name of the cluster would override those of
/// single backends, so it is automatic only when no backend has one.
fn needs(source: &ClusterSource<'_>) -> Needs {
    let settings = source.settings;
    let negotiation = !settings.is_empty()
        && settings.iter().all(|setting| setting.tls.is_some() && setting.protocol != Some(AppProtocol::Tcp));
    let names_server = settings
        .iter()
        .filter_map(|setting| setting.tls.as_ref())
        .any(|tls| tls.sni.is_some() || tls.auto_sni_from_endpoint_hostname);
    Needs {
        negotiation,
        http2: settings.iter().any(DestinationSetting::speaks_http2),
        http1_only: settings.iter().any(|setting| setting.force_http1_upstream),
        auto_sni: negotiation && !names_server,
    }
}

/// The cluster's own socket, and those of backends with TLS, which their endpoints ask for by name. A dynamic resolver
/// has no endpoints to ask, so its backend's socket is the cluster's.
fn transport_sockets(source: &ClusterSource<'_>, needs: Needs) -> (Option<TransportSocket>, Vec<TransportSocketMatch>) {
    let proxy_protocol = source.traffic.proxy_protocol;
    let mut own = proxy_protocol.map(|proxy| with_proxy_header(proxy, None, needs.negotiation));
    let mut matches = Vec::new();
    for (index, setting) in source.settings.iter().enumerate() {
        let Some(tls) = setting.tls.as_deref() else { continue };
        let plain = upstream_socket(tls, needs.auto_sni, source.endpoint_type);
        let socket = match proxy_protocol {
            Some(proxy) => with_proxy_header(proxy, Some(plain), needs.negotiation),
            None => plain,
        };
        if source.endpoint_type == EndpointType::DynamicResolver {
            own = Some(socket);
            continue;
        }
        let name = transport_socket_name(source.name, index);
        matches.push(TransportSocketMatch {
            r#match: Some(structure([("name", text(&name))])),
            name,
            transport_socket: Some(socket),
        });
    }
    if needs.negotiation && own.is_none() && proxy_protocol.is_none() {
        own = Some(placeholder_socket());
    }
    (own, matches)
}

/// Filters on the way to the upstream, which end in the codec, and the credential one of them injects. A backend with
/// filters has its cluster for itself.
fn upstream_filters(source: &ClusterSource<'_>) -> (Vec<HttpFilter>, Option<super::pb::tls::Secret>) {
    let mut filters = Vec::new();
    let injection = source
        .settings
        .first()
        .and_then(|setting| setting.filters.as_deref())
        .and_then(|filters| filters.credential_injection.as_deref());
    if let Some(injection) = injection {
        filters.push(HttpFilter { disabled: false, ..credential_injector::filter(injection) });
    }
    if let Some(control) = source.traffic.admission_control {
        filters.push(admission_control::upstream_filter(control));
    }
    if !filters.is_empty() {
        filters.push(upstream_codec());
    }
    (filters, injection.map(secrets::credential))
}

/// The end of every chain of upstream filters.
fn upstream_codec() -> HttpFilter {
    HttpFilter {
        name: "envoy.extensions.filters.http.upstream_codec.v3.UpstreamCodec".to_owned(),
        config_type: Some(http_filter::ConfigType::TypedConfig(pack(&UpstreamCodec {}))),
        ..HttpFilter::default()
    }
}

fn track_stats(source: &Metrics) -> Option<TrackClusterStats> {
    let Metrics { enable_virtual_host_stats: _, enable_per_endpoint_stats, enable_request_response_sizes_stats } =
        source;
    (*enable_per_endpoint_stats || *enable_request_response_sizes_stats).then(|| TrackClusterStats {
        per_endpoint_stats: *enable_per_endpoint_stats,
        request_response_sizes: *enable_request_response_sizes_stats,
        ..TrackClusterStats::default()
    })
}

fn preconnect(source: &Preconnect) -> Option<cluster::PreconnectPolicy> {
    let Preconnect { per_endpoint_percent, predictive_percent } = source;
    let ratio = |percent: u32| wkt::DoubleValue { value: 0.01 * f64::from(percent) };
    (per_endpoint_percent.is_some() || predictive_percent.is_some()).then(|| cluster::PreconnectPolicy {
        per_upstream_preconnect_ratio: per_endpoint_percent.map(ratio),
        predictive_preconnect_ratio: predictive_percent.map(ratio),
        ..cluster::PreconnectPolicy::default()
    })
}

fn keepalive(source: &TcpKeepalive) -> UpstreamConnectionOptions {
    let TcpKeepalive { probes, idle_time, interval } = source;
    UpstreamConnectionOptions {
        tcp_keepalive: Some(EnvoyKeepalive {
            keepalive_probes: probes.map(uint32),
            keepalive_time: idle_time.map(uint32),
            keepalive_interval: interval.map(uint32),
        }),
        ..UpstreamConnectionOptions::default()
    }
}
