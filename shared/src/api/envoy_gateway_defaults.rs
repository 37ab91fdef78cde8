//! What an EnvoyGateway configuration means where it says nothing, and the questions asked of it.

use std::collections::BTreeMap;

use crate::api::duration::Duration;
use crate::api::envoy_gateway::{
    EnvoyGateway, EnvoyGatewayAdmin, EnvoyGatewayAdminAddress, EnvoyGatewayController, EnvoyGatewayLogging,
    EnvoyGatewayTelemetry, ExtensionApiSettings, RuntimeFlag, RuntimeFlags, XdsServer,
};
use crate::api::envoy_gateway_extension::ExtensionManager;
use crate::api::envoy_gateway_provider::{
    EnvoyGatewayKubernetesCustomProvider, EnvoyGatewayKubernetesProvider, EnvoyGatewayProvider,
    InfrastructureProviderType, KubernetesClient, KubernetesClientRateLimit, KubernetesDeployModeType,
    KubernetesWatchMode, LeaderElection, ProviderType, ResourceProviderType,
};
use crate::api::envoy_gateway_telemetry::{EnvoyGatewayMetrics, EnvoyGatewayPrometheusProvider};
use crate::api::label_selector::LabelSelector;
use crate::api::log_level::LogLevel;

/// The `controllerName` of GatewayClasses that are ours, unless configured otherwise.
pub const CONTROLLER_NAME: &str = "gateway.envoyproxy.io/gatewayclass-controller";
/// Host the admin endpoint listens on.
pub const ADMIN_HOST: &str = "127.0.0.1";
/// Port the admin endpoint listens on.
pub const ADMIN_PORT: i64 = 19000;
/// Port metrics are served on.
pub const METRICS_PORT: u16 = 19001;
/// The image of a proxy.
pub const ENVOY_PROXY_IMAGE: &str = "docker.io/envoyproxy/envoy:distroless-v1.39.0";
/// The image of the shutdown manager.
pub const SHUTDOWN_MANAGER_IMAGE: &str = "docker.io/envoyproxy/gateway-dev:latest";
/// The image of the global rate limit service.
pub const RATE_LIMIT_IMAGE: &str = "docker.io/envoyproxy/ratelimit:17b1956c";

impl EnvoyGateway {
    /// The configuration with everything filled in that Envoy Gateway fills in when it starts.
    #[must_use]
    pub fn with_defaults(mut self) -> Self {
        let provider = self.provider.get_or_insert_with(|| EnvoyGatewayProvider {
            r#type: ProviderType::Kubernetes,
            kubernetes: None,
            custom: None,
        });
        provider.fill();
        self.gateway
            .get_or_insert_with(|| EnvoyGatewayController { controller_name: Some(CONTROLLER_NAME.to_owned()) });
        self.logging.get_or_insert_with(|| EnvoyGatewayLogging {
            level: BTreeMap::from([("default".to_owned(), LogLevel::Info)]),
            encoder: None,
        });
        self.admin.get_or_insert_with(EnvoyGatewayAdmin::default).address.get_or_insert_with(|| {
            EnvoyGatewayAdminAddress { port: Some(ADMIN_PORT), host: Some(ADMIN_HOST.to_owned()) }
        });
        self.telemetry
            .get_or_insert_with(EnvoyGatewayTelemetry::default)
            .metrics
            .get_or_insert_with(EnvoyGatewayMetrics::default)
            .prometheus
            .get_or_insert_with(EnvoyGatewayPrometheusProvider::default);
        self.xds_server.get_or_insert_with(XdsServer::default);
        self
    }

    /// The `controllerName` of classes that are ours.
    #[must_use]
    pub fn controller_name(&self) -> &str {
        self.gateway.as_ref().and_then(|gateway| gateway.controller_name.as_deref()).unwrap_or(CONTROLLER_NAME)
    }

    /// What is said of Kubernetes.
    #[must_use]
    pub fn kubernetes(&self) -> Option<&EnvoyGatewayKubernetesProvider> {
        self.provider.as_ref()?.kubernetes.as_ref()
    }

    /// The namespaces that are named to be watched; none where others are watched, too. They count only where the type
    /// of the watch says so, as Envoy Gateway reads them.
    #[must_use]
    pub fn watched_namespaces(&self) -> &[String] {
        self.watch("Namespaces").map_or(&[], |watch| &watch.namespaces)
    }

    /// The labels that watched namespaces have, where they are chosen by labels: a selector without conditions is none.
    #[must_use]
    pub fn watched_labels(&self) -> Option<&LabelSelector> {
        let selector = self.watch("NamespaceSelector")?.namespace_selector.as_ref();
        selector.filter(|it| !it.match_labels.is_empty() || !it.match_expressions.is_empty())
    }

    /// What is watched, if it is chosen in this way.
    fn watch(&self, by: &str) -> Option<&KubernetesWatchMode> {
        self.kubernetes()?.watch.as_ref().filter(|watch| watch.r#type.as_deref() == Some(by))
    }

    /// Whether fleets run in the namespace of their Gateway.
    #[must_use]
    pub fn gateway_namespace_mode(&self) -> bool {
        self.kubernetes().and_then(|kubernetes| kubernetes.deploy.as_ref()).and_then(|deploy| deploy.r#type)
            == Some(KubernetesDeployModeType::GatewayNamespace)
    }

    /// Whether a flag is on: what is disabled wins over what is enabled, and that over the default.
    #[must_use]
    pub fn runtime_flag(&self, flag: &RuntimeFlag) -> bool {
        let empty = RuntimeFlags::default();
        let RuntimeFlags { enabled, disabled } = self.runtime_flags.as_ref().unwrap_or(&empty);
        !disabled.contains(flag) && (enabled.contains(flag) || *flag == RuntimeFlag::EndpointSliceIndex)
    }

    /// The extension servers, whichever of the two fields names them.
    #[must_use]
    pub fn extension_managers(&self) -> &[ExtensionManager] {
        if self.extension_managers.is_empty() { self.extension_manager.as_slice() } else { &self.extension_managers }
    }

    /// Whether objects and infrastructure are in a cluster.
    #[must_use]
    pub fn runs_on_kubernetes(&self) -> bool {
        self.provider.as_ref().is_none_or(EnvoyGatewayProvider::runs_on_kubernetes)
    }

    /// Whether the fleets are processes of this host.
    #[must_use]
    pub fn runs_on_host(&self) -> bool {
        self.infrastructure_type() == Some(InfrastructureProviderType::Host)
    }

    /// Whether somebody else runs the fleets.
    #[must_use]
    pub fn infra_is_remote(&self) -> bool {
        self.infrastructure_type() == Some(InfrastructureProviderType::Remote)
    }

    fn infrastructure_type(&self) -> Option<InfrastructureProviderType> {
        let provider = self.provider.as_ref().filter(|provider| provider.r#type == ProviderType::Custom)?;
        Some(provider.custom.as_ref()?.infrastructure.as_ref()?.r#type)
    }
}

impl EnvoyGatewayProvider {
    /// Whether objects come from a cluster.
    #[must_use]
    pub fn runs_on_kubernetes(&self) -> bool {
        match self.r#type {
            ProviderType::Kubernetes => true,
            ProviderType::Custom => {
                self.custom.as_ref().is_some_and(|custom| custom.resource.r#type == ResourceProviderType::Kubernetes)
            }
        }
    }

    fn fill(&mut self) {
        let kubernetes = self.kubernetes.get_or_insert_with(EnvoyGatewayKubernetesProvider::default);
        kubernetes.leader_election.get_or_insert_with(leader_election);
        kubernetes.client.get_or_insert_with(kubernetes_client);
        if let Some(custom) = &mut self.custom
            && custom.resource.r#type == ResourceProviderType::Kubernetes
        {
            let kubernetes =
                custom.resource.kubernetes.get_or_insert_with(EnvoyGatewayKubernetesCustomProvider::default);
            kubernetes.leader_election.get_or_insert_with(leader_election);
            kubernetes.client.get_or_insert_with(kubernetes_client);
        }
    }
}

impl ExtensionApiSettings {
    /// Whether Lua in EnvoyExtensionPolicies is refused: unless enabled, by either of the two fields.
    #[must_use]
    pub fn lua_disabled(&self) -> bool {
        !self.enable_lua && self.disable_lua.unwrap_or(true)
    }
}

fn leader_election() -> LeaderElection {
    LeaderElection {
        lease_duration: Some(Duration::from_secs(15)),
        renew_deadline: Some(Duration::from_secs(10)),
        retry_period: Some(Duration::from_secs(2)),
        disable: Some(false),
    }
}

fn kubernetes_client() -> KubernetesClient {
    KubernetesClient { rate_limit: Some(KubernetesClientRateLimit { qps: Some(50), burst: Some(100) }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_configuration_means_kubernetes() {
        let config = EnvoyGateway::default().with_defaults();
        assert_eq!(config.controller_name(), CONTROLLER_NAME);
        assert!(config.runs_on_kubernetes() && !config.runs_on_host() && !config.gateway_namespace_mode());
        let address = config.admin.unwrap().address.unwrap();
        assert_eq!((address.host.as_deref(), address.port), (Some("127.0.0.1"), Some(19000)));
        let kubernetes = config.provider.unwrap().kubernetes.unwrap();
        assert_eq!(kubernetes.leader_election.unwrap().lease_duration, Some(Duration::from_secs(15)));
    }

    #[test]
    fn what_is_said_is_kept() {
        let config: EnvoyGateway = serde_json::from_str(
            r#"{"gateway":{"controllerName":"example.com/gw"},
                "provider":{"type":"Custom","custom":{"resource":{"type":"File","file":{"paths":["/x"]}},"infrastructure":{"type":"Host"}}},
                "runtimeFlags":{"enabled":["XDSNameSchemeV2"],"disabled":["EndpointSliceIndex"]}}"#,
        )
        .unwrap();
        let config = config.with_defaults();
        assert_eq!(config.controller_name(), "example.com/gw");
        assert!(config.runs_on_host() && !config.runs_on_kubernetes());
        assert!(config.runtime_flag(&RuntimeFlag::XdsNameSchemeV2));
        assert!(!config.runtime_flag(&RuntimeFlag::EndpointSliceIndex));
    }

    #[test]
    fn lua_is_off_unless_somebody_enables_it() {
        let settings = |enable_lua, disable_lua| ExtensionApiSettings { enable_lua, disable_lua, ..Default::default() };
        assert!(settings(false, None).lua_disabled());
        assert!(!settings(true, Some(true)).lua_disabled());
        assert!(!settings(false, Some(false)).lua_disabled());
    }
}
