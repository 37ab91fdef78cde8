//! What is wrong with a manifest, and where.

use std::fmt;

/// Something to tell the author of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file, as the caller named it, or whatever else the object came from.
    pub file: String,
    /// The line in the file, from 1; 0 for what has no lines, such as a cluster.
    pub line: usize,
    /// Which document of the file, from 0.
    pub document: usize,
    /// The object, if it got far enough to be known: `HTTPRoute shop/checkout`.
    pub object: Option<String>,
    /// The field, such as `spec.rules[1].matches[0]`; empty for the document as a whole.
    pub path: String,
    /// What is wrong, and what to do.
    pub message: String,
}

impl Finding {
    /// Where it is: `file:line`, or what the object came from.
    #[must_use]
    pub fn place(&self) -> String {
        if self.line == 0 { self.file.clone() } else { format!("{}:{}", self.file, self.line) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place())?;
        if let Some(object) = &self.object {
            write!(f, "{object}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}
