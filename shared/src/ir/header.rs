//! Headers to add.

use crate::diagnostic::Diagnostic;
use crate::ir::absence::null_as_default;
use crate::ir::validation::fault;
use crate::ir::validation::fault_here;
use crate::ir::validation::within_item;
use serde::Deserialize;
use serde::Serialize;
use std::collections::BTreeSet;

/// A header to add to a request or response.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AddHeader {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Its values.
    #[serde(default, deserialize_with = "null_as_default")]
    pub value: Vec<String>,
    /// Whether they join existing values instead of replacing them.
    #[serde(default)]
    pub append: bool,
    /// Whether the header is left alone when it is there already.
    #[serde(default)]
    pub add_if_absent: bool,
}

impl AddHeader {
    /// Faults: a header needs a name.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        if self.name.is_empty() { vec![fault("name", "a header to add has no name")] } else { Vec::new() }
    }
}

/// Faults of the headers to add in `field`: each has a name, and none is added twice. Only the first repetition is told.
pub(crate) fn validate_added(field: &str, headers: &[AddHeader]) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for (index, header) in headers.iter().enumerate() {
        faults.extend(within_item(field, index, header.validate()));
        if !seen.insert(header.name.as_str()) {
            faults.extend(within_item(field, index, vec![repeated(&header.name, "added")]));
            break;
        }
    }
    faults
}

/// Faults of the headers to remove in `field`: none is removed twice. Only the first repetition is told.
pub(crate) fn validate_removed(field: &str, names: &[String]) -> Vec<Diagnostic> {
    let mut seen = BTreeSet::new();
    let repetition = names.iter().enumerate().find(|(_, name)| !seen.insert(name.as_str()));
    repetition
        .into_iter()
        .flat_map(|(index, name)| within_item(field, index, vec![repeated(name, "removed")]))
        .collect()
}

/// The fault of a header that comes twice.
fn repeated(name: &str, verb: &str) -> Diagnostic {
    fault_here(format!("the header {name:?} is {verb} more than once; keep one entry"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_added_and_removed_once() {
        let header = |name: &str| AddHeader { name: name.into(), ..AddHeader::default() };
        let faults = validate_added("addRequestHeaders", &[header("a"), header("b"), header("a")]);
        let paths: Vec<String> = faults.iter().map(|fault| fault.path.to_string()).collect();
        assert_eq!(paths, ["addRequestHeaders[2]"]);
        let names = ["a", "a", "a"].map(String::from);
        assert_eq!(validate_removed("removeRequestHeaders", &names).len(), 1);
    }
}
