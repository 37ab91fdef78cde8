//! The objects of an installation as documents, and in lists of lines.

use std::fmt::Write as _;

use gateway_shared::install::InstallObject;
use gateway_shared::install::changes::Change;
use serde_json::{Value, json};

use super::facts::Key;
use crate::args::output::Document;
use crate::exit::{Exit, Failure};
use crate::render::printer::Printer;
use crate::render::style::Tone;

/// Prints the objects as `kubectl apply -f -` reads them: YAML documents, or a list in JSON.
///
/// # Errors
/// When stdout can't be written.
pub fn print(objects: &[InstallObject], format: Document, printer: &mut Printer<'_>) -> Result<(), Failure> {
    let contents: Vec<&Value> = objects.iter().map(|object| &object.content).collect();
    match format {
        Document::Json => printer.document(format, &json!({ "apiVersion": "v1", "kind": "List", "items": contents })),
        Document::Yaml => {
            let mut text = String::new();
            for content in contents {
                let document = serde_yaml::to_string(content).map_err(|error| {
                    Failure::new(Exit::Undetermined, format!("it can't be written as YAML: {error}"))
                })?;
                // Writing to a String can't fail.
                let _ = write!(text, "---\n{document}");
            }
            printer.data(&text)
        }
    }
}

/// One line an object: what it is, where, and what becomes of it.
#[must_use]
pub fn line((kind, namespace, name): &Key, becomes: &str) -> String {
    let place = namespace.as_deref().unwrap_or("-");
    format!("{:32} {place:24} {name:56} {becomes}", kind.kind()).trim_end().to_owned()
}

/// What changes in an object, a line each.
pub fn changes(title: &str, changes: &[Change], printer: &mut Printer<'_>) {
    const MOST: usize = 12;
    printer.note(&format!("  {title}"));
    for Change { path, before, after } in changes.iter().take(MOST) {
        let style = printer.style;
        let text = match (before, after) {
            (None, Some(after)) => format!("{path}: {}", style.paint(Tone::Good, after)),
            (Some(before), None) => format!("{path}: {} goes", style.paint(Tone::Bad, before)),
            (before, after) => format!(
                "{path}: {} → {}",
                style.paint(Tone::Bad, before.as_deref().unwrap_or("nothing")),
                style.paint(Tone::Good, after.as_deref().unwrap_or("nothing"))
            ),
        };
        let text = if style.unicode { text } else { text.replace('→', "->") };
        printer.note(&format!("    {text}"));
    }
    if let Some(more) = changes.len().checked_sub(MOST).filter(|more| *more > 0) {
        printer.note(&format!("    and {more} more"));
    }
}

/// The head of a list of such lines.
#[must_use]
pub fn heading() -> String {
    format!("{:32} {:24} {:56} {}", "KIND", "NAMESPACE", "NAME", "").trim_end().to_owned()
}
