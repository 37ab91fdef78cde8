//! One fleet as it is to be rendered: what its IR says, with every default filled in.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::api::envoy_gateway_defaults::ENVOY_PROXY_IMAGE;
use crate::api::envoy_proxy::EnvoyProxySpec;
use crate::api::envoy_proxy_provider::{EnvoyProxyKubernetesProvider, EnvoyProxyProviderType};
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::infra::labels;
use crate::infra::settings::Settings;
use crate::ir::infra::{InfraMetadata, ProxyInfra};
use crate::names;

/// The reason of every fault found here.
pub(super) const INVALID: &str = "Invalid";

/// One fleet as it is to be rendered.
pub(super) struct Fleet<'a> {
    /// The fleet.
    pub(super) proxy: &'a ProxyInfra,
    /// How its proxies look and run.
    pub(super) spec: EnvoyProxySpec,
    /// What is said of its Kubernetes objects.
    pub(super) kubernetes: EnvoyProxyKubernetesProvider,
    /// What is known of the control plane.
    pub(super) settings: &'a Settings,
    /// Whether it runs in the namespace of its Gateway.
    pub(super) in_gateway_namespace: bool,
    /// What its objects are called where they aren't given a name.
    pub(super) name: String,
    /// The namespace of its objects.
    pub(super) namespace: String,
    /// Labels and annotations of its objects.
    pub(super) metadata: InfraMetadata,
}

impl<'a> Fleet<'a> {
    /// The fleet that `proxy` describes.
    ///
    /// # Errors
    /// When it isn't meant for Kubernetes or nobody owns it.
    pub(super) fn new(proxy: &'a ProxyInfra, settings: &'a Settings) -> Result<Self, Diagnostic> {
        let spec = proxy.config.as_ref().map(|config| config.spec.clone()).unwrap_or_default();
        let provider = spec.provider.as_ref();
        if let Some(other) = provider.map(|provider| provider.r#type)
            && other != EnvoyProxyProviderType::Kubernetes
        {
            let path = FieldPath::field("type").within("provider").within("spec").within("config").within("proxy");
            let message = format!(
                "the fleet asks for provider {other}, and this control plane makes Kubernetes objects; use Kubernetes"
            );
            return Err(Diagnostic::new(path, INVALID, message));
        }
        let kubernetes = with_defaults(provider.and_then(|provider| provider.kubernetes.clone()).unwrap_or_default());
        let in_gateway_namespace = settings.file.gateway_namespace_mode();
        let metadata = proxy.metadata.clone().unwrap_or_default();
        let fleet = Self {
            proxy,
            spec,
            kubernetes,
            settings,
            in_gateway_namespace,
            name: if in_gateway_namespace { proxy.name.clone() } else { names::fleet_object(&proxy.name) },
            namespace: if in_gateway_namespace {
                proxy.namespace.clone()
            } else {
                settings.controller_namespace.clone()
            },
            metadata,
        };
        if labels::nobody_owns(&fleet.metadata.labels) {
            let path = FieldPath::field("labels").within("metadata").within("proxy");
            let message = "the fleet has no label of the Gateway or GatewayClass that owns it, so its objects couldn't \
                           be told from those of other fleets";
            return Err(Diagnostic::new(path, INVALID, message));
        }
        Ok(fleet)
    }

    /// Metadata of one of the fleet's objects, with all labels and annotations every object gets.
    pub(super) fn object_meta(&self, name: Option<&str>) -> ObjectMeta {
        ObjectMeta {
            name: Some(name.unwrap_or(&self.name).to_owned()),
            namespace: Some(self.namespace.clone()),
            labels: Some(self.labels()),
            annotations: some_if_any(self.metadata.annotations.clone()),
            ..ObjectMeta::default()
        }
    }

    /// The labels every object of the fleet gets.
    pub(super) fn labels(&self) -> BTreeMap<String, String> {
        labels::with_app(self, &self.metadata.labels)
    }

    /// The name of its ServiceAccount.
    pub(super) fn service_account_name(&self) -> String {
        let said = self.kubernetes.envoy_service_account.as_ref().and_then(|account| account.name.as_ref());
        said.unwrap_or(&self.name).clone()
    }

    /// The name its Envoys give for the cluster they belong to: the IR key.
    pub(super) fn service_cluster(&self) -> String {
        let ProxyInfra { name, namespace, .. } = self.proxy;
        if self.in_gateway_namespace { format!("{namespace}/{name}") } else { name.clone() }
    }

    /// Whether its proxies serve statistics to Prometheus.
    pub(super) fn serves_prometheus(&self) -> bool {
        let metrics = self.spec.telemetry.as_ref().and_then(|telemetry| telemetry.metrics.as_ref());
        !metrics.and_then(|metrics| metrics.prometheus.as_ref()).is_some_and(|prometheus| prometheus.disable)
    }
}

/// A map, or nothing where it holds nothing.
pub(super) fn some_if_any(map: BTreeMap<String, String>) -> Option<BTreeMap<String, String>> {
    (!map.is_empty()).then_some(map)
}

/// A Deployment is made where neither it nor a DaemonSet is asked for.
fn with_defaults(mut kubernetes: EnvoyProxyKubernetesProvider) -> EnvoyProxyKubernetesProvider {
    if kubernetes.envoy_daemon_set.is_none() {
        kubernetes.envoy_deployment.get_or_insert_default();
    }
    kubernetes.envoy_service.get_or_insert_default();
    kubernetes
}

/// The image of a proxy where only its repository is said: the tag is that of the default image.
pub(super) fn default_image_in(repository: &str) -> String {
    let tag = ENVOY_PROXY_IMAGE.rsplit_once(':').map_or("latest", |(_, tag)| tag);
    format!("{repository}:{tag}")
}
