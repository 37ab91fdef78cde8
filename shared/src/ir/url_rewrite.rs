//! Changes of host and path on the way to the upstream.

use crate::ir::redirect::HttpPathModifier;
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
