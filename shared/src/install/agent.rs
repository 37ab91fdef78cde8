//! What runs: the Deployment, the Service in front of it, and how many of its pods may be missing.

use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use super::object::{InstallKind, InstallObject, Step};
use super::options::Options;
use super::{CONFIG_MAP, NAME, labels};

/// The ports of Envoy Gateway, and of the API that answers the plugin.
const PORTS: &[(&str, u16)] =
    &[("grpc", 18000), ("ratelimit", 18001), ("wasm", 18002), ("metrics", 19001), ("api", API_PORT)];

/// The port of the API that answers `kubectl gateway`.
pub const API_PORT: u16 = 19010;

/// The port of the topology webhook.
const WEBHOOK: (&str, u16) = ("webhook", 9443);

/// The environment variable with the cluster's DNS domain.
pub const CLUSTER_DOMAIN: &str = "KUBERNETES_CLUSTER_DOMAIN";

/// The annotation of the Deployment that remembers what was set when it was installed.
pub const REMEMBERED: &str = "kubectl-gateway/values";

/// The annotation of its pods that makes them roll when the configuration changes.
const CONFIG_HASH: &str = "kubectl-gateway/config-hash";

/// The user the agent's processes are.
const USER: u32 = 65532;

fn ports(options: &Options) -> impl Iterator<Item = (&'static str, u16)> {
    PORTS.iter().copied().chain(options.config.topology_injector().then_some(WEBHOOK))
}

/// The agent's address for proxies, the plugin and metrics.
pub(super) fn service(options: &Options) -> InstallObject {
    let ports: Vec<Value> =
        ports(options).map(|(name, port)| json!({ "name": name, "port": port, "targetPort": port })).collect();
    let mut labels = labels::common(options);
    labels.insert("control-plane", NAME.to_owned());
    let mut metadata = json!({ "name": NAME, "namespace": options.namespace, "labels": labels });
    set(
        &mut metadata,
        "annotations",
        &options.values.service_annotations,
        options.values.service_annotations.is_empty(),
    );
    let content = json!({
        "metadata": metadata,
        "spec": { "type": "ClusterIP", "selector": labels::selector(options), "ports": ports },
    });
    InstallObject::new(Step::Agent, InstallKind::Service, content)
}

/// The agent's pods.
pub(super) fn deployment(options: &Options) -> InstallObject {
    let values = &options.values;
    let mut labels = labels::common(options);
    labels.insert("control-plane", NAME.to_owned());
    let remembered = serde_json::to_string(&values.remembered()).unwrap_or_default();
    let mut pod_labels = json!(labels::selector(options));
    overlay(&mut pod_labels, &json!(values.pod_labels));
    let mut pod_annotations = json!({
        "prometheus.io/scrape": "true",
        "prometheus.io/port": "19001",
        CONFIG_HASH: format!("{:016x}", xxh3_64(options.config.text.as_bytes())),
    });
    overlay(&mut pod_annotations, &json!(values.pod_annotations));
    let mut content = json!({
        "metadata": {
            "name": NAME,
            "namespace": options.namespace,
            "labels": labels,
            "annotations": { REMEMBERED: remembered },
        },
        "spec": {
            // The next agent serves before the last one goes, so that a proxy always finds one.
            "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxUnavailable": 0, "maxSurge": 1 } },
            "selector": { "matchLabels": labels::selector(options) },
            "template": {
                "metadata": { "labels": pod_labels, "annotations": pod_annotations },
                "spec": pod(options),
            },
        },
    });
    if let Some(spec) = content.get_mut("spec") {
        set(spec, "replicas", &values.replicas(), options.autoscaled);
    }
    InstallObject::new(Step::Agent, InstallKind::Deployment, content)
}

fn pod(options: &Options) -> Value {
    let mut pod = json!({
        "automountServiceAccountToken": true,
        "serviceAccountName": NAME,
        "securityContext": pod_security(),
        "terminationGracePeriodSeconds": 10,
        "containers": [container(options)],
        "volumes": [
            { "name": "envoy-gateway-config", "configMap": { "name": CONFIG_MAP, "defaultMode": 420 } },
            { "name": "certs", "secret": { "secretName": NAME } },
            { "name": "wasm-cache", "emptyDir": {} },
        ],
    });
    placement(options, &mut pod);
    let constraints = &options.values.topology_spread_constraints;
    set(&mut pod, "topologySpreadConstraints", constraints, constraints.is_empty());
    if constraints.is_empty() && options.values.replicas() > 1 {
        let spread = json!([{
            "maxSkew": 1,
            "topologyKey": "kubernetes.io/hostname",
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": { "matchLabels": labels::selector(options) },
        }]);
        set(&mut pod, "topologySpreadConstraints", &spread, false);
    }
    let class = &options.values.priority_class_name;
    set(&mut pod, "priorityClassName", class, class.is_none());
    pod
}

fn container(options: &Options) -> Value {
    let ports: Vec<Value> =
        ports(options).map(|(name, port)| json!({ "name": name, "containerPort": port, "protocol": "TCP" })).collect();
    let mut args = vec!["server".to_owned(), "--config-path=/config/envoy-gateway.yaml".to_owned()];
    args.extend(options.values.extra_args.iter().cloned());
    let mut env = environment(options);
    env.extend(options.values.extra_env.iter().map(|variable| json!(variable)));
    let mut container = json!({
        "name": NAME,
        "image": options.values.image(),
        "args": args,
        "env": env,
        "ports": ports,
        "startupProbe": probe("/healthz", 1, 30),
        "livenessProbe": probe("/healthz", 20, 3),
        "readinessProbe": probe("/readyz", 5, 3),
        "resources": resources(options),
        "securityContext": container_security(),
        "volumeMounts": [
            { "name": "envoy-gateway-config", "mountPath": "/config", "readOnly": true },
            { "name": "certs", "mountPath": "/certs", "readOnly": true },
            { "name": "wasm-cache", "mountPath": "/var/lib/eg/wasm" },
        ],
    });
    pull_policy(options, &mut container);
    container
}

fn probe(path: &str, period: u32, failures: u32) -> Value {
    json!({
        "httpGet": { "path": path, "port": 8081 },
        "periodSeconds": period,
        "failureThreshold": failures,
        "successThreshold": 1,
        "timeoutSeconds": 1,
    })
}

/// What one agent gets: measured at 5,000 routes it uses 80 MiB.
fn resources(options: &Options) -> Value {
    let mut resources = json!({
        "requests": { "cpu": "100m", "memory": "128Mi" },
        "limits": { "memory": "1024Mi" },
    });
    if let Some(said) = &options.values.resources {
        let said = json!(said);
        for list in ["requests", "limits"] {
            if let (Some(below), Some(over)) = (resources.get_mut(list), said.get(list)) {
                overlay(below, over);
            }
        }
    }
    resources
}

/// What every process of ours is told by its environment.
pub(super) fn environment(options: &Options) -> Vec<Value> {
    let field = |name: &str, path: &str| json!({ "name": name, "valueFrom": { "fieldRef": { "apiVersion": "v1", "fieldPath": path } } });
    vec![
        field("ENVOY_GATEWAY_NAMESPACE", "metadata.namespace"),
        json!({ "name": CLUSTER_DOMAIN, "value": options.values.cluster_domain() }),
        field("POD_NAME", "metadata.name"),
        json!({ "name": "GATEWAY_AGENT_IMAGE", "value": options.values.image() }),
    ]
}

/// How many agents may be missing at once while nodes are drained; with one there is nothing to protect.
pub(super) fn disruption_budget(options: &Options) -> Option<InstallObject> {
    if options.values.replicas() < 2 {
        return None;
    }
    let content = json!({
        "metadata": labels::metadata(options, NAME),
        "spec": { "maxUnavailable": 1, "selector": { "matchLabels": labels::selector(options) } },
    });
    Some(InstallObject::new(Step::Agent, InstallKind::PodDisruptionBudget, content))
}

/// Nobody special, under the container runtime's own filter of system calls.
pub(super) fn pod_security() -> Value {
    json!({
        "runAsNonRoot": true,
        "runAsUser": USER,
        "runAsGroup": USER,
        "fsGroup": USER,
        "seccompProfile": { "type": "RuntimeDefault" },
    })
}

/// No way up, nothing to write on.
pub(super) fn container_security() -> Value {
    json!({
        "allowPrivilegeEscalation": false,
        "capabilities": { "drop": ["ALL"] },
        "privileged": false,
        "readOnlyRootFilesystem": true,
        "runAsNonRoot": true,
        "runAsUser": USER,
        "runAsGroup": USER,
        "seccompProfile": { "type": "RuntimeDefault" },
    })
}

/// On which nodes pods of ours may run, and how their image is got.
pub(super) fn placement(options: &Options, pod: &mut Value) {
    let values = &options.values;
    set(pod, "nodeSelector", &values.node_selector, values.node_selector.is_empty());
    set(pod, "tolerations", &values.tolerations, values.tolerations.is_empty());
    set(pod, "affinity", &values.affinity, values.affinity.is_none());
    let secrets: Vec<Value> = values.image_pull_secrets.iter().map(|name| json!({ "name": name })).collect();
    set(pod, "imagePullSecrets", &secrets, secrets.is_empty());
}

/// When the image is pulled, if that is said.
pub(super) fn pull_policy(options: &Options, container: &mut Value) {
    let policy = &options.values.image_pull_policy;
    set(container, "imagePullPolicy", policy, policy.is_none());
}

/// Sets a field unless it is to be left out.
fn set(object: &mut Value, field: &str, value: &impl serde::Serialize, left_out: bool) {
    if let (Value::Object(object), false) = (object, left_out) {
        object.insert(field.to_owned(), json!(value));
    }
}

/// Puts the entries of `over` into `below`.
fn overlay(below: &mut Value, over: &Value) {
    if let (Value::Object(below), Value::Object(over)) = (below, over) {
        below.extend(over.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
}
