//! What translation needs to know of the EnvoyGateway configuration and of where it runs.

use std::sync::Arc;

use crate::api::envoy_proxy::EnvoyProxySpec;

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
