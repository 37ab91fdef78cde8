//! How one string is compared.

use crate::diagnostic::Diagnostic;
use crate::ir::validation::fault;
use crate::ir::validation::fault_here;
use serde::Deserialize;
use serde::Serialize;

/// How a string, often a named one, is compared. One kind of comparison is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StringMatch {
    /// The header, parameter or other thing compared; empty when there is only one.
    #[serde(default)]
    pub name: String,
    /// It equals this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
    /// It begins with this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// It ends with this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suffix: Option<String>,
    /// This RE2 expression matches all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safe_regex: Option<String>,
    /// Every value counts on its own (rate limits).
    #[serde(default)]
    pub distinct: bool,
    /// Whether a match counts as none and the other way round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invert: Option<bool>,
}

impl StringMatch {
    /// Faults: exactly one kind of comparison is set; a distinct match needs a name and can't be inverted.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        if self.distinct && self.name.is_empty() {
            faults.push(fault("name", "a distinct match has no name; say which values are told apart"));
        }
        if self.distinct && self.invert == Some(true) {
            faults.push(fault("invert", "a distinct match takes every value and can't be inverted"));
        }
        let comparisons = [
            self.exact.is_some(),
            self.prefix.is_some(),
            self.suffix.is_some(),
            self.safe_regex.is_some(),
            self.distinct,
        ];
        match comparisons.iter().filter(|set| **set).count() {
            1 => {}
            0 => faults.push(fault_here("nothing to compare with; set exact, prefix, suffix, safeRegex or distinct")),
            more => faults.push(fault_here(format!("{more} kinds of comparison are set; keep one"))),
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_comparison_is_set() {
        let faults = |comparison: &StringMatch| comparison.validate().len();
        let exact = StringMatch { exact: Some("/a".into()), ..StringMatch::default() };
        assert_eq!(faults(&exact), 0);
        assert_eq!(faults(&StringMatch::default()), 1);
        assert_eq!(faults(&StringMatch { prefix: Some("/".into()), ..exact }), 1);
        let distinct = StringMatch { distinct: true, invert: Some(true), ..StringMatch::default() };
        assert_eq!(faults(&distinct), 2);
    }
}
