//! Redirects that Envoy gives itself.

use crate::diagnostic::Diagnostic;
use crate::ir::validation::fault;
use crate::ir::validation::fault_here;
use crate::ir::validation::within;
use serde::Deserialize;
use serde::Serialize;

/// A redirect; what isn't set stays as it was requested.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Redirect {
    /// The scheme to go to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// The host to go to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    /// The path to go to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<HttpPathModifier>,
    /// The port to go to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u32>,
    /// The status; Envoy's default is 301.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_code: Option<i32>,
}

/// How a path changes. One of both is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpPathModifier {
    /// The whole new path.
    #[serde(default)]
    pub full_replace: Option<String>,
    /// What replaces the matched prefix.
    #[serde(default)]
    pub prefix_match_replace: Option<String>,
}

/// Statuses a redirect may have.
const REDIRECT_STATUSES: [i32; 5] = [301, 302, 303, 307, 308];

impl Redirect {
    /// Faults of scheme, path and status.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        if let Some(scheme) = self.scheme.as_deref().filter(|scheme| !matches!(*scheme, "http" | "https")) {
            faults.push(fault("scheme", format!("can't redirect to {scheme:?}; use http or https")));
        }
        if let Some(path) = &self.path {
            faults.extend(within("path", path.validate()));
        }
        if let Some(status) = self.status_code.filter(|status| !REDIRECT_STATUSES.contains(status)) {
            faults.push(fault("statusCode", format!("{status} is no redirect; use 301, 302, 303, 307 or 308")));
        }
        faults
    }
}

impl HttpPathModifier {
    /// Faults: exactly one way is set.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        match (&self.full_replace, &self.prefix_match_replace) {
            (Some(_), Some(_)) => vec![fault_here("both the whole path and its prefix are replaced; keep one")],
            (None, None) => vec![fault_here("nothing is replaced; set fullReplace or prefixMatchReplace")],
            (Some(_), None) | (None, Some(_)) => Vec::new(),
        }
    }
}
