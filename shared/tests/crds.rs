//! Proof that our CustomResourceDefinitions are those of Envoy Gateway v1.9.0: names, fields, types, defaults, enumerations,
//! bounds, patterns, list types and rules. Words are our own: descriptions and what a broken rule says.
//!
//! Needs the CRDs beside the repository (`../shared/reference/crds`) and says so where they are not.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod reference;

use std::collections::{BTreeMap, BTreeSet};

use gateway_shared::crds;
use serde_json::{Map, Value, json};

use reference::beside;

/// An API server keeps an object in one record of etcd, with what was applied last beside it.
const LARGEST: usize = 1 << 20;

#[test]
fn definitions_agree_with_those_of_envoy_gateway() {
    let Some(folder) = beside("shared/reference/crds/envoy-gateway-v1.9.0") else { return };
    let mut theirs = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let crd: Value = serde_yaml::from_str(&text).unwrap();
        theirs.insert(crd["metadata"]["name"].as_str().unwrap().to_owned(), crd);
    }
    let mut differences = Vec::new();
    let mut ours = BTreeSet::new();
    for crd in crds::all() {
        let name = crd["metadata"]["name"].as_str().unwrap().to_owned();
        let Some(reference) = theirs.get(&name) else {
            differences.push(format!("{name}: only ours"));
            continue;
        };
        compare(&name, &normal(&crd["spec"]), &normal(&reference["spec"]), &mut differences);
        ours.insert(name);
    }
    differences.extend(theirs.keys().filter(|name| !ours.contains(*name)).map(|name| format!("{name}: missing")));
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}

/// Notes what differs, path by path.
fn compare(path: &str, ours: &Value, theirs: &Value, differences: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            for key in ours.keys().chain(theirs.keys().filter(|key| !ours.contains_key(*key))) {
                match (ours.get(key), theirs.get(key)) {
                    (Some(ours), Some(theirs)) => compare(&format!("{path}.{key}"), ours, theirs, differences),
                    (Some(ours), None) => differences.push(format!("{path}.{key}: only ours: {ours}")),
                    (None, theirs) => differences.push(format!("{path}.{key}: missing: {}", json!(theirs))),
                }
            }
        }
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => {
            for (at, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                compare(&format!("{path}[{at}]"), ours, theirs, differences);
            }
        }
        _ if ours == theirs => {}
        _ => differences.push(format!("{path}: ours {ours}, theirs {theirs}")),
    }
}

/// A definition, or a part of one, without words and without what makes no difference: order, repetition, absence.
fn normal(part: &Value) -> Value {
    match part {
        Value::Object(fields) => {
            let mut fields: Map<_, _> = fields
                .iter()
                .map(|(key, value)| (key.clone(), normal(value)))
                .filter(|(_, value)| !empty(value))
                .collect();
            if fields.get("description").is_some_and(Value::is_string) {
                fields.remove("description");
            }
            for key in ["required", "enum"] {
                sort(fields.get_mut(key));
            }
            if let Some(Value::Array(rules)) = fields.get_mut("x-kubernetes-validations") {
                for rule in rules.iter_mut() {
                    *rule = rule["rule"].as_str().unwrap().trim().into();
                }
            }
            sort(fields.get_mut("x-kubernetes-validations"));
            enumeration_said_twice(&mut fields);
            fields.into()
        }
        Value::Array(items) => items.iter().map(normal).collect(),
        other => other.clone(),
    }
}

fn empty(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty)
}

fn sort(list: Option<&mut Value>) {
    if let Some(Value::Array(items)) = list {
        items.sort_by_key(ToString::to_string);
    }
}

/// The reference says some enumerations at the type and again at the field: `allOf: [{enum: …}, {enum: …}]`. What both
/// allow is allowed.
fn enumeration_said_twice(fields: &mut Map<String, Value>) {
    let Some(Value::Array(parts)) = fields.get("allOf") else { return };
    let lists: Option<Vec<_>> = parts.iter().map(|part| part["enum"].as_array()).collect();
    let Some([first, more @ ..]) = lists.as_deref() else { return };
    let allowed = first.iter().filter(|value| more.iter().all(|list| list.contains(value))).cloned().collect();
    fields.remove("allOf");
    fields.insert("enum".to_owned(), allowed);
}

#[test]
fn every_part_of_a_schema_has_a_type_and_every_rule_says_what_to_do() {
    for crd in crds::all() {
        let name = crd["metadata"]["name"].as_str().unwrap();
        let mut faults = Vec::new();
        check(name, &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"], &mut faults);
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}

/// What an API server demands of a structural schema.
fn check(path: &str, schema: &Value, faults: &mut Vec<String>) {
    let open = schema["x-kubernetes-preserve-unknown-fields"] == true || schema["x-kubernetes-int-or-string"] == true;
    if !schema["type"].is_string() && !open {
        faults.push(format!("{path} has no type"));
    }
    for keyword in ["$ref", "oneOf", "nullable", "$defs", "title"] {
        if schema.get(keyword).is_some() {
            faults.push(format!("{path} has {keyword}"));
        }
    }
    for rule in schema["x-kubernetes-validations"].as_array().into_iter().flatten() {
        if rule["message"].as_str().is_none_or(str::is_empty) {
            faults.push(format!("{path}: {rule} says nothing when it is broken"));
        }
    }
    for (field, schema) in schema["properties"].as_object().into_iter().flatten() {
        check(&format!("{path}.{field}"), schema, faults);
    }
    for keyword in ["items", "additionalProperties"] {
        if schema[keyword].is_object() {
            check(&format!("{path}[]"), &schema[keyword], faults);
        }
    }
}

#[test]
fn definitions_fit_into_one_object_and_carry_their_version() {
    for crd in crds::all() {
        let size = crd.to_string().len();
        assert!(size < LARGEST, "{} takes {size} bytes", crd["metadata"]["name"]);
        assert_eq!(crd["metadata"]["annotations"][crds::VERSION_ANNOTATION], crds::VERSION);
    }
}
