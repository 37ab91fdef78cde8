//! Whether a live object says what was rendered. It may say more: defaults, and what others add.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Where a live object differs from what was rendered, and what it says there instead.
pub(super) type Mismatches = BTreeMap<String, String>;

/// Fields by which items of lists are told apart, most telling first.
const KEYS: [&str; 6] = ["mountPath", "containerPort", "port", "name", "uid", "topologyKey"];

/// Every field of `rendered` that `live` doesn't have as it is there.
pub(super) fn mismatches(rendered: &Value, live: &Value) -> Mismatches {
    let mut found = Mismatches::new();
    if let (Value::Object(rendered), Value::Object(live)) = (rendered, live) {
        for (name, value) in rendered {
            match name.as_str() {
                // What is not compared: the API server leaves it out of lists, or it names the object.
                "apiVersion" | "kind" | "status" => {}
                "metadata" => metadata(value, live.get(name).unwrap_or(&Value::Null), &mut found),
                _ => compare(name, value, live.get(name), &mut found),
            }
        }
    }
    found
}

fn metadata(rendered: &Value, live: &Value, found: &mut Mismatches) {
    for part in ["labels", "annotations", "ownerReferences"] {
        if let Some(value) = rendered.get(part) {
            compare(&format!("metadata.{part}"), value, live.get(part), found);
        }
    }
}

fn compare(path: &str, rendered: &Value, live: Option<&Value>, found: &mut Mismatches) {
    match (rendered, live) {
        // The API server drops what is empty.
        (rendered, None | Some(Value::Null)) if is_empty(rendered) => {}
        (Value::Null, _) => {}
        (Value::Object(rendered), Some(Value::Object(live))) => {
            for (name, value) in rendered {
                compare(&format!("{path}.{name}"), value, live.get(name), found);
            }
        }
        (Value::Array(rendered), Some(Value::Array(live))) if rendered.iter().all(Value::is_object) => {
            for (index, item) in rendered.iter().enumerate() {
                compare_item(&format!("{path}[{index}]"), index, item, live, found);
            }
        }
        (rendered, Some(live)) if rendered == live => {}
        (_, live) => {
            found.insert(path.to_owned(), live.map_or_else(|| "nothing".to_owned(), ToString::to_string));
        }
    }
}

fn compare_item(path: &str, index: usize, item: &Value, live: &[Value], found: &mut Mismatches) {
    let covers = |candidate: &&Value| {
        let mut found = Mismatches::new();
        compare("", item, Some(candidate), &mut found);
        found.is_empty()
    };
    let counterpart = || match KEYS.into_iter().find_map(|key| Some((key, item.get(key)?))) {
        Some((key, value)) => live.iter().find(|candidate| candidate.get(key) == Some(value)),
        None => live.get(index),
    };
    if !live.iter().any(|candidate| covers(&candidate)) {
        compare(path, item, counterpart(), found);
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields.values().all(is_empty),
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether the labels a selector asks for are all there.
pub(super) fn selector_matches(selector: &Value, labels: &Value) -> bool {
    let none = Map::new();
    let asked = selector.get("matchLabels").and_then(Value::as_object).unwrap_or(&none);
    asked.iter().all(|(name, value)| labels.get(name) == Some(value))
        && selector.get("matchExpressions").and_then(Value::as_array).is_none_or(Vec::is_empty)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn paths(rendered: Value, live: Value) -> Vec<String> {
        mismatches(&rendered, &live).into_keys().collect()
    }

    #[test]
    fn defaults_and_what_others_add_are_no_difference() {
        let rendered = json!({
            "apiVersion": "apps/v1",
            "metadata": {"name": "a", "labels": {"x": "1"}, "annotations": {}},
            "spec": {"template": {"spec": {
                "containers": [{"name": "envoy", "args": ["a"], "ports": [{"containerPort": 80}], "resources": {}}],
                "volumes": [{"name": "certs", "secret": {"secretName": "envoy"}}],
                "nodeSelector": null,
            }}},
        });
        let live = json!({
            "metadata": {"labels": {"x": "1", "by": "them"}},
            "spec": {"replicas": 1, "template": {"spec": {
                "containers": [
                    {"name": "injected"},
                    {"name": "envoy", "args": ["a"], "ports": [{"containerPort": 80, "protocol": "TCP"}]},
                ],
                "volumes": [{"name": "certs", "secret": {"secretName": "envoy", "defaultMode": 420}}],
            }}},
        });
        assert_eq!(paths(rendered, live), Vec::<String>::new());
    }

    #[test]
    fn what_was_changed_by_hand_is_named() {
        let rendered = json!({
            "metadata": {"labels": {"x": "1"}},
            "spec": {"replicas": 2, "containers": [{"name": "a", "image": "v1", "args": ["1", "2"]}, {"name": "b"}]},
        });
        let live = json!({
            "metadata": {"labels": {}},
            "spec": {"replicas": 3, "containers": [{"name": "a", "image": "v2", "args": ["1"]}]},
        });
        let found = mismatches(&rendered, &live);
        let found: Vec<(&str, &str)> = found.iter().map(|(path, live)| (path.as_str(), live.as_str())).collect();
        assert_eq!(
            found,
            [
                ("metadata.labels.x", "nothing"),
                ("spec.containers[0].args", r#"["1"]"#),
                ("spec.containers[0].image", r#""v2""#),
                ("spec.containers[1]", "nothing"),
                ("spec.replicas", "3"),
            ]
        );
    }

    #[test]
    fn ports_of_the_same_number_are_told_apart() {
        let port = |name: &str, protocol: &str| json!({"name": name, "port": 443, "protocol": protocol});
        let rendered = json!({"spec": {"ports": [port("https", "TCP"), port("https-h3", "UDP")]}});
        let live = json!({"spec": {"ports": [port("https-h3", "UDP"), port("https", "TCP")]}});
        assert!(paths(rendered, live).is_empty());
    }

    #[test]
    fn a_selector_asks_for_all_its_labels() {
        let selector = json!({"matchLabels": {"a": "1"}});
        assert!(selector_matches(&selector, &json!({"a": "1", "b": "2"})));
        assert!(!selector_matches(&selector, &json!({"b": "2"})));
    }
}
