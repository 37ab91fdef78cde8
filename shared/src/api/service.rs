//! The Service kind of the core group.

use k8s_openapi::api::core::v1::{ServiceSpec, ServiceStatus};
use serde::{Deserialize, Serialize};

use crate::api::metadata::{ObjectMeta, object};

/// A name and ports in front of pods. `spec` is Kubernetes' own type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Service {
    /// Metadata.
    #[serde(default)]
    pub metadata: ObjectMeta,
    /// Ports, addresses and the rest.
    #[serde(default)]
    pub spec: ServiceSpec,
    /// Addresses given by the cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ServiceStatus>,
}

object!(Service, "", "v1", "Service", "services", true);

impl Service {
    /// Whether it is only a name for a host elsewhere; such a Service is no backend.
    #[must_use]
    pub fn is_external_name(&self) -> bool {
        self.spec.type_.as_deref() == Some("ExternalName")
    }

    /// Whether it has no ClusterIP of its own (`clusterIP: None`).
    #[must_use]
    pub fn is_headless(&self) -> bool {
        self.spec.cluster_ip.as_deref() == Some("None")
    }
}
