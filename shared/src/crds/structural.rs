//! From a JSON schema as `schemars` writes it to a structural schema as an API server takes it.
//!
//! Kubernetes wants every type spelled out at its place, no references, no alternatives, and knows neither `null` nor
//! unsigned numbers.

use serde_json::{Map, Value, json};

/// Keywords that don't get through: they belong to JSON Schema alone.
const DROPPED: &[&str] = &["$schema", "$defs", "$ref", "title", "examples", "deprecated", "writeOnly", "readOnly"];

/// Rules between fields.
const RULES: &str = "x-kubernetes-validations";

/// Where definitions are referred to.
const DEFINITIONS: &str = "#/$defs/";

/// Makes `root` structural. `complete` is called with the name and the schema of every definition before it is put in
/// place.
pub(super) fn structural(mut root: Value, complete: &dyn Fn(&str, &mut Value)) -> Value {
    let definitions = match root.get_mut("$defs").map(Value::take) {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    Pass { definitions, complete }.schema(root)
}

struct Pass<'a> {
    definitions: Map<String, Value>,
    complete: &'a dyn Fn(&str, &mut Value),
}

impl Pass<'_> {
    fn schema(&self, schema: Value) -> Value {
        let mut schema = match schema {
            Value::Object(schema) => schema,
            // `true` accepts anything, and Kubernetes must be told to keep it.
            _ => return json!({"x-kubernetes-preserve-unknown-fields": true}),
        };
        if let Some(base) = self.base(&mut schema) {
            let Value::Object(mut base) = self.schema(base) else { return Value::Object(schema) };
            refine(&mut base, schema);
            schema = base;
        }
        // A keyword that is `null` was said somewhere to be taken back.
        schema.retain(|keyword, value| !DROPPED.contains(&keyword.as_str()) && !value.is_null());
        without_null(&mut schema);
        without_unsigned(&mut schema);
        for keyword in ["items", "additionalProperties"] {
            match schema.get_mut(keyword) {
                Some(Value::Bool(true)) | None => {}
                Some(inner) => *inner = self.schema(inner.take()),
            }
        }
        told_by_items(&mut schema);
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            for property in properties.values_mut() {
                *property = self.schema(property.take());
            }
        }
        if schema.is_empty() {
            schema.insert("x-kubernetes-preserve-unknown-fields".to_owned(), true.into());
        }
        Value::Object(schema)
    }

    /// The schema this one builds on: the definition it refers to, or the one alternative that isn't `null`.
    fn base(&self, schema: &mut Map<String, Value>) -> Option<Value> {
        if let Some(Value::String(reference)) = schema.get("$ref") {
            let name = reference.strip_prefix(DEFINITIONS)?.to_owned();
            let mut definition = self.definitions.get(&name)?.clone();
            (self.complete)(&name, &mut definition);
            schema.remove("$ref");
            return Some(definition);
        }
        let alternatives = schema.get("anyOf")?.as_array()?;
        let mut real = alternatives.iter().filter(|alternative| alternative.get("type") != Some(&"null".into()));
        let (Some(only), None) = (real.next(), real.next()) else { return None };
        let only = only.clone();
        schema.remove("anyOf");
        Some(only)
    }
}

/// What is said at the place of use counts more than what the definition says, but of two patterns both must fit, and
/// rules add up.
fn refine(base: &mut Map<String, Value>, mut schema: Map<String, Value>) {
    if let (Some(Value::Array(rules)), Some(Value::Array(more))) = (base.get_mut(RULES), schema.get_mut(RULES)) {
        rules.append(more);
        schema.remove(RULES);
    }
    if let (Some(general), Some(special @ Value::String(_))) = (base.get("pattern"), schema.get("pattern"))
        && general != special
    {
        let both = json!([{"pattern": general}, {"pattern": special}]);
        base.remove("pattern");
        schema.remove("pattern");
        schema.insert("allOf".to_owned(), both);
    }
    base.extend(schema);
}

/// `kubectl explain` shows what a list says, and not what its items say: a list that says nothing says what they do.
fn told_by_items(schema: &mut Map<String, Value>) {
    if !schema.contains_key("description")
        && let Some(Value::Object(items)) = schema.get_mut("items")
        && let Some(description) = items.remove("description")
    {
        schema.insert("description".to_owned(), description);
    }
}

/// `null` is the same as absence.
fn without_null(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
}

/// Numbers have the formats of OpenAPI.
fn without_unsigned(schema: &mut Map<String, Value>) {
    let format = match schema.get("format").and_then(Value::as_str) {
        Some("uint8" | "uint16" | "uint32") => "int32",
        Some("uint64" | "uint") => "int64",
        Some("double" | "float") => {
            schema.remove("format");
            return;
        }
        _ => return,
    };
    schema.insert("format".to_owned(), format.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(schema: Value) -> Value {
        structural(schema, &|_, _| {})
    }

    #[test]
    fn references_and_null_are_gone() {
        let schema = made(json!({
            "type": "object",
            "properties": {
                "port": {"type": ["integer", "null"], "format": "uint16", "minimum": 0},
                "kind": {"anyOf": [{"$ref": "#/$defs/Kind"}, {"type": "null"}], "default": "A"},
                "free": true,
                "more": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
            },
            "$defs": {
                "Kind": {"type": "string", "enum": ["A", "B", null]},
                "Item": {"type": "string", "description": "an item"},
            },
        }));
        assert_eq!(
            schema["properties"],
            json!({
                "port": {"type": "integer", "format": "int32", "minimum": 0},
                "kind": {"type": "string", "enum": ["A", "B"], "default": "A"},
                "free": {"x-kubernetes-preserve-unknown-fields": true},
                "more": {"type": "array", "items": {"type": "string"}, "description": "an item"},
            })
        );
    }

    #[test]
    fn what_is_said_where_a_type_is_used_adds_to_what_the_type_says() {
        let schema = made(json!({
            "$ref": "#/$defs/Size",
            "description": "here",
            "pattern": "^[1-9]",
            "minimum": null,
            "x-kubernetes-validations": [{"rule": "b"}],
            "$defs": {"Size": {
                "description": "there",
                "pattern": "[0-9]$",
                "minimum": 0,
                "x-kubernetes-validations": [{"rule": "a"}],
            }},
        }));
        assert_eq!(
            schema,
            json!({
                "description": "here",
                "allOf": [{"pattern": "[0-9]$"}, {"pattern": "^[1-9]"}],
                "x-kubernetes-validations": [{"rule": "a"}, {"rule": "b"}],
            })
        );
    }
}
