//! Proof that the types have every field of the CRDs they mirror: a manifest with all of them comes back complete.
//!
//! Needs the CRDs beside the repository (`../shared/reference/crds`) and says so where they are not.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that can't go on has failed")]

mod reference;

use std::path::Path;

use gateway_shared::api::backend_traffic_policy::BackendTrafficPolicy;
use gateway_shared::api::client_traffic_policy::ClientTrafficPolicy;
use gateway_shared::api::envoy_extension_policy::EnvoyExtensionPolicy;
use gateway_shared::api::envoy_patch_policy::EnvoyPatchPolicy;
use gateway_shared::api::metadata::{self, Object};
use gateway_shared::api::security_policy::SecurityPolicy;
use gateway_shared::resources::decode;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use reference::beside;

const CRDS: &[&str] = &[
    "gateway-api-v1.6.1/experimental/gateway.networking.k8s.io_gatewayclasses.yaml",
    "gateway-api-v1.6.1/experimental/gateway.networking.k8s.io_gateways.yaml",
    "gateway-api-v1.6.1/experimental/gateway.networking.k8s.io_httproutes.yaml",
    "gateway-api-v1.6.1/experimental/gateway.networking.k8s.io_tlsroutes.yaml",
    "gateway-api-v1.6.1/experimental/gateway.networking.k8s.io_tcproutes.yaml",
    "gateway-api-v1.6.1/experimental/gateway.networking.k8s.io_udproutes.yaml",
    "gateway-api-v1.6.1/experimental/gateway.networking.k8s.io_referencegrants.yaml",
    "envoy-gateway-v1.9.0/gateway.envoyproxy.io_backends.yaml",
    "envoy-gateway-v1.9.0/gateway.envoyproxy.io_envoyproxies.yaml",
    "envoy-gateway-v1.9.0/gateway.envoyproxy.io_httproutefilters.yaml",
];

/// A kind that has a type, but isn't among the objects that are translated.
struct Policy {
    kind: &'static str,
    plural: &'static str,
    /// Reads an object and writes it again.
    through: fn(Value) -> serde_json::Result<Value>,
}

const POLICIES: &[Policy] = &[
    policy::<BackendTrafficPolicy>(),
    policy::<ClientTrafficPolicy>(),
    policy::<EnvoyExtensionPolicy>(),
    policy::<EnvoyPatchPolicy>(),
    policy::<SecurityPolicy>(),
];

const fn policy<T: Object + Serialize + DeserializeOwned>() -> Policy {
    Policy {
        kind: T::KIND,
        plural: T::PLURAL,
        through: |object| metadata::manifest(&serde_json::from_value::<T>(object)?),
    }
}

impl Policy {
    /// The schema of the kind in Envoy Gateway's CRDs.
    fn schema(&self, crds: &Path) -> Value {
        let file = crds.join(format!("envoy-gateway-v1.9.0/gateway.envoyproxy.io_{}.yaml", self.plural));
        let crd: Value = serde_yaml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone()
    }
}

/// Cases with policies an API server refuses, but a file may hold.
const REFUSED: &[&str] = &[
    "backendtrafficpolicy-dns-lookup-family",
    "backendtrafficpolicy-with-loadbalancer-invalid-consistent-hash-table-size",
];

/// The longest enumeration of these CRDs is shorter.
const ROUNDS: usize = 40;

#[test]
fn every_field_of_the_crds_survives_decoding() {
    let Some(crds) = beside("shared/reference/crds") else { return };
    let mut faults = Vec::new();
    for name in CRDS {
        let text = std::fs::read_to_string(crds.join(name)).unwrap();
        let crd: Value = serde_yaml::from_str(&text).unwrap();
        let spec = &crd["spec"];
        for version in spec["versions"].as_array().unwrap().iter().filter(|version| version["served"] == true) {
            for round in 0..ROUNDS {
                let mut sample = sample(&version["schema"]["openAPIV3Schema"], "", round);
                sample["apiVersion"] =
                    format!("{}/{}", spec["group"].as_str().unwrap(), version["name"].as_str().unwrap()).into();
                sample["kind"] = spec["names"]["kind"].clone();
                sample["metadata"] = json!({"name": "sample", "namespace": "here"});
                let decoded = decode::manifests(name, &sample.to_string());
                for finding in decoded.errors.iter().chain(&decoded.warnings) {
                    faults.push(format!("{name}: {}: {}", finding.path, finding.message));
                }
                for object in &decoded.objects {
                    let mut found = object.object.manifest().unwrap();
                    // Whatever version is read, one is written.
                    found["apiVersion"] = sample["apiVersion"].clone();
                    compare(name, "", &sample, &found, &mut faults);
                }
            }
        }
    }
    faults.sort();
    faults.dedup();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn every_field_of_policies_survives_reading() {
    let Some(crds) = beside("shared/reference/crds") else { return };
    let mut faults = Vec::new();
    for policy @ Policy { kind, through, .. } in POLICIES {
        let schema = policy.schema(&crds);
        for round in 0..ROUNDS {
            let mut sample = sample(&schema, "", round);
            sample["apiVersion"] = "gateway.envoyproxy.io/v1alpha1".into();
            sample["kind"] = (*kind).into();
            match through(sample.clone()) {
                Ok(found) => compare(kind, "", &sample, &found, &mut faults),
                Err(error) => faults.push(format!("{kind}: {error}")),
            }
        }
    }
    faults.sort();
    faults.dedup();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// A value for every field of a schema. Of an enumeration, each round takes another member.
fn sample(schema: &Value, name: &str, round: usize) -> Value {
    let members = schema["allOf"].as_array().and_then(|all| all.iter().find_map(|part| part["enum"].as_array()));
    if let Some(members) = schema["enum"].as_array().or(members) {
        return members[round % members.len()].clone();
    }
    if schema["x-kubernetes-int-or-string"] == true {
        return "1".into();
    }
    match schema["type"].as_str() {
        Some("object") => match (schema["properties"].as_object(), &schema["additionalProperties"]) {
            (Some(fields), _) => fields
                .iter()
                .map(|(name, schema)| (name.clone(), sample(schema, name, round)))
                .collect::<Map<_, _>>()
                .into(),
            (None, Value::Object(_)) => json!({"key": sample(&schema["additionalProperties"], name, round)}),
            (None, _) if name == "metadata" => json!({"name": "x", "labels": {"a": "b"}}),
            (None, _) if schema["x-kubernetes-preserve-unknown-fields"] == true => json!({"anything": 1}),
            (None, _) => json!({}),
        },
        Some("array") => json!([sample(&schema["items"], name, round)]),
        Some("boolean") => true.into(),
        Some("integer") => schema["minimum"].as_i64().unwrap_or(1).max(1).into(),
        Some("number") => json!(1.5),
        Some("string") if schema["format"] == "date-time" => "2026-01-31T12:00:00Z".into(),
        Some("string") if schema["format"] == "byte" => "dmFsdWU=".into(),
        Some("string") if schema["pattern"].as_str().is_some_and(|pattern| pattern.contains("(h|m|s|ms)")) => {
            "3s".into()
        }
        // The CRDs leave these open, but only these words mean anything.
        Some("string") if name == "onInvalidMessage" => ["TerminateConnection", "TerminateStream"][round % 2].into(),
        Some("string") if name == "routingType" => ["Service", "Endpoint"][round % 2].into(),
        Some("string") if name == "mergeType" => ["StrategicMerge", "JSONMerge"][round % 2].into(),
        Some("string") if name == "type" => ["StrategicMerge", "JSONMerge"][round % 2].into(),
        Some("string") => format!("some {name}").into(),
        _ => json!({"anything": 1}),
    }
}

/// Notes what of `sample` is missing or different in `found`.
fn compare(source: &str, path: &str, sample: &Value, found: &Value, faults: &mut Vec<String>) {
    match (sample, found) {
        (Value::Object(sample), Value::Object(found)) => {
            for (key, value) in sample {
                match found.get(key) {
                    Some(other) => compare(source, &format!("{path}.{key}"), value, other, faults),
                    None => faults.push(format!("{source}: {path}.{key} was lost: {value}")),
                }
            }
        }
        (Value::Array(sample), Value::Array(found)) if sample.len() == found.len() => {
            for (value, other) in sample.iter().zip(found) {
                compare(source, &format!("{path}[]"), value, other, faults);
            }
        }
        _ if sample == found => {}
        _ => faults.push(format!("{source}: {path} was {sample} and became {found}")),
    }
}

#[test]
fn the_corpus_decodes() {
    let Some(corpus) = beside("shared/corpus/translate") else { return };
    let mut cases: Vec<_> = std::fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    let mut errors = Vec::new();
    for case in cases {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        match decode::config(&name, &std::fs::read_to_string(case.join("config.yaml")).unwrap()) {
            Ok(decoded) => errors.extend(decoded.warnings),
            Err(found) => errors.extend(found),
        }
        errors.extend(decode::bytes(&name, &std::fs::read(case.join("in.yaml")).unwrap()).errors);
    }
    // One object there spells its fields with capitals, which only Go's JSON reads.
    errors.retain(|error| error.file != "accesslog-als-backend");
    let text: Vec<_> = errors.iter().map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{} errors:\n{}", errors.len(), text.join("\n"));
}

#[test]
fn the_policies_of_the_corpus_are_read_without_loss() {
    let (Some(corpus), Some(crds)) = (beside("shared/corpus/translate"), beside("shared/reference/crds")) else {
        return;
    };
    let policies: Vec<_> = POLICIES.iter().map(|policy| (policy, policy.schema(&crds))).collect();
    let mut faults = Vec::new();
    for case in std::fs::read_dir(corpus).unwrap() {
        let case = case.unwrap();
        let case_name = case.file_name().to_string_lossy().into_owned();
        if REFUSED.contains(&case_name.as_str()) {
            continue;
        }
        let text = std::fs::read_to_string(case.path().join("in.yaml")).unwrap();
        for object in serde_yaml::Deserializer::from_str(&text) {
            let mut object = Value::deserialize(object).unwrap();
            let Some((policy, schema)) = policies.iter().find(|(policy, _)| object["kind"] == policy.kind) else {
                continue;
            };
            spell(&mut object, schema);
            let source = format!("{case_name} {}", object["metadata"]["name"]);
            match (policy.through)(object.clone()) {
                Ok(found) => compare(&source, "", &object, &found, &mut faults),
                Err(error) => faults.push(format!("{source}: {error}")),
            }
        }
    }
    // Durations and times have several spellings; some here are no durations at all; and nothing is as good as an empty
    // list, null or false.
    let harmless = [" is no duration", " and became ", " was lost: []", " was lost: null", " was lost: false"];
    faults.retain(|fault| !harmless.iter().any(|text| fault.contains(text)));
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Gives fields the capitals they have in the schema: Go reads them whatever their capitals are, and so does decoding.
fn spell(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(fields) => {
            let known = schema["properties"].as_object();
            *fields = std::mem::take(fields)
                .into_iter()
                .map(|(name, mut value)| {
                    let right = known.into_iter().flatten().find(|(known, _)| known.eq_ignore_ascii_case(&name));
                    let inner = right.map_or(&schema["additionalProperties"], |(_, schema)| schema);
                    spell(&mut value, inner);
                    (right.map_or(name, |(known, _)| known.clone()), value)
                })
                .collect();
        }
        Value::Array(items) => items.iter_mut().for_each(|item| spell(item, &schema["items"])),
        _ => {}
    }
}
