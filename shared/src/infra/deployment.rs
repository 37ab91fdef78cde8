//! A fleet of so many pods.

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec, DeploymentStrategy};

use crate::api::kubernetes_infra::KubernetesDeploymentSpec;
use crate::diagnostic::Diagnostic;
use crate::infra::fleet::Fleet;
use crate::infra::{labels, pod};

/// The Deployment of the fleet.
///
/// # Errors
/// When its pods can't be described.
pub(super) fn deployment(fleet: &Fleet<'_>, said: &KubernetesDeploymentSpec) -> Result<Deployment, Vec<Diagnostic>> {
    let KubernetesDeploymentSpec { patch: _, replicas, strategy, pod, container, init_containers, name } = said;
    let pod = pod.clone().unwrap_or_default();
    let container = container.clone().unwrap_or_default();
    let said = pod::Said { pod: &pod, container: &container, init_containers };
    // Where load decides the number of pods, saying one here would undo that decision each time it's applied.
    let replicas = replicas.filter(|_| fleet.kubernetes.envoy_hpa.is_none());
    Ok(Deployment {
        metadata: fleet.object_meta(name.as_deref()),
        spec: Some(DeploymentSpec {
            replicas,
            strategy: Some(strategy.clone().unwrap_or_else(|| DeploymentStrategy {
                type_: Some("RollingUpdate".to_owned()),
                ..DeploymentStrategy::default()
            })),
            selector: labels::stable_selector(fleet),
            template: pod::template(fleet, &said)?,
            revision_history_limit: Some(10),
            progress_deadline_seconds: Some(600),
            ..DeploymentSpec::default()
        }),
        status: None,
    })
}
