//! How one string is compared.

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
