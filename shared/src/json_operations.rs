//! JSON patches: the operations of RFC 6902, with JSON paths (RFC 9535) added, applied one by one.
//!
//! As in Envoy Gateway, an operation with a JSON path is done at every place the path finds, and `add` makes the
//! objects and lists that lead to its place.

use json_patch::PatchOperation;
use serde_json::{Map, Value};
use serde_json_path::JsonPath;

use crate::diagnostic::{Diagnostic, FieldPath};
use crate::ir::patch::{JsonPatchOp, JsonPatchOperation};

/// The reason of every fault found here.
const INVALID: &str = "Invalid";

/// Applies `operations` to `document` in order. One that fails changes nothing, and the others are applied all the same.
///
/// Every fault's path begins at the operation's index in `list`.
#[must_use]
pub fn apply(document: &mut Value, operations: &[JsonPatchOperation], list: &str) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    for (index, operation) in operations.iter().enumerate() {
        let applied = match operation.validate() {
            Some(fault) => Err(fault),
            None => apply_one(document, operation),
        };
        faults.extend(applied.err().map(|fault| fault.within_item(list, index)));
    }
    faults
}

fn apply_one(document: &mut Value, operation: &JsonPatchOperation) -> Result<(), Diagnostic> {
    for pointer in pointers(document, operation)? {
        let fault = |reason: &dyn std::fmt::Display| {
            let message = format!("{} at {pointer:?} can't be done: {reason}", operation.op.as_str());
            Diagnostic::new(FieldPath::root(), INVALID, message)
        };
        let one = serde_json::from_value::<PatchOperation>(at(operation, &pointer)).map_err(|error| fault(&error))?;
        let before = (operation.op == JsonPatchOp::Add).then(|| document.clone());
        if operation.op == JsonPatchOp::Add {
            make_way(document, &pointer);
        }
        if let Err(error) = json_patch::patch(document, std::slice::from_ref(&one)) {
            if let Some(before) = before {
                *document = before;
            }
            return Err(fault(&error.kind));
        }
    }
    Ok(())
}

/// The places an operation is done at, as JSON pointers.
fn pointers(document: &Value, operation: &JsonPatchOperation) -> Result<Vec<String>, Diagnostic> {
    let below = operation.path.as_deref().unwrap_or_default();
    let Some(said) = operation.json_path.as_deref().filter(|path| !path.is_empty()) else {
        return Ok(vec![below.to_owned()]);
    };
    let fault = |message: String| Diagnostic::new(FieldPath::field("jsonPath"), INVALID, message);
    let rooted = match said.chars().next() {
        Some('$') => said.to_owned(),
        Some('.' | '[') => format!("${said}"),
        _ => format!("$.{said}"),
    };
    if rooted == "$" {
        return Err(fault("`$` is the whole document; say which part of it is meant".to_owned()));
    }
    let path = JsonPath::parse(&rooted).map_err(|error| fault(format!("{said:?} is no JSON path: {error}")))?;
    let found = path.query_located(document);
    let found: Vec<String> = found.locations().map(|place| joined(&place.to_json_pointer(), below)).collect();
    if found.is_empty() {
        let message =
            format!("nothing is at {said:?}; to add what isn't there, name its parent here and the new field in path");
        return Err(fault(message));
    }
    Ok(found)
}

/// A pointer, and one from there.
fn joined(pointer: &str, below: &str) -> String {
    if below.is_empty() {
        return pointer.to_owned();
    }
    format!("{}/{}", pointer.trim_end_matches('/'), below.strip_prefix('/').unwrap_or(below))
}

/// An operation at one place, in the form of RFC 6902.
fn at(operation: &JsonPatchOperation, pointer: &str) -> Value {
    let JsonPatchOperation { op, path: _, json_path: _, from, value } = operation;
    let mut fields = Map::new();
    fields.insert("op".to_owned(), Value::from(op.as_str()));
    fields.insert("path".to_owned(), Value::from(pointer));
    fields.extend(from.as_ref().map(|from| ("from".to_owned(), Value::from(from.as_str()))));
    fields.extend(value.as_ref().map(|value| ("value".to_owned(), value.clone())));
    Value::Object(fields)
}

/// Makes the objects and lists that lead to `pointer`: a list where the next step is a number or `-`.
fn make_way(document: &mut Value, pointer: &str) {
    let steps: Vec<String> =
        pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect();
    let mut place = document;
    for (step, next) in steps.iter().zip(steps.iter().skip(1)) {
        let Some(child) = child(place, step) else { return };
        if child.is_null() {
            *child = match next.parse() {
                Ok(index) => Value::Array(vec![Value::Null; index]),
                Err(_) if next == "-" => Value::Array(Vec::new()),
                Err(_) => Value::Object(Map::new()),
            };
        }
        place = child;
    }
}

/// What is one step further, `null` where it would be next; nothing where it can't be.
fn child<'a>(place: &'a mut Value, step: &str) -> Option<&'a mut Value> {
    match place {
        Value::Object(fields) => Some(fields.entry(step).or_insert(Value::Null)),
        Value::Array(items) => {
            let index = if step == "-" { items.len() } else { step.parse().ok()? };
            if index == items.len() {
                items.push(Value::Null);
            }
            items.get_mut(index)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn patched(mut document: Value, operations: Value) -> (Value, Vec<String>) {
        let operations: Vec<JsonPatchOperation> = serde_json::from_value(operations).unwrap();
        let faults = apply(&mut document, &operations, "patches");
        (document, faults.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_json_path_means_every_place_it_finds() {
        let document = json!({ "clusters": [{ "name": "a" }, { "name": "b" }, { "name": "c" }] });
        let operations = json!([{ "op": "add", "jsonPath": "$.clusters[?(@.name != 'b')]", "path": "x", "value": 1 }]);
        let want = json!({ "clusters": [{ "name": "a", "x": 1 }, { "name": "b" }, { "name": "c", "x": 1 }] });
        assert_eq!(patched(document.clone(), operations), (want, vec![]));
        let (_, faults) = patched(document, json!([{ "op": "remove", "jsonPath": "..nope" }]));
        assert!(
            faults.iter().all(|fault| fault.starts_with("patches[0].jsonPath: nothing is at")) && faults.len() == 1
        );
    }

    #[test]
    fn add_makes_its_way_and_a_failure_undoes_it() {
        let operations = json!([{ "op": "add", "path": "/a/b~1c/0/d", "value": 1 }]);
        assert_eq!(patched(json!({}), operations), (json!({ "a": { "b/c": [{ "d": 1 }] } }), vec![]));
        let (document, faults) = patched(json!({ "a": 1 }), json!([{ "op": "add", "path": "/b/c/5", "value": 1 }]));
        assert_eq!((document, faults.len()), (json!({ "a": 1, "b": { "c": [null, null, null, null, null, 1] } }), 0));
        let (document, faults) = patched(json!({ "a": 1 }), json!([{ "op": "add", "path": "/a/c", "value": 1 }]));
        assert_eq!((document, faults.len()), (json!({ "a": 1 }), 1));
    }

    #[test]
    fn one_that_fails_leaves_the_others() {
        let operations = json!([
            { "op": "replace", "path": "/nope", "value": 1 },
            { "op": "add", "path": "/b" },
            { "op": "add", "path": "/b", "value": 2 },
        ]);
        let (document, faults) = patched(json!({ "a": 1 }), operations);
        assert_eq!(document, json!({ "a": 1, "b": 2 }));
        assert_eq!(faults.len(), 2);
        assert!(faults.iter().any(|fault| fault.starts_with("patches[1].value:")), "{faults:?}");
    }
}
