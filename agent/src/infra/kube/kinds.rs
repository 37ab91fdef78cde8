//! How the kinds of a fleet's objects are called in the API, and what names one of them.

use std::fmt;
use std::sync::Arc;

use gateway_shared::infra::object::{InfraKind, InfraObject};
use kube::core::{ApiResource, GroupVersionKind};

/// Every kind, in the order it is applied (design §6 rule 24).
pub(super) const KINDS: [InfraKind; 7] = [
    InfraKind::ServiceAccount,
    InfraKind::ConfigMap,
    InfraKind::Deployment,
    InfraKind::DaemonSet,
    InfraKind::Service,
    InfraKind::HorizontalPodAutoscaler,
    InfraKind::PodDisruptionBudget,
];

/// What names one object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Id {
    /// What it is.
    pub(super) kind: InfraKind,
    /// Its namespace.
    pub(super) namespace: Arc<str>,
    /// Its name.
    pub(super) name: Arc<str>,
}

impl Id {
    /// The name of an object that is to be applied.
    pub(super) fn of(object: &InfraObject) -> Self {
        let InfraObject { kind, namespace, name, content: _ } = object;
        Self { kind: *kind, namespace: namespace.as_str().into(), name: name.as_str().into() }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}/{}", word(self.kind), self.namespace, self.name)
    }
}

/// The word for a kind.
pub(super) const fn word(kind: InfraKind) -> &'static str {
    match kind {
        InfraKind::ServiceAccount => "ServiceAccount",
        InfraKind::ConfigMap => "ConfigMap",
        InfraKind::Deployment => "Deployment",
        InfraKind::DaemonSet => "DaemonSet",
        InfraKind::Service => "Service",
        InfraKind::HorizontalPodAutoscaler => "HorizontalPodAutoscaler",
        InfraKind::PodDisruptionBudget => "PodDisruptionBudget",
    }
}

/// Where the API server serves a kind.
pub(super) fn resource(kind: InfraKind) -> ApiResource {
    let (group, version) = match kind {
        InfraKind::ServiceAccount | InfraKind::ConfigMap | InfraKind::Service => ("", "v1"),
        InfraKind::Deployment | InfraKind::DaemonSet => ("apps", "v1"),
        InfraKind::HorizontalPodAutoscaler => ("autoscaling", "v2"),
        InfraKind::PodDisruptionBudget => ("policy", "v1"),
    };
    ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, word(kind)))
}
