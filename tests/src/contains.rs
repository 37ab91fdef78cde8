//! Comparing an Envoy message with the part of it that a test is about.

use serde_json::Value;

/// Where `actual` lacks something of `expected` or has it differently, in words; `None` where it has all of it.
///
/// An object may have more members than expected, a list has as many as expected and in that order. `null` means that
/// the member is absent.
#[must_use]
pub fn difference(actual: &Value, expected: &Value) -> Option<String> {
    at("", actual, expected)
}

fn at(path: &str, actual: &Value, expected: &Value) -> Option<String> {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => expected.iter().find_map(|(name, expected)| {
            let path = format!("{path}.{name}");
            match (actual.get(name), expected) {
                (None, Value::Null) => None,
                (Some(found), Value::Null) => Some(format!("{path}: expected to be absent, is {found}")),
                (None, _) => Some(format!("{path}: absent, expected {expected}")),
                (Some(actual), _) => at(&path, actual, expected),
            }
        }),
        (Value::Array(actual), Value::Array(expected)) => {
            if actual.len() != expected.len() {
                return Some(format!("{path}: has {} entries, expected {}", actual.len(), expected.len()));
            }
            let mut pairs = actual.iter().zip(expected).enumerate();
            pairs.find_map(|(index, (actual, expected))| at(&format!("{path}[{index}]"), actual, expected))
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => None,
        _ if actual == expected => None,
        _ => Some(format!("{path}: is {actual}, expected {expected}")),
    }
}

/// Holds `actual` against the YAML `expected`.
///
/// # Panics
/// When they differ as [`difference`] has it.
#[track_caller]
pub fn assert_contains(actual: &Value, expected: &str) {
    let expected: Value = serde_yaml::from_str(expected).expect("the expectation is YAML");
    if let Some(difference) = difference(actual, &expected) {
        panic!("{difference}\nin {}", serde_json::to_string_pretty(actual).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn more_members_are_fine_and_everything_else_is_told() {
        let actual = json!({"a": [{"b": 1, "c": 2}], "d": "x"});
        assert_eq!(difference(&actual, &json!({"a": [{"b": 1}], "e": null})), None);
        for expected in [json!({"a": []}), json!({"a": [{"b": 2}]}), json!({"d": null}), json!({"e": 1})] {
            assert!(difference(&actual, &expected).is_some(), "{expected}");
        }
    }
}
