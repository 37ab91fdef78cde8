//! Strategic merge patches: a JSON merge that knows which lists are merged item by item, and by which key.
//!
//! The rules are those of `k8s.io/apimachinery/pkg/util/strategicpatch`; which list has which key is said by the
//! `patchStrategy` and `patchMergeKey` tags of the Kubernetes types, held here as data.

use serde_json::{Map, Value};

/// What is known of an object's fields; a field that isn't named is merged if it's an object, replaced if it's a list.
#[derive(Debug)]
pub(super) struct Shape(&'static [(&'static str, Field)]);

/// How one field is merged.
#[derive(Debug)]
enum Field {
    /// An object whose fields have rules of their own.
    Object(&'static Shape),
    /// A list whose items are told apart by a key.
    Items(&'static str, &'static Shape),
    /// A list of plain values; what is new is added.
    Set,
    /// Replaced as a whole, although it's an object.
    Replace,
}

static PLAIN: Shape = Shape(&[]);
static METADATA: Shape = Shape(&[("finalizers", Field::Set), ("ownerReferences", Field::Items("uid", &PLAIN))]);
static CONTAINER: Shape = Shape(&[
    ("env", Field::Items("name", &PLAIN)),
    ("ports", Field::Items("containerPort", &PLAIN)),
    ("volumeDevices", Field::Items("devicePath", &PLAIN)),
    ("volumeMounts", Field::Items("mountPath", &PLAIN)),
]);
static POD: Shape = Shape(&[
    ("containers", Field::Items("name", &CONTAINER)),
    ("ephemeralContainers", Field::Items("name", &CONTAINER)),
    ("hostAliases", Field::Items("ip", &PLAIN)),
    ("imagePullSecrets", Field::Items("name", &PLAIN)),
    ("initContainers", Field::Items("name", &CONTAINER)),
    ("resourceClaims", Field::Items("name", &PLAIN)),
    ("schedulingGates", Field::Items("name", &PLAIN)),
    ("topologySpreadConstraints", Field::Items("topologyKey", &PLAIN)),
    ("volumes", Field::Items("name", &PLAIN)),
]);
static TEMPLATE: Shape = Shape(&[("metadata", Field::Object(&METADATA)), ("spec", Field::Object(&POD))]);
static WORKLOAD_SPEC: Shape = Shape(&[("template", Field::Object(&TEMPLATE))]);
static SERVICE_SPEC: Shape = Shape(&[("ports", Field::Items("port", &PLAIN))]);
static BUDGET_SPEC: Shape = Shape(&[("selector", Field::Replace)]);

/// Deployments and DaemonSets.
pub(super) static WORKLOAD: Shape =
    Shape(&[("metadata", Field::Object(&METADATA)), ("spec", Field::Object(&WORKLOAD_SPEC))]);
/// Services.
pub(super) static SERVICE: Shape =
    Shape(&[("metadata", Field::Object(&METADATA)), ("spec", Field::Object(&SERVICE_SPEC))]);
/// HorizontalPodAutoscalers.
pub(super) static AUTOSCALER: Shape = Shape(&[("metadata", Field::Object(&METADATA))]);
/// PodDisruptionBudgets.
pub(super) static DISRUPTION_BUDGET: Shape =
    Shape(&[("metadata", Field::Object(&METADATA)), ("spec", Field::Object(&BUDGET_SPEC))]);

const DIRECTIVE: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM: &str = "$deleteFromPrimitiveList/";
const ORDER_OF: &str = "$setElementOrder/";

impl Shape {
    fn field(&self, name: &str) -> Option<&Field> {
        self.0.iter().find(|(field, _)| *field == name).map(|(_, rule)| rule)
    }
}

/// Merges `patch` into `object`.
///
/// # Errors
/// In words, where a directive isn't known or an item lacks its key.
pub(super) fn merge(object: &mut Map<String, Value>, patch: &Map<String, Value>, shape: &Shape) -> Result<(), String> {
    match patch.get(DIRECTIVE).map(Value::as_str) {
        None | Some(Some("merge")) => {}
        Some(Some("replace")) => {
            object.clear();
            object.extend(plain(patch));
            return Ok(());
        }
        Some(Some("delete")) => {
            object.clear();
            return Ok(());
        }
        Some(_) => return Err(format!("{DIRECTIVE} is one of merge, replace and delete")),
    }
    if let Some(kept) = patch.get(RETAIN_KEYS) {
        let kept = kept.as_array().ok_or_else(|| format!("{RETAIN_KEYS} is a list of field names"))?;
        object.retain(|name, _| kept.iter().any(|kept| kept.as_str() == Some(name)));
    }
    for (name, value) in patch {
        if let Some(list) = name.strip_prefix(DELETE_FROM) {
            let gone = value.as_array().ok_or_else(|| format!("{name} is a list"))?;
            if let Some(Value::Array(items)) = object.get_mut(list) {
                items.retain(|item| !gone.contains(item));
            }
        } else if !name.starts_with('$') {
            let order = patch.get(&format!("{ORDER_OF}{name}")).and_then(Value::as_array);
            merge_field(object, name, value, shape.field(name), order).map_err(|fault| format!("{name}: {fault}"))?;
        }
    }
    Ok(())
}

fn merge_field(
    object: &mut Map<String, Value>,
    name: &str,
    patch: &Value,
    rule: Option<&Field>,
    order: Option<&Vec<Value>>,
) -> Result<(), String> {
    if patch.is_null() {
        object.remove(name);
        return Ok(());
    }
    match (object.get_mut(name), patch, rule) {
        (Some(Value::Object(current)), Value::Object(patch), Some(Field::Object(shape))) => {
            merge(current, patch, shape)
        }
        (Some(Value::Object(current)), Value::Object(patch), None) => merge(current, patch, &PLAIN),
        (Some(Value::Array(current)), Value::Array(patch), Some(Field::Items(key, shape))) => {
            merge_items(current, patch, key, shape, order)
        }
        (Some(Value::Array(current)), Value::Array(patch), Some(Field::Set)) => {
            let before = current.clone();
            let new: Vec<Value> = patch.iter().filter(|value| !before.contains(value)).cloned().collect();
            current.extend(new);
            arrange(current, &before, order.unwrap_or(patch), |a, b| a == b);
            Ok(())
        }
        _ => {
            object.insert(name.to_owned(), fresh(patch));
            Ok(())
        }
    }
}

/// Merges a list item by item.
fn merge_items(
    current: &mut Vec<Value>,
    patch: &[Value],
    key: &str,
    shape: &Shape,
    order: Option<&Vec<Value>>,
) -> Result<(), String> {
    let directive = |item: &Value| item.get(DIRECTIVE).and_then(Value::as_str).map(str::to_owned);
    // An item that is nothing but this directive speaks of the whole list.
    if patch.iter().any(|item| directive(item).as_deref() == Some("replace")) {
        let kept = patch.iter().filter(|item| directive(item).as_deref() != Some("replace"));
        *current = kept.map(fresh).collect();
        return Ok(());
    }
    let before = current.clone();
    let same = |a: &Value, b: &Value| a.get(key).is_some() && a.get(key) == b.get(key);
    for item in patch {
        let Value::Object(fields) = item else { return Err("its items are objects".to_owned()) };
        if !fields.contains_key(key) {
            return Err(format!("an item has no {key}, which its items are told apart by; add it"));
        }
        if directive(item).as_deref() == Some("delete") {
            current.retain(|known| !same(known, item));
            continue;
        }
        match current.iter_mut().find(|known| same(known, item)) {
            Some(Value::Object(known)) => merge(known, fields, shape)?,
            _ => current.push(fresh(item)),
        }
    }
    arrange(current, &before, order.map_or(patch, Vec::as_slice), same);
    Ok(())
}

/// Puts a merged list in order: items of the patch in the order of the patch, the others as they were; an item the
/// patch didn't name goes before the first one it preceded, and items that are new come as early as they can.
fn arrange(merged: &mut Vec<Value>, before: &[Value], patch: &[Value], same: impl Fn(&Value, &Value) -> bool) {
    let place = |list: &[Value], item: &Value| list.iter().position(|known| same(known, item));
    let (mut named, mut others): (Vec<Value>, Vec<Value>) =
        merged.drain(..).partition(|item| place(patch, item).is_some());
    named.sort_by_key(|item| place(patch, item));
    others.sort_by_key(|item| place(before, item));
    let mut others = others.into_iter().peekable();
    let mut named = named.into_iter().peekable();
    loop {
        let others_first = match (others.peek(), named.peek()) {
            (None, None) => return,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (Some(other), Some(named)) => match (place(before, other), place(before, named)) {
                (Some(other), Some(named)) => other < named,
                _ => false,
            },
        };
        merged.extend(if others_first { others.next() } else { named.next() });
    }
}

/// What a patch brings that wasn't there: without nulls and directives.
fn fresh(value: &Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(plain(fields).collect()),
        Value::Array(items) => Value::Array(items.iter().map(fresh).collect()),
        other => other.clone(),
    }
}

fn plain(fields: &Map<String, Value>) -> impl Iterator<Item = (String, Value)> {
    fields
        .iter()
        .filter(|(name, value)| !value.is_null() && !name.starts_with('$'))
        .map(|(name, value)| (name.clone(), fresh(value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn merged(object: Value, patch: Value, shape: &Shape) -> Result<Value, String> {
        let (Value::Object(mut object), Value::Object(patch)) = (object, patch) else {
            return Err("two objects are wanted".to_owned());
        };
        merge(&mut object, &patch, shape)?;
        Ok(Value::Object(object))
    }

    #[test]
    fn containers_are_merged_by_name_and_new_ones_come_first() {
        let object = json!({ "containers": [
            { "name": "envoy", "env": [{ "name": "A", "value": "1" }], "args": ["x"] },
            { "name": "shutdown-manager" },
        ] });
        let patch = json!({ "containers": [
            { "name": "sidecar" },
            { "name": "envoy", "args": ["y"], "env": [{ "name": "B", "value": "2" }, { "name": "A", "$patch": "delete" }] },
        ] });
        let want = json!({ "containers": [
            { "name": "sidecar" },
            { "name": "envoy", "env": [{ "name": "B", "value": "2" }], "args": ["y"] },
            { "name": "shutdown-manager" },
        ] });
        assert_eq!(merged(object, patch, &POD), Ok(want));
    }

    #[test]
    fn an_item_that_was_first_stays_first() {
        let object = json!({ "volumes": [{ "name": "a" }, { "name": "b" }, { "name": "c" }] });
        let patch = json!({ "volumes": [{ "name": "b", "emptyDir": {} }] });
        let want = json!({ "volumes": [{ "name": "a" }, { "name": "b", "emptyDir": {} }, { "name": "c" }] });
        assert_eq!(merged(object, patch, &POD), Ok(want));
    }

    #[test]
    fn directives_replace_delete_and_retain() {
        let replaced = merged(json!({ "a": { "b": 1 } }), json!({ "a": { "$patch": "replace", "c": 2 } }), &PLAIN);
        assert_eq!(replaced, Ok(json!({ "a": { "c": 2 } })));
        let deleted = merged(json!({ "a": { "b": 1 }, "d": 1 }), json!({ "a": null, "x": null }), &PLAIN);
        assert_eq!(deleted, Ok(json!({ "d": 1 })));
        let retained = merged(json!({ "a": 1, "b": 2 }), json!({ "$retainKeys": ["b"], "b": 3 }), &PLAIN);
        assert_eq!(retained, Ok(json!({ "b": 3 })));
        let list = merged(
            json!({ "ports": [{ "port": 1 }, { "port": 2 }] }),
            json!({ "ports": [{ "$patch": "replace" }, { "port": 3 }] }),
            &SERVICE_SPEC,
        );
        assert_eq!(list, Ok(json!({ "ports": [{ "port": 3 }] })));
        let primitives = merged(
            json!({ "finalizers": ["a", "b"] }),
            json!({ "$deleteFromPrimitiveList/finalizers": ["a"], "finalizers": ["c"] }),
            &METADATA,
        );
        assert_eq!(primitives, Ok(json!({ "finalizers": ["c", "b"] })));
        assert!(merged(json!({}), json!({ "$patch": "explode" }), &PLAIN).is_err());
    }

    #[test]
    fn an_item_without_its_key_is_refused_where_it_stands() {
        let fault = merged(
            json!({ "spec": { "template": { "spec": { "containers": [{ "name": "envoy" }] } } } }),
            json!({ "spec": { "template": { "spec": { "containers": [{ "image": "x" }] } } } }),
            &WORKLOAD,
        );
        assert!(fault.is_err_and(|fault| fault.starts_with("spec: template: spec: containers: an item has no name")));
    }

    #[test]
    fn the_selector_of_a_budget_is_replaced() {
        let object = json!({ "spec": { "selector": { "matchLabels": { "a": "b" } } } });
        let patch = json!({ "spec": { "selector": { "matchLabels": { "c": "d" } } } });
        assert_eq!(merged(object, patch.clone(), &DISRUPTION_BUDGET), Ok(patch));
    }
}
