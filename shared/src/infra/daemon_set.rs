//! A fleet of one pod on each node.

use k8s_openapi::api::apps::v1::{DaemonSet, DaemonSetSpec, DaemonSetUpdateStrategy};

use crate::api::kubernetes_infra::KubernetesDaemonSetSpec;
use crate::diagnostic::Diagnostic;
use crate::infra::fleet::Fleet;
use crate::infra::{labels, pod};

/// The DaemonSet of the fleet.
///
/// # Errors
/// When its pods can't be described.
pub(super) fn daemon_set(fleet: &Fleet<'_>, said: &KubernetesDaemonSetSpec) -> Result<DaemonSet, Vec<Diagnostic>> {
    let KubernetesDaemonSetSpec { patch: _, strategy, pod, container, name } = said;
    let pod = pod.clone().unwrap_or_default();
    let container = container.clone().unwrap_or_default();
    let said = pod::Said { pod: &pod, container: &container, init_containers: &[] };
    Ok(DaemonSet {
        metadata: fleet.object_meta(name.as_deref()),
        spec: Some(DaemonSetSpec {
            selector: labels::stable_selector(fleet),
            update_strategy: Some(strategy.clone().unwrap_or_else(|| DaemonSetUpdateStrategy {
                type_: Some("RollingUpdate".to_owned()),
                ..DaemonSetUpdateStrategy::default()
            })),
            template: pod::template(fleet, &said)?,
            ..DaemonSetSpec::default()
        }),
        status: None,
    })
}
