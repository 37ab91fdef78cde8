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
            Err(why) => faults.extend(why),
        }
    }
    if faults.is_empty() { Ok(objects) } else { Err(faults) }
}

/// Every object of the fleet, or why it can't be rendered.
fn each(fleet: &Fleet<'_>) -> Vec<Result<InfraObject, Vec<Diagnostic>>> {
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::*;
    use crate::api::envoy_gateway::EnvoyGateway;

    fn settings(file: Value) -> Settings {
        let file: EnvoyGateway = serde_json::from_value(file).unwrap();
        Settings {
            file: Arc::new(file),
            controller_namespace: "envoy-gateway-system".to_owned(),
            dns_domain: "cluster.local".to_owned(),
            shutdown_manager_image: "example.com/gateway-agent:1".to_owned(),
            ca_certificate: Some("an authority".into()),
        }
    }

    /// The fleet of the Gateway `default/eg`, whose Kubernetes provider says `kubernetes`.
    fn rendered(kubernetes: Value, file: Value) -> Result<Vec<InfraObject>, Vec<String>> {
        let infra: Infra = serde_json::from_value(json!({ "proxy": {
            "name": "default/eg",
            "namespace": "default",
            "metadata": { "labels": {
                "gateway.envoyproxy.io/owning-gateway-name": "eg",
                "gateway.envoyproxy.io/owning-gateway-namespace": "default",
                "team": "a",
            } },
            "config": { "spec": { "provider": { "type": "Kubernetes", "kubernetes": kubernetes } } },
            "listeners": [{ "name": "https", "http3": {}, "ports": [
                { "name": "https-443", "protocol": "HTTPS", "servicePort": 443, "containerPort": 10443 },
            ] }],
        } }))
        .unwrap();
        render(&infra, &settings(file)).map_err(|faults| faults.iter().map(ToString::to_string).collect())
    }

    fn one(kubernetes: Value, kind: InfraKind) -> Value {
        let objects = rendered(kubernetes, json!({})).unwrap();
        objects.into_iter().find(|object| object.kind == kind).map(|object| object.content).unwrap_or_default()
    }

    fn at(object: &Value, pointer: &str) -> Value {
        object.pointer(pointer).cloned().unwrap_or_default()
    }

    #[test]
    fn a_fleet_comes_in_the_order_it_is_applied() {
        let asked = json!({ "envoyHpa": { "maxReplicas": 3 }, "envoyPDB": { "minAvailable": 1 } });
        let objects = rendered(asked, json!({})).unwrap();
        let kinds: Vec<InfraKind> = objects.iter().map(|object| object.kind).collect();
        let mut sorted = kinds.clone();
        sorted.sort();
        assert_eq!((kinds.len(), kinds), (6, sorted));
        assert!(objects.iter().all(|object| object.namespace == "envoy-gateway-system"));
    }

    #[test]
    fn replicas_are_the_autoscalers_where_there_is_one() {
        let deployment = json!({ "replicas": 2 });
        let alone = one(json!({ "envoyDeployment": deployment }), InfraKind::Deployment);
        assert_eq!(at(&alone, "/spec/replicas"), json!(2));
        let scaled = json!({ "envoyDeployment": deployment, "envoyHpa": { "maxReplicas": 3 } });
        assert_eq!(at(&one(scaled, InfraKind::Deployment), "/spec/replicas"), Value::Null);
        let nodes = json!({ "envoyDaemonSet": {}, "envoyHpa": { "maxReplicas": 3 } });
        assert_eq!(one(nodes, InfraKind::HorizontalPodAutoscaler), Value::Null);
    }

    #[test]
    fn a_selector_stays_whatever_labels_are_added() {
        let labelled = json!({ "envoyDeployment": { "pod": { "labels": { "more": "b" } } } });
        let deployment = one(labelled.clone(), InfraKind::Deployment);
        assert_eq!(at(&deployment, "/spec/selector/matchLabels/team"), Value::Null);
        assert_eq!(at(&deployment, "/spec/selector/matchLabels/more"), Value::Null);
        assert_eq!(at(&deployment, "/spec/template/metadata/labels/more"), json!("b"));
        assert_eq!(at(&deployment, "/metadata/labels/more"), Value::Null);
        let service = one(labelled, InfraKind::Service);
        assert_eq!(at(&service, "/spec/selector/more"), json!("b"));
    }

    #[test]
    fn http3_is_reached_over_udp_on_the_same_port() {
        let service = one(json!({}), InfraKind::Service);
        assert_eq!(at(&service, "/spec/ports/1/name"), json!("https-443-h3"));
        assert_eq!(at(&service, "/spec/ports/1/protocol"), json!("UDP"));
        assert_eq!(at(&service, "/spec/ports/1/port"), json!(443));
    }

    #[test]
    fn in_its_gateways_namespace_a_fleet_shows_a_token_and_has_the_authority() {
        let mode =
            json!({ "provider": { "type": "Kubernetes", "kubernetes": { "deploy": { "type": "GatewayNamespace" } } } });
        let objects = rendered(json!({}), mode).unwrap();
        assert!(objects.iter().all(|object| object.namespace == "default"));
        let content = |kind| objects.iter().find(|object| object.kind == kind).map(|object| object.content.clone());
        let config_map = content(InfraKind::ConfigMap).unwrap_or_default();
        assert_eq!(at(&config_map, "/data/ca.crt"), json!("an authority"));
        let deployment = content(InfraKind::Deployment).unwrap_or_default();
        let token = at(&deployment, "/spec/template/spec/volumes/0/projected/sources/0/serviceAccountToken");
        assert_eq!(at(&token, "/audience"), json!("envoy-gateway.envoy-gateway-system.svc.cluster.local"));
    }

    #[test]
    fn a_patch_changes_what_it_says_and_no_more() {
        let sidecar = json!({ "spec": { "template": { "spec": { "containers": [
            { "name": "envoy", "resources": { "limits": { "cpu": 2 } } },
        ] } } } });
        let patched = one(json!({ "envoyDeployment": { "patch": { "value": sidecar } } }), InfraKind::Deployment);
        assert_eq!(at(&patched, "/spec/template/spec/containers/0/resources/limits/cpu"), json!("2"));
        assert_eq!(at(&patched, "/spec/template/spec/containers/1/name"), json!("shutdown-manager"));
    }

    #[test]
    fn what_can_not_be_rendered_is_told_field_by_field() {
        let faults = rendered(
            json!({
                "envoyDeployment": { "patch": { "value": { "spec": { "replicas": "many" } } } },
                "envoyService": { "patch": { "type": "JSONMerge", "value": { "metadata": { "namespace": "kube-system" } } } },
            }),
            json!({}),
        )
        .unwrap_err();
        let provider = "proxy.config.spec.provider.kubernetes";
        let [replicas, namespace] = faults.as_slice() else { unreachable!("{faults:?}") };
        assert!(replicas.starts_with(&format!("{provider}.envoyDeployment.patch.value: with it, spec.replicas")));
        assert!(namespace.starts_with(&format!("{provider}.envoyService.patch.value: a patch can't move")));
    }
}
