//! Bodies of responses the proxy makes itself.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::references::LocalObjectReference;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// A body given here or in a ConfigMap.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomResponseBody {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<ResponseValueType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inline: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_ref: Option<LocalObjectReference>,
}

string_enum! {
    /// Where the body is.
    pub closed enum ResponseValueType {
        Inline = "Inline",
        ValueRef = "ValueRef",
    }
}

string_enum! {
    /// Whose responses an override replaces.
    pub closed enum ResponseOverrideSource {
        All = "All",
        Local = "Local",
        Backend = "Backend",
    }
}
