//! What rendering needs to know of the control plane.

use std::sync::Arc;

use crate::api::envoy_gateway::EnvoyGateway;

/// What rendering needs to know of the control plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The configuration file, for what it says of shutdown manager, deploy mode, rate limit and proxies.
    pub file: Arc<EnvoyGateway>,
    /// The namespace the control plane runs in, and by default its fleets.
    pub controller_namespace: String,
    /// The cluster's DNS domain.
    pub dns_domain: String,
    /// The image of the shutdown manager where the configuration names none: the control plane's own.
    pub shutdown_manager_image: String,
}
