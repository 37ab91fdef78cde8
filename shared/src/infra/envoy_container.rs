//! The container of an Envoy.

use k8s_openapi::api::core::v1::{
    Capabilities, Container, ContainerPort, EnvVar, EnvVarSource, HTTPGetAction, Lifecycle, LifecycleHandler,
    ObjectFieldSelector, Probe, ResourceRequirements, SeccompProfile, SecurityContext,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::api::envoy_gateway_defaults::ENVOY_PROXY_IMAGE;
use crate::api::kubernetes_infra::KubernetesContainerSpec;
use crate::diagnostic::Diagnostic;
use crate::infra::bootstrap::{READY_PATH, READY_PORT, STATS_PORT};
use crate::infra::fleet::{Fleet, default_image_in};
use crate::infra::shutdown_container::{PORT as SHUTDOWN_PORT, READY_PATH as SHUTDOWN_READY_PATH};
use crate::infra::{arguments, volumes};

/// The container of the fleet's Envoys.
///
/// # Errors
/// When the bootstrap configuration can't be made.
pub(super) fn container(fleet: &Fleet<'_>, said: &KubernetesContainerSpec) -> Result<Container, Vec<Diagnostic>> {
    let KubernetesContainerSpec { env, resources, security_context, image, image_repository, volume_mounts } = said;
    let resources = resources.clone().unwrap_or_else(|| requests("100m", "512Mi"));
    let mut environment = environment();
    volumes::amend(&mut environment, env, |variable| &variable.name);
    let ready = |period, failures| probe(READY_PATH, READY_PORT, period, failures);
    Ok(Container {
        name: "envoy".to_owned(),
        image: Some(chosen_image(image.as_deref(), image_repository.as_deref())),
        image_pull_policy: Some("IfNotPresent".to_owned()),
        command: Some(vec!["envoy".to_owned()]),
        args: Some(arguments::arguments(fleet, &resources)?),
        env: Some(environment),
        resources: Some(resources),
        security_context: Some(security_context.clone().unwrap_or_else(unprivileged)),
        ports: Some(ports(fleet)),
        volume_mounts: Some(volumes::mounts(fleet, volume_mounts)),
        termination_message_policy: Some("File".to_owned()),
        termination_message_path: Some("/dev/termination-log".to_owned()),
        startup_probe: Some(ready(10, 30)),
        readiness_probe: Some(ready(5, 1)),
        liveness_probe: Some(ready(10, 3)),
        // The shutdown manager answers once the connections are gone, so Envoy isn't stopped before.
        lifecycle: Some(Lifecycle {
            pre_stop: Some(LifecycleHandler {
                http_get: Some(http_get(SHUTDOWN_READY_PATH, SHUTDOWN_PORT)),
                ..LifecycleHandler::default()
            }),
            ..Lifecycle::default()
        }),
        ..Container::default()
    })
}

/// The repository wins over the image.
fn chosen_image(image: Option<&str>, repository: Option<&str>) -> String {
    match (repository.filter(|repository| !repository.is_empty()), image.filter(|image| !image.is_empty())) {
        (Some(repository), _) => default_image_in(repository),
        (None, Some(image)) => image.to_owned(),
        (None, None) => ENVOY_PROXY_IMAGE.to_owned(),
    }
}

fn ports(fleet: &Fleet<'_>) -> Vec<ContainerPort> {
    let port = |name: &str, number: u16| ContainerPort {
        name: Some(name.to_owned()),
        container_port: i32::from(number),
        protocol: Some("TCP".to_owned()),
        ..ContainerPort::default()
    };
    let metrics = fleet.serves_prometheus().then(|| port("metrics", STATS_PORT));
    metrics.into_iter().chain([port("readiness", READY_PORT)]).collect()
}

/// Who and where a proxy is, as its own environment tells it.
pub(super) fn environment() -> Vec<EnvVar> {
    [
        ("ENVOY_POD_NAMESPACE", "metadata.namespace"),
        ("ENVOY_POD_NAME", "metadata.name"),
        ("ENVOY_SERVICE_ZONE", "metadata.annotations['topology.kubernetes.io/zone']"),
    ]
    .into_iter()
    .map(|(name, path)| EnvVar {
        name: name.to_owned(),
        value_from: Some(EnvVarSource {
            field_ref: Some(ObjectFieldSelector { api_version: Some("v1".to_owned()), field_path: path.to_owned() }),
            ..EnvVarSource::default()
        }),
        ..EnvVar::default()
    })
    .collect()
}

/// A probe that asks once every `period` seconds and gives up after so many `failures`.
pub(super) fn probe(path: &str, port: u16, period: i32, failures: i32) -> Probe {
    Probe {
        http_get: Some(http_get(path, port)),
        timeout_seconds: Some(1),
        period_seconds: Some(period),
        success_threshold: Some(1),
        failure_threshold: Some(failures),
        ..Probe::default()
    }
}

fn http_get(path: &str, port: u16) -> HTTPGetAction {
    HTTPGetAction {
        path: Some(path.to_owned()),
        port: IntOrString::Int(i32::from(port)),
        scheme: Some("HTTP".to_owned()),
        ..HTTPGetAction::default()
    }
}

/// So much CPU and memory, and no limits.
pub(super) fn requests(cpu: &str, memory: &str) -> ResourceRequirements {
    let amounts = [("cpu", cpu), ("memory", memory)];
    ResourceRequirements {
        requests: Some(
            amounts.into_iter().map(|(name, amount)| (name.to_owned(), Quantity(amount.to_owned()))).collect(),
        ),
        ..ResourceRequirements::default()
    }
}

/// No privileges at all. The root file system can be written: Envoy makes log files and sockets.
pub(super) fn unprivileged() -> SecurityContext {
    SecurityContext {
        allow_privilege_escalation: Some(false),
        capabilities: Some(Capabilities { drop: Some(vec!["ALL".to_owned()]), ..Capabilities::default() }),
        privileged: Some(false),
        run_as_group: Some(65532),
        run_as_non_root: Some(true),
        run_as_user: Some(65532),
        seccomp_profile: Some(SeccompProfile { type_: "RuntimeDefault".to_owned(), ..SeccompProfile::default() }),
        ..SecurityContext::default()
    }
}
