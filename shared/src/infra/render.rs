//! InfraIR to Kubernetes objects.

use crate::api::envoy_proxy_provider::EnvoyProxyKubernetesProvider;
use crate::api::kubernetes_infra::KubernetesPatchSpec;
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::infra::autoscaler::autoscaler;
use crate::infra::config_map::config_map;
use crate::infra::daemon_set::daemon_set;
use crate::infra::deployment::deployment;
use crate::infra::disruption_budget::disruption_budget;
use crate::infra::fleet::{Fleet, INVALID};
use crate::infra::object::{InfraKind, InfraObject};
use crate::infra::patch::{Patch, finished};
use crate::infra::service::service;
use crate::infra::service_account::service_account;
use crate::infra::settings::Settings;
use crate::infra::strategic_merge::{AUTOSCALER, DISRUPTION_BUDGET, SERVICE, Shape, WORKLOAD};
use crate::ir::infra::Infra;

/// The objects of one fleet, in the order they are applied.
///
/// # Errors
/// With every reason why the fleet can't be rendered; what runs is then left as it is (design §6 rule 25).
pub fn render(infra: &Infra, settings: &Settings) -> Result<Vec<InfraObject>, Vec<Diagnostic>> {
    let Infra { proxy } = infra;
    let Some(proxy) = proxy else {
        return Err(vec![Diagnostic::new(FieldPath::field("proxy"), INVALID, "there is no fleet in it")]);
    };
    let fleet = Fleet::new(proxy, settings).map_err(|fault| vec![fault])?;
    let mut objects = Vec::new();
    let mut faults = Vec::new();
    for object in each(&fleet) {
        match object {
            Ok(object) => objects.push(object),
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(objects) } else { Err(faults) }
}

/// Every object of the fleet, or why it can't be rendered.
fn each(fleet: &Fleet<'_>) -> Vec<Result<InfraObject, Diagnostic>> {
    let EnvoyProxyKubernetesProvider {
        envoy_deployment,
        envoy_daemon_set,
        envoy_service,
        envoy_hpa,
        use_listener_port_as_container_port: _,
        envoy_pdb,
        envoy_service_account: _,
    } = &fleet.kubernetes;
    let mut objects = vec![
        finished(InfraKind::ServiceAccount, &service_account(fleet), None),
        finished(InfraKind::ConfigMap, &config_map(fleet), None),
    ];
    if let Some(said) = envoy_deployment {
        let patch = patch(said.patch.as_ref(), "envoyDeployment", &WORKLOAD);
        let object = deployment(fleet, said);
        objects.push(object.and_then(|object| finished(InfraKind::Deployment, &object, patch.as_ref())));
    }
    if let Some(said) = envoy_daemon_set {
        let patch = patch(said.patch.as_ref(), "envoyDaemonSet", &WORKLOAD);
        let object = daemon_set(fleet, said);
        objects.push(object.and_then(|object| finished(InfraKind::DaemonSet, &object, patch.as_ref())));
    }
    if let Some(said) = envoy_service {
        let patch = patch(said.patch.as_ref(), "envoyService", &SERVICE);
        objects.push(finished(InfraKind::Service, &service(fleet, said), patch.as_ref()));
    }
    // Load can't change the number of nodes, so a DaemonSet has no autoscaler.
    if let (Some(said), Some(deployment)) = (envoy_hpa, envoy_deployment) {
        let patch = patch(said.patch.as_ref(), "envoyHpa", &AUTOSCALER);
        let object = autoscaler(fleet, deployment, said);
        objects.push(finished(InfraKind::HorizontalPodAutoscaler, &object, patch.as_ref()));
    }
    if let Some(said) = envoy_pdb
        && let Some(object) = disruption_budget(fleet, said)
    {
        let patch = patch(said.patch.as_ref(), "envoyPDB", &DISRUPTION_BUDGET);
        objects.push(finished(InfraKind::PodDisruptionBudget, &object, patch.as_ref()));
    }
    objects
}

fn patch<'a>(said: Option<&'a KubernetesPatchSpec>, field: &'static str, shape: &'static Shape) -> Option<Patch<'a>> {
    said.map(|said| Patch { said, field, shape })
}
