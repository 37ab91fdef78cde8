//! What the IR asked for and the table does not hold: values for status, logs and exit codes, never a panic.

use std::fmt;
use std::sync::Arc;

/// How a problem left the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemKind {
    /// The IR is wrong there; what could not be made is left out, everything else is served.
    Invalid,
    /// The IR is right, but this version doesn't build the feature. A route that a security feature should protect
    /// answers 500 instead of being served without it.
    NotBuilt,
}

/// One thing the IR asked for that the table does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// How it left the table.
    pub kind: ProblemKind,
    /// The IR name of the listener, route or cluster.
    pub object: Arc<str>,
    /// The feature, in the IR's words (`retry`, `security.jwt`).
    pub feature: &'static str,
    /// What is wrong and what became of it, in words.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}: {}", self.object, self.feature, self.message)
    }
}

/// A part of Envoy's configuration that can't be made from the IR; who called knows which object it is part of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Invalid {
    /// The feature, in the IR's words.
    pub(super) feature: &'static str,
    /// What is wrong, in words.
    pub(super) message: String,
}

impl Invalid {
    pub(super) fn new(feature: &'static str, message: impl Into<String>) -> Self {
        Self { feature, message: message.into() }
    }

    /// The problem of the object with this name.
    pub(super) fn of(self, object: &str) -> Problem {
        Problem { kind: ProblemKind::Invalid, object: object.into(), feature: self.feature, message: self.message }
    }
}
