//! What an installation is made from.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Affinity, EnvVar, ResourceRequirements, Toleration, TopologySpreadConstraint};
use serde::{Deserialize, Serialize};

use super::configuration::ConfigFile;
use crate::api::envoy_gateway_provider::KubernetesDeployModeType;
use crate::config::DEFAULT_DNS_DOMAIN;
use crate::diagnostic::{Diagnostic, FieldPath};

/// The instance label of Envoy Gateway's chart when it is installed as its documentation says.
pub const DEFAULT_INSTANCE: &str = "eg";

/// The image of the agent of this version.
pub const DEFAULT_IMAGE: &str = concat!("ghcr.io/gateway-agent/gateway-agent:v", env!("CARGO_PKG_VERSION"));

/// The reason of a value that can't be used.
const INVALID: &str = "Invalid";

/// What an installation is made from.
#[derive(Clone, Debug)]
pub struct Options {
    /// The namespace of the control plane.
    pub namespace: String,
    /// The instance label, which a Deployment keeps for life: what Helm calls the release.
    pub instance: String,
    /// The version of the agent, as the label says it.
    pub version: String,
    /// The configuration file.
    pub config: ConfigFile,
    /// What can be set.
    pub values: Values,
    /// An autoscaler says how many agents there are.
    pub autoscaled: bool,
}

/// What can be set: by flags, and as YAML in a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Values {
    /// The agent's image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// When it is pulled: `Always`, `IfNotPresent`, `Never`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_pull_policy: Option<String>,
    /// Secrets with the registry's credentials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub image_pull_secrets: Vec<String>,
    /// How many agents: one leads, all serve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// CPU and memory of one agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,
    /// The GatewayClass to make.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gateway_class: Option<String>,
    /// Whose namespace proxies run in; goes into the configuration file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace_mode: Option<NamespaceMode>,
    /// The namespaces that are watched, empty for all; goes into the configuration file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch_namespaces: Option<Vec<String>>,
    /// The cluster's DNS domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster_domain: Option<String>,
    /// Labels nodes must have.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,
    /// Taints of nodes that are put up with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<Toleration>,
    /// Which nodes are liked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affinity: Option<Affinity>,
    /// How agents spread over the cluster.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topology_spread_constraints: Vec<TopologySpreadConstraint>,
    /// Who is evicted last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority_class_name: Option<String>,
    /// More labels of the agent's pods.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pod_labels: BTreeMap<String, String>,
    /// More annotations of the agent's pods.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pod_annotations: BTreeMap<String, String>,
    /// More environment variables of the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra_env: Vec<EnvVar>,
    /// More arguments of the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra_args: Vec<String>,
    /// Annotations of the agent's Service.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub service_annotations: BTreeMap<String, String>,
}

/// Whose namespace proxies run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NamespaceMode {
    /// The control plane's.
    ControllerNamespace,
    /// Their Gateway's.
    GatewayNamespace,
}

impl From<NamespaceMode> for KubernetesDeployModeType {
    fn from(mode: NamespaceMode) -> Self {
        match mode {
            NamespaceMode::ControllerNamespace => Self::ControllerNamespace,
            NamespaceMode::GatewayNamespace => Self::GatewayNamespace,
        }
    }
}

impl Values {
    /// These values, with what `over` says instead.
    #[must_use]
    pub fn overlaid(self, over: Self) -> Self {
        let Self {
            image,
            image_pull_policy,
            image_pull_secrets,
            replicas,
            resources,
            gateway_class,
            namespace_mode,
            watch_namespaces,
            cluster_domain,
            node_selector,
            tolerations,
            affinity,
            topology_spread_constraints,
            priority_class_name,
            pod_labels,
            pod_annotations,
            extra_env,
            extra_args,
            service_annotations,
        } = over;
        Self {
            image: image.or(self.image),
            image_pull_policy: image_pull_policy.or(self.image_pull_policy),
            image_pull_secrets: said(image_pull_secrets, self.image_pull_secrets, Vec::is_empty),
            replicas: replicas.or(self.replicas),
            resources: match (self.resources, resources) {
                (Some(below), Some(over)) => Some(overlaid_resources(below, over)),
                (below, over) => over.or(below),
            },
            gateway_class: gateway_class.or(self.gateway_class),
            namespace_mode: namespace_mode.or(self.namespace_mode),
            watch_namespaces: watch_namespaces.or(self.watch_namespaces),
            cluster_domain: cluster_domain.or(self.cluster_domain),
            node_selector: said(node_selector, self.node_selector, BTreeMap::is_empty),
            tolerations: said(tolerations, self.tolerations, Vec::is_empty),
            affinity: affinity.or(self.affinity),
            topology_spread_constraints: said(
                topology_spread_constraints,
                self.topology_spread_constraints,
                Vec::is_empty,
            ),
            priority_class_name: priority_class_name.or(self.priority_class_name),
            pod_labels: said(pod_labels, self.pod_labels, BTreeMap::is_empty),
            pod_annotations: said(pod_annotations, self.pod_annotations, BTreeMap::is_empty),
            extra_env: said(extra_env, self.extra_env, Vec::is_empty),
            extra_args: said(extra_args, self.extra_args, Vec::is_empty),
            service_annotations: said(service_annotations, self.service_annotations, BTreeMap::is_empty),
        }
    }

    /// The values that are remembered in the cluster: all but those that went into the configuration file.
    #[must_use]
    pub fn remembered(&self) -> Self {
        Self { namespace_mode: None, watch_namespaces: None, ..self.clone() }
    }

    /// The agent's image.
    #[must_use]
    pub fn image(&self) -> &str {
        self.image.as_deref().unwrap_or(DEFAULT_IMAGE)
    }

    /// How many agents.
    #[must_use]
    pub fn replicas(&self) -> i32 {
        self.replicas.unwrap_or(1)
    }

    /// The cluster's DNS domain.
    #[must_use]
    pub fn cluster_domain(&self) -> &str {
        self.cluster_domain.as_deref().unwrap_or(DEFAULT_DNS_DOMAIN)
    }
}

/// `over` unless it says nothing.
fn said<T>(over: T, below: T, says_nothing: impl Fn(&T) -> bool) -> T {
    if says_nothing(&over) { below } else { over }
}

/// Each request and limit by itself, so that `--cpu` doesn't forget the memory of a file.
fn overlaid_resources(below: ResourceRequirements, over: ResourceRequirements) -> ResourceRequirements {
    let ResourceRequirements { claims, limits, requests } = over;
    let both = |below: Option<BTreeMap<_, _>>, over: Option<BTreeMap<_, _>>| match (below, over) {
        (Some(mut below), Some(over)) => {
            below.extend(over);
            Some(below)
        }
        (below, over) => over.or(below),
    };
    ResourceRequirements {
        claims: claims.or(below.claims),
        limits: both(below.limits, limits),
        requests: both(below.requests, requests),
    }
}

impl Options {
    /// What can't be installed so, with the path in the values.
    #[must_use]
    pub fn faults(&self) -> Vec<Diagnostic> {
        let Self { namespace, instance, version: _, config, values, autoscaled } = self;
        let mut faults = config.faults();
        let mut fault = |field: &str, message: String| {
            faults.push(Diagnostic::new(FieldPath::field(field), INVALID, message));
        };
        if *autoscaled && values.replicas.is_some() {
            fault("replicas", "a HorizontalPodAutoscaler of the agent says how many: change that one".to_owned());
        }
        if values.replicas() < 1 {
            fault("replicas", format!("{} agents are none: use 1 or more", values.replicas()));
        }
        if values.image.as_deref().is_some_and(|image| image.is_empty() || image.contains(char::is_whitespace)) {
            fault("image", "is no image: write it like registry.example/gateway-agent:v1".to_owned());
        }
        if let Some(policy) = &values.image_pull_policy
            && !["Always", "IfNotPresent", "Never"].contains(&policy.as_str())
        {
            fault("imagePullPolicy", format!("`{policy}` is none: use Always, IfNotPresent or Never"));
        }
        if !is_label(namespace) {
            fault("namespace", format!("`{namespace}` is no name of a namespace: {LABEL_RULE}"));
        }
        if !is_label(instance) {
            fault("instance", format!("`{instance}` is no name: {LABEL_RULE}"));
        }
        if let Some(class) = values.gateway_class.as_ref().filter(|class| !class.split('.').all(is_label)) {
            fault("gatewayClass", format!("`{class}` is no name: {LABEL_RULE}"));
        }
        for watched in config.file.watched_namespaces().iter().filter(|watched| !is_label(watched)) {
            fault("watchNamespaces", format!("`{watched}` is no name of a namespace: {LABEL_RULE}"));
        }
        for (list, quantities) in [
            ("limits", values.resources.as_ref().and_then(|resources| resources.limits.as_ref())),
            ("requests", values.resources.as_ref().and_then(|resources| resources.requests.as_ref())),
        ] {
            for (resource, quantity) in quantities.into_iter().flatten() {
                if crate::api::quantity::Quantity(quantity.0.clone()).value().is_none() {
                    let path = FieldPath::field(resource).within(list).within("resources");
                    let message = format!("`{}` is no amount: write it like 100m, 1 or 256Mi", quantity.0);
                    faults.push(Diagnostic::new(path, INVALID, message));
                }
            }
        }
        faults
    }
}

/// What a DNS label is.
const LABEL_RULE: &str = "use at most 63 of a-z, 0-9 and -, and neither begin nor end with -";

fn is_label(text: &str) -> bool {
    let inside = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=63).contains(&text.len()) && text.chars().all(inside) && !text.starts_with('-') && !text.ends_with('-')
}
