//! What translation takes from the EnvoyGateway configuration.

use crate::config::Config;

/// Settings that are the same for every fleet.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The namespace the agent runs in; the services Envoy calls are there.
    pub controller_namespace: String,
    /// The cluster's DNS domain.
    pub dns_domain: String,
    /// Whether listeners and route configurations are named by port (runtime flag `XDSNameSchemeV2`).
    pub name_scheme_v2: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self::from(&Config::default())
    }
}

impl From<&Config> for Options {
    fn from(config: &Config) -> Self {
        Self {
            controller_namespace: config.controller_namespace.clone(),
            dns_domain: config.dns_domain.clone(),
            name_scheme_v2: config.xds_name_scheme_v2,
        }
    }
}
