//! What belongs to the fleet and to no HTTP route: the readiness listener, TCP and UDP, collectors of logs and traces,
//! the proxies' own cluster and certificate.

use super::access_log::log_clusters;
use super::cluster::{ClusterSource, Traffic, add_client_certificates, add_cluster};
use super::destination::EndpointType;
use super::dns::ip_family;
use super::options::Options;
use super::problem::{Invalid, Problem};
use super::ready_listener::ready_listener;
use super::resources::Resources;
use super::table::ResourceType;
use super::tcp::{TcpContext, add_tcp_resources};
use super::tls::{sds, secrets};
use super::tracing::collector_cluster;
use super::udp::add_udp;
use crate::ir::{
    BackendCluster, GlobalResources, LeastRequest, LoadBalancer, Metrics, PreferLocalZone, ProxyHealthCheckLog, Xds,
};

/// Adds everything but HTTP and the shared clusters.
pub(super) fn add_global(ir: &Xds, options: &Options, resources: &mut Resources, problems: &mut Vec<Problem>) {
    let context = TcpContext {
        access_log: ir.access_log.as_ref(),
        metrics: ir.metrics.as_ref(),
        health_check_log: ir.health_check_log.as_ref(),
    };
    if let Some(source) = &ir.ready_listener {
        match ready_listener(source) {
            Ok(listener) => resources.add(ResourceType::Listener, &listener.name, &listener),
            Err(invalid) => problems.push(invalid.of("readyListener")),
        }
    }
    for listener in &ir.tcp {
        add_tcp_resources(listener, &context, resources, problems);
    }
    for listener in &ir.udp {
        add_udp(listener, &context, options, resources, problems);
    }
    let mut note = |object: &str, result: Result<(), Invalid>| {
        problems.extend(result.err().map(|invalid| invalid.of(object)));
    };
    if let Some(log) = &ir.access_log {
        for cluster in log_clusters(log, context.metrics, context.health_check_log) {
            note(cluster.name, add_cluster(&cluster, resources));
        }
    }
    if let Some(tracing) = &ir.tracing {
        let cluster = collector_cluster(tracing, context.metrics, context.health_check_log);
        note(cluster.name, add_cluster(&cluster, resources));
    }
    if let Some(GlobalResources { envoy_client_certificate, proxy_service_cluster }) = &ir.global_resources {
        if let Some(destination) = proxy_service_cluster {
            // Envoy compares its zone with those of its own fleet: any member counts.
            let balancer = LoadBalancer {
                least_request: Some(LeastRequest::default()),
                prefer_local: Some(PreferLocalZone { min_endpoints_threshold: Some(1), ..PreferLocalZone::default() }),
                ..LoadBalancer::default()
            };
            let cluster = ClusterSource {
                endpoint_type: EndpointType::Static,
                traffic: Traffic { load_balancer: Some(&balancer), ..Traffic::default() },
                ..ClusterSource::of(destination)
            };
            note(cluster.name, add_cluster(&cluster, resources));
        }
        resources.optional_secret(envoy_client_certificate.as_ref().and_then(secrets::certificate));
    }
}

/// Adds a cluster that several routes share, with its endpoints and secrets.
pub(super) fn add_shared_cluster(
    source: &BackendCluster,
    metrics: Option<&Metrics>,
    health_check_log: Option<&ProxyHealthCheckLog>,
    resources: &mut Resources,
) -> Result<(), Invalid> {
    let BackendCluster { name, setting, metadata, traffic, use_client_protocol } = source;
    let Some(setting) = setting else {
        return Err(Invalid::new("backendClusters", "the shared cluster has no backend"));
    };
    let settings = std::slice::from_ref(setting);
    if let Some(tls) = setting.tls.as_deref() {
        for url in sds::servers(&tls.tls.client_certificates, tls.tls.ca_certificate.as_ref()) {
            resources.cluster(&sds::server_cluster(&url)?);
        }
    }
    add_client_certificates(settings, resources);
    add_cluster(
        &ClusterSource {
            traffic: Traffic::of(traffic.as_ref()),
            metrics,
            health_check_log,
            use_client_protocol: use_client_protocol.unwrap_or_default(),
            ip_family: ip_family(settings),
            metadata: metadata.as_deref(),
            ..ClusterSource::new(name, settings)
        },
        resources,
    )
}
