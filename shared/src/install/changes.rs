//! What an object would change: the fields in which what is wanted differs from what is there.

use serde_json::Value;

/// One field that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Where: `spec.template.spec.containers[envoy-gateway].image`.
    pub path: String,
    /// What is there; nothing for a new field.
    pub before: Option<String>,
    /// What comes; nothing for one that goes.
    pub after: Option<String>,
}

/// Fields the API server keeps for itself.
const BOOKKEEPING: &[&str] =
    &["managedFields", "resourceVersion", "generation", "uid", "creationTimestamp", "selfLink"];

/// The fields in which `after` differs from `before`, in the order they stand. Bookkeeping and status don't count.
#[must_use]
pub fn changes(before: &Value, after: &Value) -> Vec<Change> {
    let mut found = Vec::new();
    compare("", before, after, &mut found);
    found
}

fn compare(path: &str, before: &Value, after: &Value, found: &mut Vec<Change>) {
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            let keys = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
            for key in keys.filter(|key| counts(path, key)) {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                compare(&path, old.get(key).unwrap_or(&Value::Null), new.get(key).unwrap_or(&Value::Null), found);
            }
        }
        (Value::Array(old), Value::Array(new)) if named(old) && named(new) => {
            let names = || old.iter().chain(new).filter_map(name);
            let mut seen: Vec<&str> = Vec::new();
            for name in names() {
                if seen.contains(&name) {
                    continue;
                }
                seen.push(name);
                let find = |list: &[Value]| list.iter().find(|item| self::name(item) == Some(name)).cloned();
                let (old, new) = (find(old).unwrap_or_default(), find(new).unwrap_or_default());
                compare(&format!("{path}[{name}]"), &old, &new, found);
            }
        }
        (before, after) if before == after => {}
        (Value::String(before), Value::String(after)) if before.contains('\n') && after.contains('\n') => {
            found.push(text_change(path, before, after));
        }
        (before, after) => {
            found.push(Change { path: path.to_owned(), before: short(before), after: short(after) });
        }
    }
}

/// The first line that differs of two texts.
fn text_change(path: &str, before: &str, after: &str) -> Change {
    let same = before.lines().zip(after.lines()).take_while(|(before, after)| before == after).count();
    let line = |text: &str| text.lines().nth(same).map(|line| line.trim().to_owned());
    Change { path: format!("{path} from line {}", same + 1), before: line(before), after: line(after) }
}

fn counts(path: &str, key: &str) -> bool {
    match path {
        "" => key != "status",
        "metadata" => !BOOKKEEPING.contains(&key),
        _ => true,
    }
}

/// Whether every item of a list has a name to find it by.
fn named(list: &[Value]) -> bool {
    !list.is_empty() && list.iter().all(|item| name(item).is_some())
}

fn name(item: &Value) -> Option<&str> {
    item.get("name").and_then(Value::as_str)
}

/// A value in a line.
fn short(value: &Value) -> Option<String> {
    const LONGEST: usize = 60;
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text.replace('\n', "⏎"),
        Value::Array(list) if list.iter().any(|item| item.is_object()) => {
            return Some(format!("{} items", list.len()));
        }
        Value::Object(fields) if fields.len() > 2 => return Some(format!("{} fields", fields.len())),
        other => other.to_string(),
    };
    if text.chars().count() <= LONGEST {
        return Some(text);
    }
    Some(text.chars().take(LONGEST).chain(['…']).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(before: &Value, after: &Value) -> Vec<String> {
        let or = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        changes(before, after)
            .into_iter()
            .map(|Change { path, before, after }| format!("{path}: {} -> {}", or(before), or(after)))
            .collect()
    }

    #[test]
    fn items_are_found_by_name_and_bookkeeping_does_not_count() {
        let before = json!({
            "metadata": { "generation": 1, "labels": { "v": "1" } },
            "spec": { "containers": [{ "name": "b", "image": "x" }, { "name": "a", "image": "i:1" }] },
            "status": { "ready": 1 },
        });
        let after = json!({
            "metadata": { "generation": 2, "labels": { "v": "2" } },
            "spec": { "containers": [{ "name": "a", "image": "i:2", "args": ["x"] }, { "name": "b", "image": "x" }] },
            "status": { "ready": 2 },
        });
        assert_eq!(
            told(&before, &after),
            [
                "metadata.labels.v: 1 -> 2",
                "spec.containers[a].image: i:1 -> i:2",
                "spec.containers[a].args: - -> [\"x\"]",
            ]
        );
        assert!(told(&before, &before).is_empty());
    }

    #[test]
    fn lists_without_names_are_compared_whole() {
        let before = json!({ "rules": [{ "verbs": ["get"] }] });
        let after = json!({ "rules": [{ "verbs": ["get"] }, { "verbs": ["list"] }] });
        assert_eq!(told(&before, &after), ["rules: 1 items -> 2 items"]);
        let text = |text: &str| json!({ "data": { "f": text } });
        assert_eq!(told(&text("a\nb\nc\n"), &text("a\n b: 2\nc\n")), ["data.f from line 2: b -> b: 2"]);
        assert_eq!(told(&json!({ "data": { "a": "1" } }), &json!({ "data": {} })), ["data.a: 1 -> -"]);
    }
}
