//! The ServiceImport kind of the Multi-Cluster Services API.

use k8s_openapi::api::core::v1::SessionAffinityConfig;
use serde::{Deserialize, Serialize};

use crate::api::condition::Condition;
use crate::api::metadata::{ObjectMeta, object};
use crate::api::string_enum::string_enum;

/// A Service of the whole set of clusters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServiceImport {
    /// Metadata.
    #[serde(default)]
    pub metadata: ObjectMeta,
    /// Ports and addresses.
    #[serde(default)]
    pub spec: ServiceImportSpec,
    /// Which clusters export it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ServiceImportStatus>,
}

object!(ServiceImport, "multicluster.x-k8s.io", "v1alpha1", "ServiceImport", "serviceimports", true);

/// Ports and addresses of a Service of the set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceImportSpec {
    /// Its ports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<ServiceImportPort>,
    /// Its addresses, one a cluster set IP family.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ips: Vec<String>,
    /// Whether it has addresses of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<ServiceImportType>,
    /// Whether a client stays with an endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_affinity: Option<String>,
    /// For how long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_affinity_config: Option<SessionAffinityConfig>,
    /// IP versions of the addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ip_families: Vec<String>,
    /// Whether traffic stays on a node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub internal_traffic_policy: Option<String>,
    /// Which endpoints are preferred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic_distribution: Option<String>,
}

/// A port of a Service of the set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceImportPort {
    /// Name; needed where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// TCP, UDP or SCTP; TCP when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// The application protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app_protocol: Option<String>,
    /// The number.
    pub port: i32,
}

string_enum! {
    /// Whether a Service of the set has addresses of its own.
    pub open enum ServiceImportType {
        ClusterSetIp = "ClusterSetIP",
        Headless = "Headless",
    }
}

/// What is known about a Service of the set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceImportStatus {
    /// Whether EndpointSlices exist for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint_slice_objects: Option<String>,
    /// Clusters that export it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clusters: Vec<ServiceImportCluster>,
    /// Conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

/// A cluster that exports a Service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceImportCluster {
    /// Its name.
    pub cluster: String,
}
