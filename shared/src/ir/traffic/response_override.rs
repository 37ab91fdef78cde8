//! Upstream responses to replace.

use crate::api::response_override::ResponseOverrideSource;
use crate::ir::absence::empty_as_none;
use crate::ir::custom_response::CustomResponse;
use crate::ir::redirect::Redirect;
use crate::ir::string_match::StringMatch;
use serde::Deserialize;
use serde::Serialize;

/// Upstream responses to replace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResponseOverride {
    /// Unique name; the filter goes by it.
    #[serde(default)]
    pub name: String,
    /// Rules; the first that matches wins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<ResponseOverrideRule>,
}

/// One kind of response to replace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResponseOverrideRule {
    /// Unique name.
    #[serde(default)]
    pub name: String,
    /// What responses.
    #[serde(default)]
    pub r#match: CustomResponseMatch,
    /// What to answer instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<CustomResponse>,
    /// Where to redirect instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect: Option<Redirect>,
    /// Whose responses: the upstream's, Envoy's own, or both (none).
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "empty_as_none")]
    pub source: Option<ResponseOverrideSource>,
}

/// What responses to replace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomResponseMatch {
    /// With one of these statuses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status_codes: Vec<StatusCodeMatch>,
    /// With all these headers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub response_headers: Vec<StringMatch>,
}

/// A status or a range of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusCodeMatch {
    /// This one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<u16>,
    /// This range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<StatusCodeRange>,
}

/// A range of statuses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusCodeRange {
    /// The first.
    #[serde(default)]
    pub start: u16,
    /// The last, included.
    #[serde(default)]
    pub end: u16,
}
