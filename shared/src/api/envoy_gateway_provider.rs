//! Where the EnvoyGateway configuration says objects come from and infrastructure goes to.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::duration::Duration;
use crate::api::envoy_gateway_extension::ExtensionService;
use crate::api::kubernetes_infra::KubernetesDeploymentSpec;
use crate::api::kubernetes_infra::KubernetesHorizontalPodAutoscalerSpec;
use crate::api::kubernetes_infra::KubernetesPodDisruptionBudgetSpec;
use crate::api::label_selector::LabelSelector;
use crate::api::string_enum::string_enum;
use serde::Deserialize;
use serde::Serialize;

/// Where objects come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayProvider {
    pub r#type: ProviderType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kubernetes: Option<EnvoyGatewayKubernetesProvider>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom: Option<EnvoyGatewayCustomProvider>,
}

string_enum! {
    /// Kind of provider.
    pub closed enum ProviderType {
        Kubernetes = "Kubernetes",
        Custom = "Custom",
    }
}

/// Objects and infrastructure in a cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayKubernetesProvider {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit_deployment: Option<KubernetesDeploymentSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit_hpa: Option<KubernetesHorizontalPodAutoscalerSpec>,
    #[serde(rename = "rateLimitPDB", default, skip_serializing_if = "Option::is_none")]
    pub rate_limit_pdb: Option<KubernetesPodDisruptionBudgetSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deploy: Option<KubernetesDeployMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shutdown_manager: Option<ShutdownManager>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy_topology_injector: Option<EnvoyGatewayTopologyInjector>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<KubernetesWatchMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leader_election: Option<LeaderElection>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<KubernetesClient>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_sync_period: Option<Duration>,
}

/// Objects and infrastructure somewhere else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayCustomProvider {
    pub resource: EnvoyGatewayResourceProvider,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub infrastructure: Option<EnvoyGatewayInfrastructureProvider>,
}

/// Where a custom provider finds objects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayResourceProvider {
    pub r#type: ResourceProviderType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<EnvoyGatewayFileResourceProvider>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kubernetes: Option<EnvoyGatewayKubernetesCustomProvider>,
}

string_enum! {
    /// Kind of that source.
    pub closed enum ResourceProviderType {
        File = "File",
        Kubernetes = "Kubernetes",
    }
}

/// In which namespace fleets run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KubernetesDeployMode {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<KubernetesDeployModeType>,
}

/// The container that drains a proxy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ShutdownManager {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
}

/// The webhook that tells proxies their zone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayTopologyInjector {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
}

/// Which namespaces are watched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KubernetesWatchMode {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace_selector: Option<LabelSelector>,
}

/// How one of several replicas is chosen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeaderElection {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_duration: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renew_deadline: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_period: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disable: Option<bool>,
}

/// The client of the API server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KubernetesClient {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<KubernetesClientRateLimit>,
}

/// Where a custom provider runs fleets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayInfrastructureProvider {
    pub r#type: InfrastructureProviderType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<EnvoyGatewayHostInfrastructureProvider>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<EnvoyGatewayRemoteInfrastructureProvider>,
}

string_enum! {
    /// Kind of that infrastructure.
    pub closed enum InfrastructureProviderType {
        Host = "Host",
        Remote = "Remote",
    }
}

/// Objects from files and folders.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayFileResourceProvider {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

/// Objects from a cluster, fleets elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayKubernetesCustomProvider {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<KubernetesWatchMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leader_election: Option<LeaderElection>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<KubernetesClient>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_sync_period: Option<Duration>,
}

string_enum! {
    /// Whose namespace fleets run in.
    pub closed enum KubernetesDeployModeType {
        ControllerNamespace = "ControllerNamespace",
        GatewayNamespace = "GatewayNamespace",
    }
}

/// How many requests a second the API server gets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KubernetesClientRateLimit {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qps: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<i32>,
}

/// Folders of a host installation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayHostInfrastructureProvider {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_home: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_home: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_home: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_dir: Option<String>,
}

/// Infrastructure somebody else runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyGatewayRemoteInfrastructureProvider {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<ExtensionService>,
}
