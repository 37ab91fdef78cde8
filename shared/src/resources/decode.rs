//! From the text of a manifest to objects, losing nothing silently: a field or kind we don't know is a warning, a value of
//! the wrong type an error, each with its line, and neither stops the other objects.
//!
//! Defaults are not filled in: an object holds what its author wrote, and methods of the types tell what counts.

mod config;
mod documents;
mod finding;
mod json;
mod kinds;
mod lines;
mod typed;

use serde_yaml::{Mapping, Value};

pub use config::{ConfigExtras, DecodedConfig, config};
pub use finding::Finding;
pub use json::{Fault, object};

use crate::api::any_object::AnyObject;
use documents::Document;
use kinds::Reading;
use lines::Lines;

/// What is said about a field no type has.
const UNKNOWN_FIELD: &str = "unknown field, it is ignored; check its spelling and place";

/// What is said about a field whose name begins with a capital.
const CAPITALIZED: &str =
    "begins with a small letter, and is read as if it did here; correct it, a cluster would drop the field";

/// What is said about a number where text belongs.
const UNQUOTED: &str = "must be a string and is read as one here; put it in quotes, a cluster would refuse it";

/// What a file held.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decoded {
    /// The objects that could be read, in the order of the file. One that stands there twice is here twice.
    pub objects: Vec<DecodedObject>,
    /// Fields and objects that were passed over.
    pub warnings: Vec<Finding>,
    /// Documents and objects that could not be read.
    pub errors: Vec<Finding>,
}

/// An object and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodedObject {
    /// The object.
    pub object: AnyObject,
    /// The line it begins on, from 1. Objects in a `List` have the line of the list.
    pub line: usize,
    /// Which document of the file, from 0.
    pub document: usize,
}

/// Reads a manifest that may not even be text. `source` names the file in messages.
#[must_use]
pub fn bytes(source: &str, bytes: &[u8]) -> Decoded {
    let broken = |line: usize, message: String| Decoded {
        errors: vec![Source { file: source }.finding(line, 0, None, "", message)],
        ..Decoded::default()
    };
    let line_of = |offset: usize| 1 + bytes.iter().take(offset).filter(|byte| **byte == b'\n').count();
    if let Some(offset) = bytes.iter().position(|byte| *byte == 0) {
        return broken(line_of(offset), "this is a binary file, not a manifest: it has a zero byte here".to_owned());
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => manifests(source, text),
        Err(error) => broken(
            line_of(error.valid_up_to()),
            "the text is not UTF-8 here; save the file as UTF-8, or leave it out if it is no manifest".to_owned(),
        ),
    }
}

/// Reads a manifest: YAML or JSON, one document or many, with lists taken apart. `source` names the file in messages.
#[must_use]
pub fn manifests(source: &str, text: &str) -> Decoded {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reading = ReadingFile { source: Source { file: source }, decoded: Decoded::default() };
    let documents = documents::documents(text);
    if documents.is_empty() {
        let message = "the file holds no objects".to_owned();
        reading.decoded.warnings.push(reading.source.finding(1, 0, None, "", message));
    }
    for document in &documents {
        match reading.source.parse(document) {
            Ok(value) => reading.document(document, value),
            Err(finding) => reading.decoded.errors.push(finding),
        }
    }
    reading.decoded
}

/// The file that messages speak of.
#[derive(Clone, Copy)]
struct Source<'a> {
    file: &'a str,
}

impl Source<'_> {
    fn finding(self, line: usize, document: usize, object: Option<String>, path: &str, message: String) -> Finding {
        Finding { file: self.file.to_owned(), line, document, object, path: path.to_owned(), message }
    }

    /// The tree of one document.
    fn parse(self, document: &Document<'_>) -> Result<Value, Finding> {
        // JSON is nearly YAML; its own parser takes what is left, such as tabs.
        if document.text.trim_start().starts_with(['{', '['])
            && let Ok(value) = serde_json::from_str(document.text)
        {
            return Ok(value);
        }
        let parsed = serde_yaml::from_str::<Value>(document.text).and_then(|mut value| {
            value.apply_merge()?;
            Ok(value)
        });
        parsed.map_err(|error| {
            let line = error.location().map_or(1, |location| location.line().max(1));
            let text = error.to_string();
            let words = text.rsplit_once(" at line ").map_or(text.as_str(), |(words, _)| words);
            self.finding(document.line + line - 1, document.index, None, "", format!("not YAML: {words}"))
        })
    }
}

/// A file being read.
struct ReadingFile<'a> {
    source: Source<'a>,
    decoded: Decoded,
}

/// Where an object stands while it is read.
struct Place<'a> {
    document: &'a Document<'a>,
    /// Path to the object inside its document: empty, or `items[3]`.
    path: String,
    /// Lines of the document, once somebody asked.
    lines: &'a mut Option<Lines>,
}

impl Place<'_> {
    fn line(&mut self, path: &str) -> usize {
        let document = self.document;
        self.lines.get_or_insert_with(|| Lines::of(document.text, document.line)).line(path)
    }

    /// A path inside the object, seen from the document.
    fn within(&self, path: &str) -> String {
        if path.is_empty() { self.path.clone() } else { lines::join(&self.path, path) }
    }
}

impl ReadingFile<'_> {
    fn document(&mut self, document: &Document<'_>, value: Value) {
        let mut lines = None;
        self.object(Place { document, path: String::new(), lines: &mut lines }, value, None);
    }

    fn error(&mut self, place: &mut Place<'_>, object: Option<String>, path: &str, message: String) {
        let path = place.within(path);
        let line = place.line(&path);
        self.decoded.errors.push(self.source.finding(line, place.document.index, object, &path, message));
    }

    fn warning(&mut self, place: &mut Place<'_>, object: Option<String>, path: &str, message: String) {
        let path = place.within(path);
        let line = place.line(&path);
        self.decoded.warnings.push(self.source.finding(line, place.document.index, object, &path, message));
    }

    /// Reads one object. Members of a typed list may leave `apiVersion` and `kind` to it: `inherited`.
    fn object(&mut self, mut place: Place<'_>, value: Value, inherited: Option<(&str, &str)>) {
        let Value::Mapping(mut map) = value else {
            let message = "an object is expected here, a mapping with apiVersion, kind and metadata".to_owned();
            return self.error(&mut place, None, "", message);
        };
        let mut take = |key: &str| match map.remove(key) {
            Some(Value::String(text)) => Ok(text),
            Some(_) => Err(format!("{key} must be a string")),
            None => Err(format!("the field {key} is missing; every object needs apiVersion and kind")),
        };
        let (api_version, kind) = match (take("apiVersion"), take("kind"), inherited) {
            (Ok(api_version), Ok(kind), _) => (api_version, kind),
            (_, _, Some((api_version, kind))) => (api_version.to_owned(), kind.to_owned()),
            (Err(message), ..) | (_, Err(message), _) => return self.error(&mut place, None, "", message),
        };
        if let Some(item_kind) = kind.strip_suffix("List")
            && matches!(map.get("items"), Some(Value::Sequence(_) | Value::Null))
        {
            let inherited = (!item_kind.is_empty()).then_some((api_version.as_str(), item_kind));
            return self.list(place, map, inherited);
        }
        let identity = Some(identity_of(&kind, &map));
        let read = match kinds::reading(&api_version, &kind) {
            Reading::Known(read) => read,
            Reading::Configuration => return,
            Reading::PassedOver(message) => return self.warning(&mut place, identity, "", message),
        };
        let typed = read(Value::Mapping(map));
        for path in &typed.unknown {
            self.warning(&mut place, identity.clone(), path, UNKNOWN_FIELD.to_owned());
        }
        for path in &typed.unquoted {
            self.warning(&mut place, identity.clone(), path, UNQUOTED.to_owned());
        }
        for path in &typed.capitalized {
            self.warning(&mut place, identity.clone(), path, CAPITALIZED.to_owned());
        }
        match typed.result {
            Ok(object) if object.metadata().name.is_empty() => {
                self.error(&mut place, identity, "metadata", "the object has no name, give it one".to_owned());
            }
            Ok(object) => {
                let line = first_line(place.document);
                self.decoded.objects.push(DecodedObject { object, line, document: place.document.index });
            }
            Err(mistake) => self.error(&mut place, identity, &mistake.path, mistake.message),
        }
    }

    fn list(&mut self, place: Place<'_>, mut map: Mapping, inherited: Option<(&str, &str)>) {
        let Some(Value::Sequence(items)) = map.remove("items") else { return };
        let Place { document, path, lines } = place;
        for (index, item) in items.into_iter().enumerate() {
            let path = format!("{}[{index}]", lines::join(&path, "items"));
            self.object(Place { document, path, lines: &mut *lines }, item, inherited);
        }
    }
}

/// `HTTPRoute shop/checkout`, as far as it can be told.
fn identity_of(kind: &str, map: &Mapping) -> String {
    let metadata = map.get("metadata");
    let text = |key: &str| metadata.and_then(|metadata| metadata.get(key)).and_then(Value::as_str);
    match (text("namespace"), text("name")) {
        (Some(namespace), Some(name)) => format!("{kind} {namespace}/{name}"),
        (None, Some(name)) => format!("{kind} {name}"),
        (_, None) => kind.to_owned(),
    }
}

/// The line of the first content of a document.
fn first_line(document: &Document<'_>) -> usize {
    let skipped = document.text.lines().take_while(|line| {
        let line = line.trim_start();
        line.is_empty() || line.starts_with('#')
    });
    document.line + skipped.count()
}

#[cfg(test)]
mod tests;
