//! What translation needs to know of the EnvoyGateway configuration and of where it runs.

use std::sync::Arc;

use crate::api::envoy_gateway::{EnvoyGateway, RuntimeFlag};
use crate::api::envoy_gateway_extension::GroupVersionKind;
use crate::api::envoy_proxy::EnvoyProxySpec;

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
        let apis = file.extension_apis.clone().unwrap_or_default();
        Self {
            controller_name: file.controller_name().to_owned(),
            controller_namespace: DEFAULT_CONTROLLER_NAMESPACE.to_owned(),
            dns_domain: DEFAULT_DNS_DOMAIN.to_owned(),
            gateway_namespace_mode: file.gateway_namespace_mode(),
            backend_enabled: apis.enable_backend,
            envoy_patch_policy_enabled: apis.enable_envoy_patch_policy,
            lua_enabled: !apis.lua_disabled(),
            sds_secret_ref_enabled: apis.enable_sds_secret_ref,
            global_rate_limit_enabled: file.rate_limit.is_some(),
            per_resource_system_ca_secret: file.runtime_flag(&RuntimeFlag::PerResourceSystemCaSecret),
            xds_name_scheme_v2: file.runtime_flag(&RuntimeFlag::XdsNameSchemeV2),
            running_on_host: file.runs_on_host(),
            infra_remotely_managed: file.infra_is_remote(),
            extension_kinds: extension_kinds(file),
            default_envoy_proxy: file.envoy_proxy.clone().map(Arc::new),
        }
    }
}

/// The kinds extension servers answer for, of every server its filters first, then its backends.
fn extension_kinds(file: &EnvoyGateway) -> Vec<(String, String)> {
    let kind = |kind: &GroupVersionKind| (kind.group.clone(), kind.kind.clone());
    file.extension_managers()
        .iter()
        .flat_map(|server| server.resources.iter().chain(&server.backend_resources).map(kind))
        .collect()
}
