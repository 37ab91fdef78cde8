//! Building blocks of the `validate` methods.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::FieldPath;

/// The reason every fault of an IR carries.
const REASON: &str = "Invalid";

/// A fault of the field `name`.
pub(crate) fn fault(name: &str, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(FieldPath::field(name), REASON, message)
}

/// A fault of the value itself.
pub(crate) fn fault_here(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(FieldPath::root(), REASON, message)
}

/// `faults` of the field `name`.
pub(crate) fn within(name: &str, faults: Vec<Diagnostic>) -> impl Iterator<Item = Diagnostic> {
    faults.into_iter().map(move |fault| fault.within(name))
}

/// `faults` of element `index` of the list `name`.
pub(crate) fn within_item(name: &str, index: usize, faults: Vec<Diagnostic>) -> impl Iterator<Item = Diagnostic> {
    faults.into_iter().map(move |fault| fault.within_item(name, index))
}
