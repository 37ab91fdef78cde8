//! From a tree to a typed object, noting every field the type does not have.

use serde::de::DeserializeOwned;
use serde_yaml::{Mapping, Value};

use super::lines::join;

/// A typed value, or the field that stopped it; and the fields that were not understood.
pub(super) struct Typed<T> {
    pub(super) result: Result<T, Mistake>,
    pub(super) unknown: Vec<String>,
    /// Numbers and truth values that stood where text belongs, and were read as text.
    pub(super) unquoted: Vec<String>,
    /// Fields written with a capital that were read as what they mean.
    pub(super) capitalized: Vec<String>,
}

/// A value that doesn't fit its field.
pub(super) struct Mistake {
    /// The field.
    pub(super) path: String,
    /// What is wrong with it.
    pub(super) message: String,
    /// The way to the field; its names may hold dots.
    steps: Vec<Step>,
}

/// One step into a tree.
#[derive(Clone)]
enum Step {
    Field(String),
    Item(usize),
}

impl<T> Typed<T> {
    pub(super) fn map<U>(self, f: impl FnOnce(T) -> U) -> Typed<U> {
        let Self { result, unknown, unquoted, capitalized } = self;
        Typed { result: result.map(f), unknown, unquoted, capitalized }
    }
}

/// So many unquoted values are read as text before the object is given up.
const MOST_UNQUOTED: usize = 64;

/// Reads a `T` from an object without `apiVersion` and `kind`.
///
/// Two slips are read as what they mean, as Envoy Gateway does for files, and noted: a number or truth value where text
/// belongs, and a field name that begins with a capital.
pub(super) fn typed<T: DeserializeOwned>(mut value: Value) -> Typed<T> {
    normalize(&mut value);
    let mut unquoted = Vec::new();
    let mut capitalized = Vec::new();
    loop {
        let Attempt { result, unknown } = attempt::<T>(&value);
        if let Err(mistake) = &result
            && unquoted.len() < MOST_UNQUOTED
            && mistake.message.starts_with("must be a string")
            && quote(&mut value, &mistake.steps)
        {
            unquoted.push(mistake.path.clone());
            continue;
        }
        if capitalized.is_empty() {
            capitalized = lower_known::<T>(&mut value, &unknown);
            if !capitalized.is_empty() {
                continue;
            }
        }
        let unknown = unknown.iter().map(|steps| path_text(steps)).collect();
        return Typed { result, unknown, unquoted, capitalized };
    }
}

/// What came of reading a tree as a type.
struct Attempt<T> {
    result: Result<T, Mistake>,
    /// The ways to the fields the type does not have.
    unknown: Vec<Vec<Step>>,
}

/// The typed value, and the fields it does not have.
fn attempt<T: DeserializeOwned>(value: &Value) -> Attempt<T> {
    let mut unknown = Vec::new();
    let mut track = serde_path_to_error::Track::new();
    let result = {
        let mut note = |path: serde_ignored::Path<'_>| unknown.push(ignored_steps(&path));
        let tracked = serde_path_to_error::Deserializer::new(value, &mut track);
        T::deserialize(serde_ignored::Deserializer::new(tracked, &mut note))
    };
    let result = result.map_err(|error| {
        let steps = steps_of(&track.path());
        Mistake { path: path_text(&steps), message: message_of(&error), steps }
    });
    unknown.retain(|steps| !matches!(path_text(steps).as_str(), "metadata.managedFields" | "metadata.selfLink"));
    Attempt { result, unknown }
}

/// Gives the unknown fields that begin with a capital their small letter, where the type knows them by that name.
/// Returns the paths of those, as written.
fn lower_known<T: DeserializeOwned>(value: &mut Value, unknown: &[Vec<Step>]) -> Vec<String> {
    let mut lowered = Vec::new();
    for steps in unknown {
        let mut changed = value.clone();
        let Some(respelled) = lower_last(&mut changed, steps) else { continue };
        let still_unknown = attempt::<T>(&changed).unknown;
        if !still_unknown.iter().any(|steps| path_text(steps) == path_text(&respelled)) {
            *value = changed;
            lowered.push(path_text(steps));
        }
    }
    lowered
}

/// Gives the field at the end of `steps` a small first letter and returns the way to it; nothing where it has one or
/// stands beside a field of that name.
fn lower_last(value: &mut Value, steps: &[Step]) -> Option<Vec<Step>> {
    let (last, parents) = steps.split_last()?;
    let Step::Field(name) = last else { return None };
    let mut letters = name.chars();
    let first = letters.next().filter(char::is_ascii_uppercase)?;
    let lowered = format!("{}{}", first.to_ascii_lowercase(), letters.as_str());
    let map = place_of(value, parents)?.as_mapping_mut()?;
    if map.contains_key(&lowered) {
        return None;
    }
    let field = map.remove(name)?;
    map.insert(Value::String(lowered.clone()), field);
    Some(parents.iter().cloned().chain([Step::Field(lowered)]).collect())
}

/// The part of a tree that `steps` lead to.
fn place_of<'v>(value: &'v mut Value, steps: &[Step]) -> Option<&'v mut Value> {
    steps.iter().try_fold(value, |place, step| match step {
        Step::Field(name) => place.get_mut(name),
        Step::Item(index) => place.get_mut(*index),
    })
}

/// Turns the number or truth value at the end of `steps` into text; says whether there was one.
fn quote(value: &mut Value, steps: &[Step]) -> bool {
    let Some(place) = place_of(value, steps) else { return false };
    let text = match place {
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        _ => return false,
    };
    *place = Value::String(text);
    true
}

/// Takes out what the API server takes out or turns around before it looks at types: fields set to null, and amounts
/// written as bare numbers.
fn normalize(value: &mut Value) {
    match value {
        Value::Mapping(map) => {
            map.retain(|_, value| !value.is_null());
            for (key, value) in map.iter_mut() {
                match (key.as_str(), value) {
                    // A patch: null means removal there.
                    (Some("value"), Value::Mapping(_)) => {}
                    (Some("limits" | "requests"), Value::Mapping(amounts)) => {
                        amounts.iter_mut().for_each(|(_, amount)| amount_as_text(amount));
                    }
                    (Some("sizeLimit" | "divisor" | "averageValue"), amount) => amount_as_text(amount),
                    (Some("target"), Value::Mapping(target)) => target_as_text(target),
                    (_, value) => normalize(value),
                }
            }
        }
        Value::Sequence(items) => items.iter_mut().for_each(normalize),
        _ => {}
    }
}

/// The target of an autoscaling metric.
fn target_as_text(target: &mut Mapping) {
    target.retain(|_, value| !value.is_null());
    for (key, value) in target.iter_mut() {
        if matches!(key.as_str(), Some("value" | "averageValue")) {
            amount_as_text(value);
        }
    }
}

fn amount_as_text(value: &mut Value) {
    if let Value::Number(number) = value {
        *value = Value::String(number.to_string());
    }
}

fn ignored_steps(path: &serde_ignored::Path<'_>) -> Vec<Step> {
    use serde_ignored::Path;
    let extended = |parent, step| {
        let mut steps = ignored_steps(parent);
        steps.push(step);
        steps
    };
    match path {
        Path::Root => Vec::new(),
        Path::Seq { parent, index } => extended(parent, Step::Item(*index)),
        Path::Map { parent, key } => extended(parent, Step::Field(key.clone())),
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => {
            ignored_steps(parent)
        }
    }
}

/// The path of a field as text.
pub(super) fn text_of(path: &serde_path_to_error::Path) -> String {
    path_text(&steps_of(path))
}

fn steps_of(path: &serde_path_to_error::Path) -> Vec<Step> {
    use serde_path_to_error::Segment;
    let steps = path.iter().filter_map(|segment| match segment {
        Segment::Seq { index } => Some(Step::Item(*index)),
        Segment::Map { key } => Some(Step::Field(key.clone())),
        Segment::Enum { .. } | Segment::Unknown => None,
    });
    steps.collect()
}

fn path_text(steps: &[Step]) -> String {
    steps.iter().fold(String::new(), |path, step| match step {
        Step::Item(index) => format!("{path}[{index}]"),
        Step::Field(name) => join(&path, name),
    })
}

/// serde's words, led by what they mean.
pub(super) fn message_of(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    match text.strip_prefix("invalid type: ").or_else(|| text.strip_prefix("invalid value: ")) {
        Some(rest) => match rest.split_once(", expected ") {
            Some((found, expected)) => format!("must be {}, not {}", words(expected), words(found)),
            None => format!("has the wrong type: {rest}"),
        },
        None => match text.strip_prefix("missing field ") {
            Some(field) => format!("the field {field} is missing"),
            None => text,
        },
    }
}

/// serde names Rust types; authors of manifests know YAML.
fn words(serde: &str) -> &str {
    match serde {
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize" | "isize" => {
            "a whole number in its range"
        }
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "sequence" | "a sequence" => "a list",
        "map" | "a map" => "a mapping",
        "unit value" => "nothing",
        other if other.starts_with("struct ") => "a mapping",
        other => other,
    }
}
