//! The line a field stands on. Looked for only when there is something to say about it.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser};

/// The lines of the fields of one document, by path.
pub(super) struct Lines {
    by_path: HashMap<String, usize>,
    first: usize,
}

/// A collection the walk is inside of.
enum Frame {
    Mapping { path: String, key: Option<String> },
    Sequence { path: String, next: usize },
}

impl Lines {
    /// Walks a document whose text begins on line `first` of its file. Stops where the text stops being YAML.
    pub(super) fn of(text: &str, first: usize) -> Self {
        let mut by_path = HashMap::new();
        let mut stack: Vec<Frame> = Vec::new();
        for (event, span) in Parser::new_from_str(text).map_while(Result::ok) {
            let line = first + span.start.line().saturating_sub(1);
            let opens = match event {
                Event::MappingStart(..) => Some(true),
                Event::SequenceStart(..) => Some(false),
                Event::MappingEnd | Event::SequenceEnd => {
                    stack.pop();
                    continue;
                }
                Event::Scalar(..) | Event::Alias(..) => None,
                _ => continue,
            };
            let path = match stack.last_mut() {
                None => String::new(),
                Some(Frame::Sequence { path, next }) => {
                    let item = format!("{path}[{next}]");
                    *next += 1;
                    by_path.insert(item.clone(), line);
                    item
                }
                Some(Frame::Mapping { path, key }) => match key.take() {
                    Some(key) => join(path, &key),
                    None => {
                        let name = if let Event::Scalar(text, ..) = &event { text.to_string() } else { String::new() };
                        by_path.insert(join(path, &name), line);
                        *key = Some(name);
                        if opens.is_none() {
                            continue;
                        }
                        // A collection as a key: nothing below it can be named.
                        String::from("?")
                    }
                },
            };
            match opens {
                Some(true) => stack.push(Frame::Mapping { path, key: None }),
                Some(false) => stack.push(Frame::Sequence { path, next: 0 }),
                None => {}
            }
        }
        Self { by_path, first }
    }

    /// The line of a field, or of the nearest field around it that is written out.
    pub(super) fn line(&self, path: &str) -> usize {
        let mut path = path;
        loop {
            if let Some(line) = self.by_path.get(path) {
                return *line;
            }
            match path.rfind(['.', '[']).and_then(|end| path.get(..end)) {
                Some(shorter) => path = shorter,
                None => break,
            }
        }
        self.by_path.values().min().copied().unwrap_or(self.first)
    }
}

/// A field inside another.
pub(super) fn join(path: &str, field: &str) -> String {
    if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_has_the_line_of_its_name() {
        let text = "\nkind: A\nspec:\n  rules:\n  - name: x\n    value: |\n      text\n  - {name: y,\n     value: z}\n";
        let lines = Lines::of(text, 10);
        for (path, line) in [
            ("kind", 11),
            ("spec", 12),
            ("spec.rules", 13),
            ("spec.rules[0]", 14),
            ("spec.rules[0].value", 15),
            ("spec.rules[1].value", 18),
            ("spec.rules[1].missing.deep", 17),
            ("", 11),
        ] {
            assert_eq!(lines.line(path), line, "{path}");
        }
    }
}
