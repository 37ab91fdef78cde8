//! What may be customized about the Kubernetes objects a fleet is made of.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use k8s_openapi::api::apps::v1::DaemonSetUpdateStrategy;
use k8s_openapi::api::apps::v1::DeploymentStrategy;
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscalerBehavior;
use k8s_openapi::api::autoscaling::v2::MetricSpec;
use k8s_openapi::api::core::v1::Affinity;
use k8s_openapi::api::core::v1::Container;
use k8s_openapi::api::core::v1::EnvVar;
use k8s_openapi::api::core::v1::LocalObjectReference;
use k8s_openapi::api::core::v1::PodSecurityContext;
use k8s_openapi::api::core::v1::ResourceRequirements;
use k8s_openapi::api::core::v1::SecurityContext;
use k8s_openapi::api::core::v1::Toleration;
use k8s_openapi::api::core::v1::TopologySpreadConstraint;
use k8s_openapi::api::core::v1::Volume;
use k8s_openapi::api::core::v1::VolumeMount;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

string_enum! {
    /// How a patch is merged.
    pub closed enum MergeType {
        StrategicMerge = "StrategicMerge",
        JsonMerge = "JSONMerge",
        Replace = "Replace",
    }
}

/// What may be changed about a Deployment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KubernetesDeploymentSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<KubernetesPatchSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<DeploymentStrategy>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod: Option<KubernetesPodSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<KubernetesContainerSpec>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub init_containers: Vec<Container>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A HorizontalPodAutoscaler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "!has(self.minReplicas) || self.maxReplicas >= self.minReplicas",
        "maxReplicas must not be below minReplicas",
    ),
]))]
pub struct KubernetesHorizontalPodAutoscalerSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-validations" = [rule("self > 0", "minReplicas must be above 0")]))]
    pub min_replicas: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!default)]
    #[schemars(!skip_serializing_if)]
    #[schemars(extend("x-kubernetes-validations" = [rule("self > 0", "maxReplicas must be above 0")]))]
    pub max_replicas: Option<i32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<MetricSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behavior: Option<HorizontalPodAutoscalerBehavior>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<KubernetesPatchSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A PodDisruptionBudget.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "(has(self.minAvailable) && !has(self.maxUnavailable)) || (!has(self.minAvailable) && \
         has(self.maxUnavailable))",
        "set minAvailable or maxUnavailable, not both",
    ),
]))]
pub struct KubernetesPodDisruptionBudgetSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_available: Option<IntOrString>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_unavailable: Option<IntOrString>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<KubernetesPatchSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// What may be changed about a DaemonSet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KubernetesDaemonSetSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<KubernetesPatchSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<DaemonSetUpdateStrategy>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod: Option<KubernetesPodSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<KubernetesContainerSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// What may be changed about a Service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "!has(self.allocateLoadBalancerNodePorts) || self.type == 'LoadBalancer'",
        "allocateLoadBalancerNodePorts needs type LoadBalancer",
    ),
    rule(
        "!has(self.loadBalancerSourceRanges) || self.type == 'LoadBalancer'",
        "loadBalancerSourceRanges needs type LoadBalancer",
    ),
    rule("!has(self.loadBalancerIP) || self.type == 'LoadBalancer'", "loadBalancerIP needs type LoadBalancer"),
]))]
pub struct KubernetesServiceSpec {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "LoadBalancer"))]
    pub r#type: Option<ServiceType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_balancer_class: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocate_load_balancer_node_ports: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load_balancer_source_ranges: Vec<String>,
    #[serde(rename = "loadBalancerIP", default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-validations" = [
        rule(
            "self.matches(r\"^((25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\\.){3}(25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)$\")",
            "loadBalancerIP must be an IPv4 address",
        ),
    ]))]
    pub load_balancer_ip: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Local"))]
    pub external_traffic_policy: Option<ServiceExternalTrafficPolicy>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<KubernetesPatchSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A patch of the finished object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KubernetesPatchSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub r#type: Option<MergeType>,
    pub value: Value,
}

/// What may be changed about pods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KubernetesPodSpec {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security_context: Option<PodSecurityContext>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affinity: Option<Affinity>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<Toleration>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<Volume>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub image_pull_secrets: Vec<LocalObjectReference>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topology_spread_constraints: Vec<TopologySpreadConstraint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority_class_name: Option<String>,
}

/// What may be changed about the main container.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("!has(self.image) || !has(self.imageRepository)", "set image or imageRepository, not both"),
]))]
pub struct KubernetesContainerSpec {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<EnvVar>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security_context: Option<SecurityContext>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-validations" = [
        rule(
            "self.matches('^[a-zA-Z0-9._-]+(:[0-9]+)?(/[a-zA-Z0-9._/-]+)?(:[a-zA-Z0-9._-]+)?(@sha256:[a-z0-9]+)?$')",
            "image must be the name of an image with a tag or digest, such as envoyproxy/envoy:v1.39.0",
        ),
    ]))]
    pub image: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-validations" = [
        rule(
            "self.matches('^[a-zA-Z0-9._-]+(:[0-9]+)?[a-zA-Z0-9._/-]+$')",
            "imageRepository must be the name of an image without tag, such as envoyproxy/envoy",
        ),
    ]))]
    pub image_repository: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volume_mounts: Vec<VolumeMount>,
}

string_enum! {
    /// Kind of a Service.
    pub closed enum ServiceType {
        ClusterIp = "ClusterIP",
        LoadBalancer = "LoadBalancer",
        NodePort = "NodePort",
    }
}

string_enum! {
    /// Whether nodes pass traffic on.
    pub closed enum ServiceExternalTrafficPolicy {
        Cluster = "Cluster",
        Local = "Local",
    }
}
