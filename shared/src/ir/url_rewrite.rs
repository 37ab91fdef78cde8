//! Changes of host and path on the way to the upstream.

use crate::diagnostic::Diagnostic;
use crate::ir::redirect::HttpPathModifier;
use crate::ir::validation::fault;
use crate::ir::validation::fault_here;
use crate::ir::validation::within;
use serde::Deserialize;
use serde::Serialize;

/// How a request's URL changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UrlRewrite {
    /// How the path changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<ExtendedHttpPathModifier>,
    /// How the host changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HttpHostModifier>,
    /// Whether the original host is kept in `x-forwarded-host`; true when not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub append_x_forwarded_host: Option<bool>,
}

/// How a path changes. One way is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtendedHttpPathModifier {
    /// The ways redirects know too.
    #[serde(flatten)]
    pub path: HttpPathModifier,
    /// A substitution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regex_match_replace: Option<RegexMatchReplace>,
}

/// A regular expression and what replaces its match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RegexMatchReplace {
    /// RE2 expression.
    #[serde(default)]
    pub pattern: String,
    /// Replacement; `\1` stands for the first group.
    #[serde(default)]
    pub substitution: String,
}

/// How the host changes. One way is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpHostModifier {
    /// To this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// To the value of this header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// To the upstream endpoint's hostname.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<bool>,
    /// To what a substitution makes of the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_regex: Option<RegexMatchReplace>,
}

impl UrlRewrite {
    /// Faults of path and host.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        if let Some(path) = &self.path {
            faults.extend(within("path", path.validate()));
        }
        if let Some(host) = &self.host {
            faults.extend(within("host", host.validate()));
        }
        faults
    }
}

impl ExtendedHttpPathModifier {
    /// Faults: exactly one way is set, and a substitution is whole.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let ways = [
            self.regex_match_replace.is_some(),
            self.path.prefix_match_replace.is_some(),
            self.path.full_replace.is_some(),
        ];
        let mut faults = Vec::new();
        match ways.iter().filter(|set| **set).count() {
            1 => {}
            0 => {
                faults.push(fault_here("nothing is replaced; set fullReplace, prefixMatchReplace or regexMatchReplace"))
            }
            more => faults.push(fault_here(format!("the path is replaced in {more} ways; keep one"))),
        }
        if let Some(regex) = &self.regex_match_replace {
            faults.extend(within("regexMatchReplace", regex.validate()));
        }
        faults
    }
}

impl HttpHostModifier {
    /// Faults: at most one way is set, and a substitution is whole.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let ways = [self.name.is_some(), self.header.is_some(), self.backend.is_some(), self.path_regex.is_some()];
        let mut faults = Vec::new();
        let set = ways.iter().filter(|set| **set).count();
        if set > 1 {
            faults.push(fault_here(format!("the host is replaced in {set} ways; keep one")));
        }
        if let Some(regex) = &self.path_regex {
            faults.extend(within("pathRegex", regex.validate()));
        }
        faults
    }
}

impl RegexMatchReplace {
    /// Faults: both parts are needed.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        if self.pattern.is_empty() {
            faults.push(fault("pattern", "there is no expression to match"));
        }
        if self.substitution.is_empty() {
            faults.push(fault("substitution", "there is nothing to put in place of the match"));
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_substitution_needs_both_parts_and_stands_alone() {
        let regex = RegexMatchReplace { pattern: "^/a".into(), substitution: String::new() };
        let path = HttpPathModifier { full_replace: Some("/b".into()), prefix_match_replace: None };
        let path = ExtendedHttpPathModifier { path, regex_match_replace: Some(regex) };
        let faults = UrlRewrite { path: Some(path), ..UrlRewrite::default() }.validate();
        let paths: Vec<String> = faults.iter().map(|fault| fault.path.to_string()).collect();
        assert_eq!(paths, ["path", "path.regexMatchReplace.substitution"]);
    }
}
