//! Where clients reach a fleet.

use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::api::envoy_proxy::IpFamily;
use crate::api::kubernetes_infra::{KubernetesServiceSpec, ServiceExternalTrafficPolicy, ServiceType};
use crate::infra::fleet::{Fleet, some_if_any};
use crate::infra::labels;
use crate::ir::infra::{ListenerPort, ProtocolType, ProxyListener};

/// The Service of the fleet.
pub(super) fn service(fleet: &Fleet<'_>, said: &KubernetesServiceSpec) -> Service {
    let KubernetesServiceSpec {
        annotations,
        labels: said_labels,
        r#type,
        load_balancer_class,
        allocate_load_balancer_node_ports,
        load_balancer_source_ranges,
        load_balancer_ip,
        external_traffic_policy,
        patch: _,
        name,
    } = said;
    let pod_labels = pod_labels(fleet);
    let mut metadata = fleet.object_meta(name.as_deref());
    metadata.labels = Some(pod_labels.iter().chain(said_labels).map(|(n, v)| (n.clone(), v.clone())).collect());
    let all = fleet.metadata.annotations.iter().chain(annotations);
    metadata.annotations = some_if_any(all.map(|(name, value)| (name.clone(), value.clone())).collect());

    let r#type = r#type.unwrap_or(ServiceType::LoadBalancer);
    let policy = external_traffic_policy.unwrap_or(ServiceExternalTrafficPolicy::Local);
    let mut spec = ServiceSpec {
        type_: Some(r#type.to_string()),
        session_affinity: Some("None".to_owned()),
        ports: some_list(fleet.proxy.listeners.iter().flat_map(ports).collect()),
        selector: Some(pod_labels),
        ..ServiceSpec::default()
    };
    match r#type {
        ServiceType::LoadBalancer => {
            spec.load_balancer_class.clone_from(load_balancer_class);
            spec.allocate_load_balancer_node_ports = *allocate_load_balancer_node_ports;
            spec.load_balancer_source_ranges = some_list(load_balancer_source_ranges.clone());
            spec.load_balancer_ip.clone_from(load_balancer_ip);
            spec.external_traffic_policy = Some(policy.to_string());
        }
        ServiceType::NodePort => spec.external_traffic_policy = Some(policy.to_string()),
        ServiceType::ClusterIp => {}
    }
    let addresses = &fleet.proxy.addresses;
    if r#type == ServiceType::ClusterIp {
        // A Service takes one address of each family, and only the first is known to be of the right one.
        spec.cluster_ip = addresses.first().cloned();
        spec.cluster_ips = addresses.first().map(|address| vec![address.clone()]);
    } else {
        spec.external_ips = some_list(addresses.clone());
    }
    // IPv4 alone is what a cluster does by itself.
    match fleet.spec.ip_family {
        Some(IpFamily::Ipv6) => families(&mut spec, &["IPv6"], "SingleStack"),
        Some(IpFamily::DualStack) => families(&mut spec, &["IPv4", "IPv6"], "RequireDualStack"),
        Some(IpFamily::Ipv4) | None => {}
    }
    Service { metadata, spec: Some(spec), status: None }
}

/// The labels of the pods the Service sends to, and of the Service itself: custom pod labels are among them, as
/// Envoy Gateway has it.
fn pod_labels(fleet: &Fleet<'_>) -> std::collections::BTreeMap<String, String> {
    let kubernetes = &fleet.kubernetes;
    let deployment = kubernetes.envoy_deployment.as_ref().and_then(|deployment| deployment.pod.as_ref());
    let daemon_set = kubernetes.envoy_daemon_set.as_ref().and_then(|daemon_set| daemon_set.pod.as_ref());
    let said = [deployment, daemon_set].into_iter().flatten().flat_map(|pod| pod.labels.clone()).collect();
    labels::of_pods(fleet, &said)
}

fn families(spec: &mut ServiceSpec, families: &[&str], policy: &str) {
    spec.ip_families = Some(families.iter().map(|family| (*family).to_owned()).collect());
    spec.ip_family_policy = Some(policy.to_owned());
}

/// The ports of a listener; HTTP/3 has the same numbers over UDP.
fn ports(listener: &ProxyListener) -> Vec<ServicePort> {
    let ProxyListener { name: _, ports, http3 } = listener;
    let of = |port: &ListenerPort| {
        let ListenerPort { name, protocol, service_port, container_port } = port;
        let service = |name: String, protocol: &str| ServicePort {
            name: Some(name),
            protocol: Some(protocol.to_owned()),
            port: *service_port,
            target_port: Some(IntOrString::Int(*container_port)),
            ..ServicePort::default()
        };
        let first = service(name.clone(), if *protocol == ProtocolType::Udp { "UDP" } else { "TCP" });
        let quic = *protocol == ProtocolType::Https && http3.is_some();
        [Some(first), quic.then(|| service(format!("{name}-h3"), "UDP"))]
    };
    ports.iter().flat_map(of).flatten().collect()
}

fn some_list<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}
