//! Which infrastructure an EnvoyProxy fleet runs on.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::kubernetes_infra::KubernetesDaemonSetSpec;
use crate::api::kubernetes_infra::KubernetesDeploymentSpec;
use crate::api::kubernetes_infra::KubernetesHorizontalPodAutoscalerSpec;
use crate::api::kubernetes_infra::KubernetesPodDisruptionBudgetSpec;
use crate::api::kubernetes_infra::KubernetesServiceSpec;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// The infrastructure a fleet runs on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyProxyProvider {
    pub r#type: EnvoyProxyProviderType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kubernetes: Option<EnvoyProxyKubernetesProvider>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<EnvoyProxyHostProvider>,
}

string_enum! {
    /// Kind of that infrastructure.
    pub closed enum EnvoyProxyProviderType {
        Kubernetes = "Kubernetes",
        Host = "Host",
    }
}

/// The Kubernetes objects a fleet is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "((has(self.envoyDeployment) && !has(self.envoyDaemonSet)) || (!has(self.envoyDeployment) && \
         has(self.envoyDaemonSet))) || (!has(self.envoyDeployment) && !has(self.envoyDaemonSet))",
        "set envoyDeployment or envoyDaemonSet, not both",
    ),
    rule(
        "((has(self.envoyHpa) && !has(self.envoyDaemonSet)) || (!has(self.envoyHpa) && has(self.envoyDaemonSet))) \
         || (!has(self.envoyHpa) && !has(self.envoyDaemonSet))",
        "a DaemonSet can't be scaled: remove envoyHpa",
    ),
]))]
pub struct EnvoyProxyKubernetesProvider {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub envoy_deployment: Option<KubernetesDeploymentSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub envoy_daemon_set: Option<KubernetesDaemonSetSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub envoy_service: Option<KubernetesServiceSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub envoy_hpa: Option<KubernetesHorizontalPodAutoscalerSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_listener_port_as_container_port: Option<bool>,
    #[serde(rename = "envoyPDB", default, skip_serializing_if = "Option::is_none")]
    pub envoy_pdb: Option<KubernetesPodDisruptionBudgetSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub envoy_service_account: Option<KubernetesServiceAccountSpec>,
}

/// A proxy as a process of this host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyProxyHostProvider {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub envoy_version: Option<String>,
}

/// The ServiceAccount of the fleet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KubernetesServiceAccountSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}
