//! Protection against forged cross-site requests.

use crate::api::fraction::Fraction;
use crate::ir::string_match::StringMatch;
use serde::Deserialize;
use serde::Serialize;

/// Requests that change something must come from the same origin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Csrf {
    /// How many are only counted; none when not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow_fraction: Option<Fraction>,
    /// Other origins that may.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub additional_origins: Vec<StringMatch>,
}
