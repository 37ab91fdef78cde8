//! What the schemas of Kubernetes' own types leave out: how lists and maps are merged, defaults, and the form of amounts.
//!
//! The schemas come from Kubernetes' OpenAPI document, where this is said by other means. Descriptions are left out:
//! they are most of the text, a definition has to fit into one object of an API server, and `kubectl explain pods` has
//! them all.

use serde_json::{Map, Value, json};

/// An amount, such as `512Mi`.
const QUANTITY: &str = concat!(
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))",
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
);

/// Types that are replaced as a whole, and whose fields don't merge.
const ATOMIC_TYPES: &[&str] = &[
    "core.v1.ConfigMapEnvSource",
    "core.v1.ConfigMapKeySelector",
    "core.v1.ConfigMapProjection",
    "core.v1.ConfigMapVolumeSource",
    "core.v1.FileKeySelector",
    "core.v1.LocalObjectReference",
    "core.v1.NodeSelector",
    "core.v1.NodeSelectorTerm",
    "core.v1.ObjectFieldSelector",
    "core.v1.ResourceFieldSelector",
    "core.v1.SecretEnvSource",
    "core.v1.SecretKeySelector",
    "core.v1.SecretProjection",
    "core.v1.TypedLocalObjectReference",
    "meta.v1.LabelSelector",
];

/// Lists that are replaced as a whole.
const ATOMIC_LISTS: &[(&str, &[&str])] = &[
    ("autoscaling.v2.HPAScalingRules", &["policies"]),
    ("core.v1.Capabilities", &["add", "drop"]),
    ("core.v1.CephFSVolumeSource", &["monitors"]),
    ("core.v1.ConfigMapProjection", &["items"]),
    ("core.v1.ConfigMapVolumeSource", &["items"]),
    ("core.v1.Container", &["args", "command", "envFrom", "resizePolicy", "restartPolicyRules"]),
    ("core.v1.DownwardAPIProjection", &["items"]),
    ("core.v1.DownwardAPIVolumeSource", &["items"]),
    ("core.v1.ExecAction", &["command"]),
    ("core.v1.FCVolumeSource", &["targetWWNs", "wwids"]),
    ("core.v1.HTTPGetAction", &["httpHeaders"]),
    ("core.v1.ISCSIVolumeSource", &["portals"]),
    ("core.v1.NodeAffinity", &["preferredDuringSchedulingIgnoredDuringExecution"]),
    ("core.v1.NodeSelector", &["nodeSelectorTerms"]),
    ("core.v1.NodeSelectorRequirement", &["values"]),
    ("core.v1.NodeSelectorTerm", &["matchExpressions", "matchFields"]),
    ("core.v1.PersistentVolumeClaimSpec", &["accessModes"]),
    ("core.v1.PodAffinity", POD_AFFINITY),
    ("core.v1.PodAffinityTerm", &["matchLabelKeys", "mismatchLabelKeys", "namespaces"]),
    ("core.v1.PodAntiAffinity", POD_AFFINITY),
    ("core.v1.PodSecurityContext", &["supplementalGroups", "sysctls"]),
    ("core.v1.ProjectedVolumeSource", &["sources"]),
    ("core.v1.RBDVolumeSource", &["monitors"]),
    ("core.v1.SecretProjection", &["items"]),
    ("core.v1.SecretVolumeSource", &["items"]),
    ("core.v1.TopologySpreadConstraint", &["matchLabelKeys"]),
    ("meta.v1.LabelSelector", &["matchExpressions"]),
    ("meta.v1.LabelSelectorRequirement", &["values"]),
];

const POD_AFFINITY: &[&str] =
    &["preferredDuringSchedulingIgnoredDuringExecution", "requiredDuringSchedulingIgnoredDuringExecution"];

/// Lists whose items are told apart by some of their fields.
const KEYED_LISTS: &[(&str, &str, &[&str])] = &[
    ("core.v1.Container", "env", &["name"]),
    ("core.v1.Container", "ports", &["containerPort", "protocol"]),
    ("core.v1.Container", "volumeDevices", &["devicePath"]),
    ("core.v1.Container", "volumeMounts", &["mountPath"]),
    ("core.v1.ResourceRequirements", "claims", &["name"]),
];

/// Lists that hold nothing twice.
const SETS: &[(&str, &str)] = &[("core.v1.ContainerRestartRuleOnExitCodes", "values")];

/// Values of fields that aren't given.
const TEXT_DEFAULTS: &[(&str, &str, &str)] = &[
    ("core.v1.AzureDiskVolumeSource", "fsType", "ext4"),
    ("core.v1.ConfigMapEnvSource", "name", ""),
    ("core.v1.ConfigMapKeySelector", "name", ""),
    ("core.v1.ConfigMapProjection", "name", ""),
    ("core.v1.ConfigMapVolumeSource", "name", ""),
    ("core.v1.ContainerPort", "protocol", "TCP"),
    ("core.v1.GRPCAction", "service", ""),
    ("core.v1.ISCSIVolumeSource", "iscsiInterface", "default"),
    ("core.v1.LocalObjectReference", "name", ""),
    ("core.v1.RBDVolumeSource", "keyring", "/etc/ceph/keyring"),
    ("core.v1.RBDVolumeSource", "pool", "rbd"),
    ("core.v1.RBDVolumeSource", "user", "admin"),
    ("core.v1.ScaleIOVolumeSource", "fsType", "xfs"),
    ("core.v1.ScaleIOVolumeSource", "storageMode", "ThinProvisioned"),
    ("core.v1.SecretEnvSource", "name", ""),
    ("core.v1.SecretKeySelector", "name", ""),
    ("core.v1.SecretProjection", "name", ""),
];

/// Switches that are off when they aren't given.
const OFF_BY_DEFAULT: &[(&str, &str)] =
    &[("core.v1.AzureDiskVolumeSource", "readOnly"), ("core.v1.FileKeySelector", "optional")];

/// Completes the definition `name`, where it is one of Kubernetes'.
pub(super) fn complete(name: &str, definition: &mut Value) {
    let Some(name) = name.strip_prefix("io.k8s.api.").or_else(|| name.strip_prefix("io.k8s.apimachinery.pkg.")) else {
        return;
    };
    let name = name.strip_prefix("apis.").unwrap_or(name);
    without_descriptions(definition);
    let Value::Object(definition) = definition else { return };
    match name {
        "util.intstr.IntOrString" => int_or_string(definition),
        "api.resource.Quantity" => {
            int_or_string(definition);
            definition.insert("pattern".to_owned(), QUANTITY.into());
        }
        // A template's metadata is checked where it is used.
        "meta.v1.ObjectMeta" => {
            definition.remove("properties");
        }
        _ => {}
    }
    if ATOMIC_TYPES.contains(&name) {
        definition.insert("x-kubernetes-map-type".to_owned(), "atomic".into());
    }
    for field in of(ATOMIC_LISTS, name).flat_map(|(_, fields)| *fields) {
        say(definition, field, "x-kubernetes-list-type", "atomic".into());
    }
    for (_, field, keys) in KEYED_LISTS.iter().filter(|(owner, ..)| *owner == name) {
        say(definition, field, "x-kubernetes-list-type", "map".into());
        say(definition, field, "x-kubernetes-list-map-keys", json!(keys));
    }
    for (_, field) in SETS.iter().filter(|(owner, _)| *owner == name) {
        say(definition, field, "x-kubernetes-list-type", "set".into());
    }
    for (_, field, default) in TEXT_DEFAULTS.iter().filter(|(owner, ..)| *owner == name) {
        say(definition, field, "default", (*default).into());
        if default.is_empty() {
            optional(definition, field);
        }
    }
    for (_, field) in OFF_BY_DEFAULT.iter().filter(|(owner, _)| *owner == name) {
        say(definition, field, "default", false.into());
    }
}

fn of<'a, T>(table: &'a [(&'a str, T)], name: &'a str) -> impl Iterator<Item = &'a (&'a str, T)> {
    table.iter().filter(move |(owner, _)| *owner == name)
}

/// Says `keyword` about a field of a definition.
fn say(definition: &mut Map<String, Value>, field: &str, keyword: &str, value: Value) {
    if let Some(Value::Object(schema)) = definition.get_mut("properties").and_then(|fields| fields.get_mut(field)) {
        schema.insert(keyword.to_owned(), value);
    }
}

/// Makes a field one that may be left out.
fn optional(definition: &mut Map<String, Value>, field: &str) {
    if let Some(Value::Array(required)) = definition.get_mut("required") {
        required.retain(|name| name != field);
        if required.is_empty() {
            definition.remove("required");
        }
    }
}

fn int_or_string(definition: &mut Map<String, Value>) {
    definition.insert("anyOf".to_owned(), json!([{"type": "integer"}, {"type": "string"}]));
}

fn without_descriptions(definition: &mut Value) {
    if let Value::Object(definition) = definition {
        definition.remove("description");
        for keyword in ["items", "additionalProperties"] {
            if let Some(inner) = definition.get_mut(keyword) {
                without_descriptions(inner);
            }
        }
        if let Some(Value::Object(properties)) = definition.get_mut("properties") {
            properties.values_mut().for_each(without_descriptions);
        }
    }
}
