//! Tests of a whole installation.

use k8s_openapi::api::admissionregistration::v1::MutatingWebhookConfiguration;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Service, ServiceAccount};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde::de::DeserializeOwned;

use super::configuration::ConfigFile;
use super::options::{DEFAULT_INSTANCE, NamespaceMode, Values};
use super::*;

fn options(values: Values) -> Options {
    Options {
        namespace: "gw".to_owned(),
        instance: DEFAULT_INSTANCE.to_owned(),
        version: "v1.2.3".to_owned(),
        config: ConfigFile::default().with(&values),
        values,
        autoscaled: false,
    }
}

fn modes() -> Vec<Options> {
    let values = |namespace_mode, watch: &[&str]| Values {
        namespace_mode: Some(namespace_mode),
        watch_namespaces: Some(watch.iter().map(|name| (*name).to_owned()).collect()),
        gateway_class: Some("eg".to_owned()),
        replicas: Some(2),
        ..Values::default()
    };
    vec![
        options(Values::default()),
        options(values(NamespaceMode::ControllerNamespace, &["shop"])),
        options(values(NamespaceMode::GatewayNamespace, &["shop", "infra"])),
        options(values(NamespaceMode::GatewayNamespace, &[])),
    ]
}

#[test]
fn every_object_is_one_of_its_kind() {
    fn parses<T: DeserializeOwned + serde::Serialize>(object: &InstallObject) {
        let typed: T = serde_json::from_value(object.content.clone()).unwrap();
        let back = serde_json::to_value(&typed).unwrap();
        // A misspelt field would be lost on the way.
        let lost = changes::changes(&object.content, &back);
        assert!(lost.is_empty(), "{}: {lost:?}", object.title());
    }
    for object in modes().iter().flat_map(render) {
        match object.kind {
            InstallKind::Deployment => parses::<Deployment>(&object),
            InstallKind::Service => parses::<Service>(&object),
            InstallKind::ConfigMap => parses::<ConfigMap>(&object),
            InstallKind::PodDisruptionBudget => parses::<PodDisruptionBudget>(&object),
            InstallKind::Job => parses::<Job>(&object),
            InstallKind::ServiceAccount => parses::<ServiceAccount>(&object),
            InstallKind::ClusterRole => parses::<ClusterRole>(&object),
            InstallKind::ClusterRoleBinding => parses::<ClusterRoleBinding>(&object),
            InstallKind::Role => parses::<Role>(&object),
            InstallKind::RoleBinding => parses::<RoleBinding>(&object),
            InstallKind::MutatingWebhookConfiguration => parses::<MutatingWebhookConfiguration>(&object),
            InstallKind::Namespace => parses::<Namespace>(&object),
            InstallKind::CustomResourceDefinition => {
                let _: CustomResourceDefinition = serde_json::from_value(object.content.clone()).unwrap();
            }
            InstallKind::GatewayClass => {
                let class: crate::api::gateway_class::GatewayClass =
                    serde_json::from_value(object.content.clone()).unwrap();
                assert_eq!(class.spec.controller_name, "gateway.envoyproxy.io/gatewayclass-controller");
            }
            InstallKind::ValidatingAdmissionPolicy
            | InstallKind::ValidatingAdmissionPolicyBinding
            | InstallKind::Secret
            | InstallKind::Lease
            | InstallKind::DaemonSet
            | InstallKind::HorizontalPodAutoscaler => {
                panic!("not ours to install: {}", object.title())
            }
        }
        assert_eq!(object.namespace.is_some(), object.kind.is_namespaced(), "{}", object.title());
        assert!(!object.name.is_empty());
    }
}

#[test]
fn every_object_stands_once_and_after_what_it_needs() {
    for options in modes() {
        let objects = render(&options);
        let mut keys: Vec<_> = objects.iter().map(|o| (o.kind, o.namespace.clone(), o.name.clone())).collect();
        keys.sort();
        let count = keys.len();
        keys.dedup();
        assert_eq!(keys.len(), count);
        assert!(objects.is_sorted_by_key(|object| object.step));
    }
}

#[test]
fn names_and_selector_are_those_of_envoy_gateways_chart() {
    let objects = render(&options(Values::default()));
    let names: Vec<String> = objects
        .iter()
        .filter(|object| object.kind != InstallKind::CustomResourceDefinition)
        .map(InstallObject::title)
        .collect();
    for name in [
        "Namespace gw",
        "ServiceAccount envoy-gateway",
        "ServiceAccount eg-gateway-helm-certgen",
        "ClusterRole eg-gateway-helm-envoy-gateway-role",
        "ClusterRoleBinding eg-gateway-helm-envoy-gateway-rolebinding",
        "Role eg-gateway-helm-infra-manager",
        "RoleBinding eg-gateway-helm-leader-election-rolebinding",
        "ClusterRole eg-gateway-helm-certgen:gw",
        "MutatingWebhookConfiguration envoy-gateway-topology-injector.gw",
        "Job eg-gateway-helm-certgen",
        "ConfigMap envoy-gateway-config",
        "Service envoy-gateway",
        "Deployment envoy-gateway",
    ] {
        assert!(names.iter().any(|found| found == name), "{name} is missing in {names:?}");
    }
    let deployment = objects.iter().find(|object| object.kind == InstallKind::Deployment).unwrap();
    let selector = deployment.content.pointer("/spec/selector/matchLabels").unwrap();
    assert_eq!(
        *selector,
        json!({
            "control-plane": "envoy-gateway",
            "app.kubernetes.io/name": "gateway-helm",
            "app.kubernetes.io/instance": "eg",
        })
    );
    let args = deployment.content.pointer("/spec/template/spec/containers/0/args").unwrap();
    assert_eq!(*args, json!(["server", "--config-path=/config/envoy-gateway.yaml"]));
}

#[test]
fn a_summary_names_what_runs_first() {
    let objects = render(&options(Values::default()));
    let summary = summary(&objects);
    assert!(summary.starts_with("1 Deployment, 1 Service, 1 ConfigMap, 1 Job, 2 ServiceAccounts"), "{summary}");
    assert!(summary.ends_with("1 Namespace") || summary.ends_with("CustomResourceDefinitions"), "{summary}");
}

#[test]
fn what_is_set_is_where_it_belongs() {
    let values: Values = serde_yaml::from_str(
        "image: r.example/a:1\nreplicas: 3\nresources: {requests: {cpu: 250m}, limits: {memory: 2Gi}}\n\
         nodeSelector: {disk: ssd}\nimagePullSecrets: [reg]\nextraArgs: [--log-level=debug]\n",
    )
    .unwrap();
    let objects = render(&options(values));
    let deployment = objects.iter().find(|object| object.kind == InstallKind::Deployment).unwrap();
    let at = |pointer: &str| deployment.content.pointer(pointer).cloned().unwrap_or_default();
    assert_eq!(at("/spec/replicas"), 3);
    let container = "/spec/template/spec/containers/0";
    assert_eq!(at(&format!("{container}/image")), "r.example/a:1");
    assert_eq!(
        at(&format!("{container}/resources")),
        json!({ "requests": { "cpu": "250m", "memory": "128Mi" }, "limits": { "memory": "2Gi" } })
    );
    assert_eq!(at("/spec/template/spec/nodeSelector/disk"), "ssd");
    assert_eq!(at("/spec/template/spec/imagePullSecrets/0/name"), "reg");
    assert!(objects.iter().any(|object| object.kind == InstallKind::PodDisruptionBudget));
    let remembered = deployment.content.pointer("/metadata/annotations").unwrap();
    assert!(text(remembered, "/kubectl-gateway~1values").contains("\"replicas\":3"), "{remembered}");
}

#[test]
fn what_cannot_be_installed_is_named_with_its_field() {
    let values: Values = serde_yaml::from_str(
        "image: 'a b'\nreplicas: 0\ngatewayClass: Big\nwatchNamespaces: [Shop]\nimagePullPolicy: Sometimes\n\
         resources: {limits: {memory: lots}}\n",
    )
    .unwrap();
    let faults: Vec<String> = options(values).faults().iter().map(ToString::to_string).collect();
    for field in ["image", "replicas", "gatewayClass", "watchNamespaces", "imagePullPolicy", "resources.limits.memory"]
    {
        assert!(faults.iter().any(|fault| fault.starts_with(&format!("{field}: "))), "{field}: {faults:?}");
    }
    assert!(options(Values::default()).faults().is_empty());
}

#[test]
fn a_flag_changes_one_amount_and_forgets_no_other() {
    let file: Values = serde_yaml::from_str("replicas: 2\nresources: {requests: {cpu: 1, memory: 1Gi}}").unwrap();
    let flags: Values = serde_yaml::from_str("resources: {requests: {cpu: 2}}").unwrap();
    let both = file.overlaid(flags);
    assert_eq!(both.replicas, Some(2));
    let requests = both.resources.unwrap().requests.unwrap();
    assert_eq!((requests.get("cpu").unwrap().0.as_str(), requests.get("memory").unwrap().0.as_str()), ("2", "1Gi"));
}

#[test]
fn how_many_agents_is_left_to_an_autoscaler() {
    let autoscaled = |values| Options { autoscaled: true, ..options(values) };
    let objects = render(&autoscaled(Values::default()));
    let deployment = objects.iter().find(|object| object.kind == InstallKind::Deployment).unwrap();
    assert_eq!(deployment.content.pointer("/spec/replicas"), None);
    let two = autoscaled(Values { replicas: Some(2), ..Values::default() });
    assert!(two.faults().iter().any(|fault| fault.to_string().starts_with("replicas: ")));
}
