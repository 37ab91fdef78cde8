//! The Service kind of the core group.

use k8s_openapi::api::core::v1::{ServicePort, ServiceStatus, SessionAffinityConfig};
use serde::{Deserialize, Serialize};

use crate::api::labels::Labels;
use crate::api::metadata::{ObjectMeta, object};

/// A name and ports in front of pods. Parts of it are Kubernetes' own types.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Service {
    /// Metadata.
    #[serde(default)]
    pub metadata: ObjectMeta,
    /// Ports, addresses and the rest.
    #[serde(default)]
    pub spec: ServiceSpec,
    /// Addresses given by the cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Box<ServiceStatus>>,
}

/// What a Service is. There are many, so what is seldom set or looked at is kept small.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServiceSpec {
    /// What it is: ClusterIP where it is left out.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_: Option<String>,
    /// Its address in the cluster; `None` for a headless one.
    #[serde(rename = "clusterIP", skip_serializing_if = "Option::is_none")]
    pub cluster_ip: Option<String>,
    /// Its addresses in the cluster, one for each IP family.
    #[serde(rename = "clusterIPs", skip_serializing_if = "Option::is_none")]
    pub cluster_ips: Option<Box<[String]>>,
    /// Its ports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ports: Option<Vec<ServicePort>>,
    /// Labels of the pods behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<Labels>,
    /// The IP families of its addresses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_families: Option<Vec<String>>,
    /// Whether it has one IP family or two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_family_policy: Option<Box<str>>,
    /// Which endpoints are preferred.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic_distribution: Option<Box<str>>,
    /// The host elsewhere that it is a name for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_name: Option<Box<str>>,
    /// Addresses outside the cluster.
    #[serde(rename = "externalIPs", skip_serializing_if = "Option::is_none")]
    pub external_ips: Option<Box<[String]>>,
    /// Which endpoints outside traffic goes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_traffic_policy: Option<Box<str>>,
    /// Which endpoints traffic of the cluster goes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub internal_traffic_policy: Option<Box<str>>,
    /// Whether endpoints count before they are ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publish_not_ready_addresses: Option<bool>,
    /// Whether a client stays with an endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_affinity: Option<Box<str>>,
    /// How long it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_affinity_config: Option<Box<SessionAffinityConfig>>,
    /// Whether a load balancer needs ports of the nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocate_load_balancer_node_ports: Option<bool>,
    /// The port load balancers ask for health.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub health_check_node_port: Option<i32>,
    /// Which implementation of load balancers is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_balancer_class: Option<Box<str>>,
    /// The address a load balancer is asked for.
    #[serde(rename = "loadBalancerIP", skip_serializing_if = "Option::is_none")]
    pub load_balancer_ip: Option<Box<str>>,
    /// Whom a load balancer lets in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_balancer_source_ranges: Option<Box<[String]>>,
}

object!(Service, "", "v1", "Service", "services", true);

impl Service {
    /// Whether it is only a name for a host elsewhere; such a Service is no backend.
    #[must_use]
    pub fn is_external_name(&self) -> bool {
        self.spec.type_.as_deref() == Some("ExternalName")
    }

    /// Whether it has no ClusterIP of its own (`clusterIP: None`).
    #[must_use]
    pub fn is_headless(&self) -> bool {
        self.spec.cluster_ip.as_deref() == Some("None")
    }
}
