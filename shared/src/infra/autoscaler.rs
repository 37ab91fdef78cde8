//! How many pods a fleet has, by load.

use k8s_openapi::api::autoscaling::v2::{
    CrossVersionObjectReference, HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec, MetricSpec, MetricTarget,
    ResourceMetricSource,
};

use crate::api::kubernetes_infra::{KubernetesDeploymentSpec, KubernetesHorizontalPodAutoscalerSpec};
use crate::infra::fleet::Fleet;
use crate::infra::labels;

/// The HorizontalPodAutoscaler of the fleet's Deployment.
pub(super) fn autoscaler(
    fleet: &Fleet<'_>,
    deployment: &KubernetesDeploymentSpec,
    said: &KubernetesHorizontalPodAutoscalerSpec,
) -> HorizontalPodAutoscaler {
    let KubernetesHorizontalPodAutoscalerSpec { min_replicas, max_replicas, metrics, behavior, patch: _, name } = said;
    let mut metadata = fleet.object_meta(name.as_deref());
    metadata.labels = Some(labels::stable(fleet));
    HorizontalPodAutoscaler {
        metadata,
        spec: Some(HorizontalPodAutoscalerSpec {
            scale_target_ref: CrossVersionObjectReference {
                api_version: Some("apps/v1".to_owned()),
                kind: "Deployment".to_owned(),
                name: deployment.name.as_ref().unwrap_or(&fleet.name).clone(),
            },
            min_replicas: *min_replicas,
            max_replicas: max_replicas.unwrap_or(1),
            metrics: Some(if metrics.is_empty() { vec![cpu(80)] } else { metrics.clone() }),
            behavior: behavior.clone(),
        }),
        status: None,
    }
}

/// So many percent of the CPU that pods request.
fn cpu(percent: i32) -> MetricSpec {
    MetricSpec {
        type_: "Resource".to_owned(),
        resource: Some(ResourceMetricSource {
            name: "cpu".to_owned(),
            target: MetricTarget {
                type_: "Utilization".to_owned(),
                average_utilization: Some(percent),
                ..MetricTarget::default()
            },
        }),
        ..MetricSpec::default()
    }
}
