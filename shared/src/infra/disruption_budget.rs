//! How many pods of a fleet may be missing while nodes are emptied.

use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::api::kubernetes_infra::KubernetesPodDisruptionBudgetSpec;
use crate::infra::fleet::Fleet;
use crate::infra::labels;

/// The PodDisruptionBudget of the fleet; none where nothing is said that would make one.
pub(super) fn disruption_budget(
    fleet: &Fleet<'_>,
    said: &KubernetesPodDisruptionBudgetSpec,
) -> Option<PodDisruptionBudget> {
    let KubernetesPodDisruptionBudgetSpec { min_available, max_unavailable, patch, name } = said;
    if min_available.is_none() && max_unavailable.is_none() && patch.is_none() {
        return None;
    }
    let max_unavailable = max_unavailable.clone().filter(|_| min_available.is_none());
    let nothing_said = max_unavailable.is_none().then_some(IntOrString::Int(0));
    Some(PodDisruptionBudget {
        metadata: ObjectMeta {
            annotations: None,
            labels: Some(labels::stable(fleet)),
            ..fleet.object_meta(name.as_deref())
        },
        spec: Some(PodDisruptionBudgetSpec {
            selector: Some(labels::stable_selector(fleet)),
            min_available: min_available.clone().or(nothing_said),
            max_unavailable,
            ..PodDisruptionBudgetSpec::default()
        }),
        status: None,
    })
}
