//! What translation needs to know of the EnvoyGateway configuration and of where it runs.

use std::sync::Arc;

use crate::api::envoy_gateway::{EnvoyGateway, ExtensionApiSettings, RuntimeFlag, RuntimeFlags};
use crate::api::envoy_gateway_extension::GroupVersionKind;
use crate::api::envoy_gateway_provider::{
    EnvoyGatewayInfrastructureProvider, EnvoyGatewayProvider, InfrastructureProviderType, KubernetesDeployModeType,
};
use crate::api::envoy_proxy::EnvoyProxySpec;

/// The `controllerName` a control plane answers to unless its configuration says otherwise.
pub const DEFAULT_CONTROLLER_NAME: &str = "gateway.envoyproxy.io/gatewayclass-controller";

/// The namespace a control plane is installed in unless something else is said.
pub const DEFAULT_CONTROLLER_NAMESPACE: &str = "envoy-gateway-system";

/// The DNS domain of most clusters.
pub const DEFAULT_DNS_DOMAIN: &str = "cluster.local";

/// The settings of one control plane. They don't change while it runs: a new configuration starts from empty caches.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Classes with this `controllerName` are ours.
    pub controller_name: String,
    /// The namespace the control plane runs in, and by default its fleets.
    pub controller_namespace: String,
    /// The cluster's DNS domain.
    pub dns_domain: String,
    /// Fleets run in their Gateway's namespace.
    pub gateway_namespace_mode: bool,
    /// Backend objects may be used.
    pub backend_enabled: bool,
    /// EnvoyPatchPolicies are applied.
    pub envoy_patch_policy_enabled: bool,
    /// Lua in EnvoyExtensionPolicies is applied.
    pub lua_enabled: bool,
    /// Secrets may be references to an SDS server.
    pub sds_secret_ref_enabled: bool,
    /// A global rate limit service is configured.
    pub global_rate_limit_enabled: bool,
    /// One secret for each object that uses the system's trust store, instead of one for all.
    pub per_resource_system_ca_secret: bool,
    /// xDS names of the second scheme (runtime flag `XDSNameSchemeV2`).
    pub xds_name_scheme_v2: bool,
    /// The proxies run on this host, beside the control plane.
    pub running_on_host: bool,
    /// Somebody else runs the proxies.
    pub infra_remotely_managed: bool,
    /// Kinds that an extension server answers for, as (group, kind): filters first, then backends.
    pub extension_kinds: Vec<(String, String)>,
    /// What every EnvoyProxy starts from.
    pub default_envoy_proxy: Option<Arc<EnvoyProxySpec>>,
}

impl Default for Config {
    /// The settings of an empty configuration file.
    fn default() -> Self {
        Self::new(&EnvoyGateway::default())
    }
}

impl Config {
    /// The settings `file` stands for, in the default namespace and DNS domain.
    #[must_use]
    pub fn new(file: &EnvoyGateway) -> Self {
        let controller_name = file.gateway.as_ref().and_then(|gateway| gateway.controller_name.clone());
        let apis = file.extension_apis.clone().unwrap_or_default();
        let flags = file.runtime_flags.clone().unwrap_or_default();
        let infrastructure = file.provider.as_ref().and_then(custom_infrastructure).map(|custom| custom.r#type);
        Self {
            controller_name: controller_name.unwrap_or_else(|| DEFAULT_CONTROLLER_NAME.to_owned()),
            controller_namespace: DEFAULT_CONTROLLER_NAMESPACE.to_owned(),
            dns_domain: DEFAULT_DNS_DOMAIN.to_owned(),
            gateway_namespace_mode: file.provider.as_ref().is_some_and(deploys_to_gateway_namespaces),
            backend_enabled: apis.enable_backend,
            envoy_patch_policy_enabled: apis.enable_envoy_patch_policy,
            lua_enabled: lua_enabled(&apis),
            sds_secret_ref_enabled: apis.enable_sds_secret_ref,
            global_rate_limit_enabled: file.rate_limit.is_some(),
            per_resource_system_ca_secret: is_enabled(&flags, &RuntimeFlag::PerResourceSystemCaSecret),
            xds_name_scheme_v2: is_enabled(&flags, &RuntimeFlag::XdsNameSchemeV2),
            running_on_host: infrastructure == Some(InfrastructureProviderType::Host),
            infra_remotely_managed: infrastructure == Some(InfrastructureProviderType::Remote),
            extension_kinds: extension_kinds(file),
            default_envoy_proxy: file.envoy_proxy.clone().map(Arc::new),
        }
    }
}

/// The infrastructure of a provider that isn't Kubernetes.
fn custom_infrastructure(provider: &EnvoyGatewayProvider) -> Option<EnvoyGatewayInfrastructureProvider> {
    provider.custom.as_ref()?.infrastructure.clone()
}

fn deploys_to_gateway_namespaces(provider: &EnvoyGatewayProvider) -> bool {
    let deploy = provider.kubernetes.as_ref().and_then(|kubernetes| kubernetes.deploy.as_ref());
    deploy.and_then(|deploy| deploy.r#type) == Some(KubernetesDeployModeType::GatewayNamespace)
}

/// Lua is off unless it is switched on; the older `disableLua: false` switches it on too.
fn lua_enabled(apis: &ExtensionApiSettings) -> bool {
    apis.enable_lua || apis.disable_lua == Some(false)
}

fn is_enabled(flags: &RuntimeFlags, flag: &RuntimeFlag) -> bool {
    flags.enabled.contains(flag) && !flags.disabled.contains(flag)
}

/// The kinds extension servers answer for, of every server its filters first, then its backends.
fn extension_kinds(file: &EnvoyGateway) -> Vec<(String, String)> {
    let kind = |kind: &GroupVersionKind| (kind.group.clone(), kind.kind.clone());
    file.extension_manager
        .iter()
        .chain(&file.extension_managers)
        .flat_map(|server| server.resources.iter().chain(&server.backend_resources).map(kind))
        .collect()
}
