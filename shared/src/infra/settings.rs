//! What rendering needs to know of the control plane.

use std::sync::Arc;

use crate::api::envoy_gateway::EnvoyGateway;
use crate::api::envoy_gateway_provider::EnvoyGatewayKubernetesProvider;

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
    /// The authority (PEM) that signs the xDS server's certificate, key `ca.crt` of the Secret `envoy`. Fleets in
    /// their Gateways' namespaces get a copy, since they can't mount that Secret; `None` while nobody knows it.
    pub ca_certificate: Option<Arc<str>>,
}

impl Settings {
    /// What the configuration says of the cluster.
    fn kubernetes(&self) -> Option<&EnvoyGatewayKubernetesProvider> {
        self.file.provider.as_ref()?.kubernetes.as_ref()
    }

    /// The image of the shutdown manager.
    pub(super) fn shutdown_manager_image(&self) -> &str {
        self.kubernetes()
            .and_then(|kubernetes| kubernetes.shutdown_manager.as_ref()?.image.as_deref())
            .unwrap_or(&self.shutdown_manager_image)
    }

    /// Whether nobody tells proxies their zone.
    #[must_use]
    pub fn topology_injector_disabled(&self) -> bool {
        let injector = self.kubernetes().and_then(|kubernetes| kubernetes.proxy_topology_injector.as_ref());
        injector.is_some_and(|injector| injector.disabled == Some(true))
    }

    /// The name of the xDS server inside the cluster, without a dot at its end.
    pub(super) fn xds_host(&self) -> String {
        let Self { controller_namespace, dns_domain, .. } = self;
        format!("{XDS_SERVICE}.{controller_namespace}.svc.{dns_domain}")
    }
}

/// The Service of the control plane.
const XDS_SERVICE: &str = "envoy-gateway";
