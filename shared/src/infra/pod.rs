//! The pods of a fleet.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Container, PodSpec, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::api::kubernetes_infra::{KubernetesContainerSpec, KubernetesPodSpec};
use crate::diagnostic::Diagnostic;
use crate::infra::bootstrap::STATS_PORT;
use crate::infra::fleet::{Fleet, some_if_any};
use crate::infra::{envoy_container, labels, shutdown_container, volumes};

/// How long a proxy has to leave, in seconds, beyond the time it drains.
const GRACE_SECONDS: i64 = 300;
/// How long a proxy drains where nothing is said, in seconds.
pub(super) const DRAIN_SECONDS: i64 = 60;

/// What is said of a fleet's pods, in a Deployment or a DaemonSet.
pub(super) struct Said<'a> {
    /// Of the pods.
    pub(super) pod: &'a KubernetesPodSpec,
    /// Of the Envoy container.
    pub(super) container: &'a KubernetesContainerSpec,
    /// What runs before it.
    pub(super) init_containers: &'a [Container],
}

/// The template of the fleet's pods.
///
/// # Errors
/// When the bootstrap configuration can't be made.
pub(super) fn template(fleet: &Fleet<'_>, said: &Said<'_>) -> Result<PodTemplateSpec, Vec<Diagnostic>> {
    let Said { pod, container, init_containers } = *said;
    let KubernetesPodSpec {
        annotations,
        labels,
        security_context,
        affinity,
        tolerations,
        volumes,
        image_pull_secrets,
        node_selector,
        topology_spread_constraints,
        priority_class_name,
    } = pod;
    let metadata = ObjectMeta {
        labels: Some(labels::of_pods(fleet, labels)),
        annotations: some_if_any(pod_annotations(fleet, annotations)),
        ..ObjectMeta::default()
    };
    let spec = PodSpec {
        automount_service_account_token: Some(false),
        containers: vec![
            envoy_container::container(fleet, container)?,
            shutdown_container::container(fleet, container.security_context.as_ref()),
        ],
        init_containers: list(init_containers),
        service_account_name: Some(fleet.service_account_name()),
        termination_grace_period_seconds: Some(grace_seconds(fleet)),
        dns_policy: Some("ClusterFirst".to_owned()),
        restart_policy: Some("Always".to_owned()),
        scheduler_name: Some("default-scheduler".to_owned()),
        security_context: security_context.clone(),
        affinity: affinity.clone(),
        tolerations: list(tolerations),
        volumes: Some(volumes::volumes(fleet, volumes)),
        image_pull_secrets: list(image_pull_secrets),
        node_selector: some_if_any(node_selector.clone()),
        topology_spread_constraints: list(topology_spread_constraints),
        priority_class_name: priority_class_name.clone(),
        ..PodSpec::default()
    };
    Ok(PodTemplateSpec { metadata: Some(metadata), spec: Some(spec) })
}

fn list<T: Clone>(items: &[T]) -> Option<Vec<T>> {
    (!items.is_empty()).then(|| items.to_vec())
}

fn pod_annotations(fleet: &Fleet<'_>, said: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut annotations = BTreeMap::new();
    if fleet.serves_prometheus() {
        annotations.insert("prometheus.io/path".to_owned(), "/stats/prometheus".to_owned());
        annotations.insert("prometheus.io/scrape".to_owned(), "true".to_owned());
        annotations.insert("prometheus.io/port".to_owned(), STATS_PORT.to_string());
    }
    annotations.extend(fleet.metadata.annotations.clone());
    annotations.extend(said.clone());
    annotations
}

/// How long the pod has until it's killed: five minutes more than its proxy drains.
fn grace_seconds(fleet: &Fleet<'_>) -> i64 {
    let drain = fleet.spec.shutdown.as_ref().and_then(|shutdown| shutdown.drain_timeout);
    drain.map_or(DRAIN_SECONDS, |drain| drain.as_secs()).saturating_add(GRACE_SECONDS)
}
