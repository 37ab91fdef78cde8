//! Matching of a string.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// A value and how it is compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StringMatch {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Exact"))]
    pub r#type: Option<StringMatchType>,
    #[schemars(length(min = 1, max = 1024))]
    pub value: String,
}

string_enum! {
    /// How a string is compared.
    pub closed enum StringMatchType {
        Exact = "Exact",
        Prefix = "Prefix",
        Suffix = "Suffix",
        RegularExpression = "RegularExpression",
    }
}
