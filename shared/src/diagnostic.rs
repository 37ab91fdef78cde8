//! Broken input as a value: where it is, which reason it has in a status, and what to do about it.

use std::fmt;

/// A path to a field inside an object, outermost segment first when printed.
///
/// Built innermost first: the code that finds a fault knows the leaf, its callers add what encloses it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldPath {
    /// Segments from the innermost outwards.
    segments: Vec<Segment>,
}

/// One step of a [`FieldPath`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Segment {
    Field(String),
    Index(usize),
}

impl FieldPath {
    /// The path of a single field.
    #[must_use]
    pub fn field(name: impl Into<String>) -> Self {
        Self { segments: vec![Segment::Field(name.into())] }
    }

    /// The empty path: the object itself.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// This path, seen from inside the field `name`.
    #[must_use]
    pub fn within(mut self, name: impl Into<String>) -> Self {
        self.segments.push(Segment::Field(name.into()));
        self
    }

    /// This path, seen from inside element `index` of the list `name`.
    #[must_use]
    pub fn within_item(mut self, name: impl Into<String>, index: usize) -> Self {
        self.segments.push(Segment::Index(index));
        self.segments.push(Segment::Field(name.into()));
        self
    }

    /// Whether this is the object itself.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.segments.is_empty()
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.segments.iter().rev().enumerate() {
            match segment {
                Segment::Field(name) if position == 0 => write!(f, "{name}")?,
                Segment::Field(name) => write!(f, ".{name}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// One fault found in an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The field at fault.
    pub path: FieldPath,
    /// The reason a status condition carries for it (CamelCase, part of the compatibility surface).
    pub reason: &'static str,
    /// What is wrong and what to do, in words.
    pub message: String,
}

impl Diagnostic {
    /// A fault at `path`.
    #[must_use]
    pub fn new(path: FieldPath, reason: &'static str, message: impl Into<String>) -> Self {
        Self { path, reason, message: message.into() }
    }

    /// The same fault, seen from inside the field `name`.
    #[must_use]
    pub fn within(mut self, name: impl Into<String>) -> Self {
        self.path = self.path.within(name);
        self
    }

    /// The same fault, seen from inside element `index` of the list `name`.
    #[must_use]
    pub fn within_item(mut self, name: impl Into<String>, index: usize) -> Self {
        self.path = self.path.within_item(name, index);
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_root() { write!(f, "{}", self.message) } else { write!(f, "{}: {}", self.path, self.message) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_from_the_outside_in() {
        let path =
            FieldPath::field("value").within("path").within_item("matches", 0).within_item("rules", 1).within("spec");
        assert_eq!(path.to_string(), "spec.rules[1].matches[0].path.value");
    }
}
