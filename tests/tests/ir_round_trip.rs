//! Every XdsIR and InfraIR of the corpus survives decoding and encoding.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gateway_shared::api::duration::Duration;
use gateway_shared::ir::Infra;
use gateway_shared::ir::Xds;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_yaml::Value;
use std::fs;
use std::path::Path;
use std::path::PathBuf;

/// The corpus, when it stands beside the project.
fn corpus() -> Option<PathBuf> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    let found = project.join("../shared/corpus").canonicalize().ok();
    if found.is_none() {
        println!("skipped: there is no corpus beside the project");
    }
    found
}

/// The documents named `file` in the cases of `kind`.
fn documents(corpus: &Path, kind: &str, file: &str) -> Vec<(String, Value)> {
    let cases = fs::read_dir(corpus.join(kind)).into_iter().flatten().flatten();
    let mut documents: Vec<(String, Value)> = cases
        .filter_map(|case| {
            let text = fs::read_to_string(case.path().join(file)).ok()?;
            if file == "in.yaml" && is_refused(&case.path().join("want.yaml")) {
                return None;
            }
            let name = format!("{kind}/{}", case.file_name().to_string_lossy());
            Some((name, serde_yaml::from_str(&text).ok()?))
        })
        .collect();
    documents.sort_by(|a, b| a.0.cmp(&b.0));
    documents
}

/// Whether the case is about an input that is refused.
fn is_refused(want: &Path) -> bool {
    fs::read_to_string(want).is_ok_and(|text| text.starts_with("error: true"))
}

/// Null, false, the empty string and empty collections count as absent; durations compare by value, numbers as they are
/// written, bytes as base64, and names of fields without their case.
fn canonical(value: &Value) -> Option<Value> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(match text.parse::<Duration>() {
            Ok(duration) => Value::String(duration.to_string()),
            Err(_) => value.clone(),
        }),
        Value::Number(number) => number.as_f64().map(|number| Value::String(number.to_string())),
        Value::Sequence(items) if items.is_empty() => None,
        Value::Sequence(items) if let Some(bytes) = bytes(items) => Some(Value::String(STANDARD.encode(bytes))),
        Value::Sequence(items) => {
            Some(Value::Sequence(items.iter().map(|item| canonical(item).unwrap_or(Value::Null)).collect()))
        }
        Value::Mapping(fields) => {
            let fields: serde_yaml::Mapping = fields
                .iter()
                .filter_map(|(key, value)| Some((key.as_str()?.to_lowercase().into(), canonical(value)?)))
                .collect();
            (!fields.is_empty()).then_some(Value::Mapping(fields))
        }
        Value::Bool(true) | Value::Tagged(_) => Some(value.clone()),
    }
}

/// The items, when they are bytes.
fn bytes(items: &[Value]) -> Option<Vec<u8>> {
    items.iter().map(|item| u8::try_from(item.as_u64()?).ok()).collect()
}

/// Whether `got` says no more than an absent value: zeros, or the kind of an object whose kind is known.
fn is_implied(path: &str, got: &Value) -> bool {
    match got {
        Value::String(text) => text == "0" || path.ends_with(".config.apiversion") || path.ends_with(".config.kind"),
        Value::Mapping(fields) => fields.iter().all(|(key, value)| {
            let path = format!("{path}.{}", key.as_str().unwrap_or("?"));
            is_implied(&path, value)
        }),
        _ => false,
    }
}

/// Where two documents differ first.
fn difference(path: &str, want: Option<&Value>, got: Option<&Value>) -> Option<String> {
    match (want, got) {
        (Some(Value::Mapping(want)), Some(Value::Mapping(got))) => {
            let keys = want.keys().chain(got.keys().filter(|key| !want.contains_key(*key)));
            keys.filter_map(|key| {
                let path = format!("{path}.{}", key.as_str().unwrap_or("?"));
                difference(&path, want.get(key), got.get(key))
            })
            .next()
        }
        (Some(Value::Sequence(want)), Some(Value::Sequence(got))) if want.len() == got.len() => want
            .iter()
            .zip(got)
            .enumerate()
            .find_map(|(index, (want, got))| difference(&format!("{path}[{index}]"), Some(want), Some(got))),
        (want, got) if want == got => None,
        (None | Some(Value::Null), Some(got)) if is_implied(path, got) => None,
        (want, got) => Some(format!("{path}: {want:?} became {got:?}")),
    }
}

/// The document without null fields; an empty document is an empty object.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Null => Value::Mapping(serde_yaml::Mapping::new()),
        Value::Sequence(items) => Value::Sequence(items.iter().map(without_nulls).collect()),
        Value::Mapping(fields) => {
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            Value::Mapping(fields.map(|(key, value)| (key.clone(), without_nulls(value))).collect())
        }
        _ => value.clone(),
    }
}

/// What goes wrong when `document` is decoded as `T` and encoded again.
fn fault<T: Serialize + DeserializeOwned>(document: &Value) -> Option<String> {
    let text = match serde_yaml::to_string(&without_nulls(document)) {
        Ok(text) => text,
        Err(error) => return Some(format!("not YAML: {error}")),
    };
    let mut unknown = Vec::new();
    let mut note = |path: serde_ignored::Path<'_>| {
        let path = path.to_string();
        if !path.ends_with(".config.?.apiVersion") && !path.ends_with(".config.?.kind") {
            unknown.push(path);
        }
    };
    let decoded: T = match serde_ignored::deserialize(serde_yaml::Deserializer::from_str(&text), &mut note) {
        Ok(decoded) => decoded,
        Err(error) => return Some(format!("not decoded: {error}")),
    };
    if !unknown.is_empty() {
        return Some(format!("unknown fields: {}", unknown.join(", ")));
    }
    let text = match serde_json::to_string(&decoded) {
        Ok(text) => text,
        Err(error) => return Some(format!("not encoded: {error}")),
    };
    let again: Value = match serde_yaml::from_str(&text) {
        Ok(again) => again,
        Err(error) => return Some(format!("encoded, not YAML: {error}")),
    };
    difference("", canonical(document).as_ref(), canonical(&again).as_ref())
}

/// Decodes and encodes each document and fails with all that went wrong.
fn check<T: Serialize + DeserializeOwned>(documents: &[(String, Value)]) {
    assert!(!documents.is_empty(), "the corpus holds none of these documents");
    let faults: Vec<String> = documents
        .iter()
        .filter_map(|(name, document)| fault::<T>(document).map(|fault| format!("{name}{fault}")))
        .collect();
    assert!(faults.is_empty(), "{} of {} documents:\n{}", faults.len(), documents.len(), faults.join("\n"));
}

/// The members of the map `field` of the documents.
fn members(documents: Vec<(String, Value)>, field: &str) -> Vec<(String, Value)> {
    let mut values = Vec::new();
    for (name, document) in documents {
        for (key, value) in document.get(field).and_then(Value::as_mapping).into_iter().flatten() {
            values.push((format!("{name} {}", key.as_str().unwrap_or("?")), value.clone()));
        }
    }
    values
}

#[test]
fn inputs_of_the_xds_cases() {
    let Some(corpus) = corpus() else { return };
    check::<Xds>(&documents(&corpus, "xds", "in.yaml"));
}

#[test]
fn inputs_of_the_infra_cases() {
    let Some(corpus) = corpus() else { return };
    check::<Infra>(&members(documents(&corpus, "infra", "in.yaml"), "infraIR"));
}

#[test]
fn xds_irs_of_the_translate_cases() {
    let Some(corpus) = corpus() else { return };
    check::<Xds>(&members(documents(&corpus, "translate", "want.yaml"), "xdsIR"));
}

#[test]
fn infra_irs_of_the_translate_cases() {
    let Some(corpus) = corpus() else { return };
    check::<Infra>(&members(documents(&corpus, "translate", "want.yaml"), "infraIR"));
}
