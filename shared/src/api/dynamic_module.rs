//! Dynamic modules an EnvoyProxy may load.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// A module policies may use by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DynamicModuleEntry {
    pub name: String,
    pub source: DynamicModuleSource,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub do_not_close: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_globally: Option<bool>,
}

/// Where its library is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DynamicModuleSource {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<DynamicModuleSourceType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<LocalDynamicModuleSource>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<RemoteDynamicModuleSource>,
}

string_enum! {
    /// Kind of that place.
    pub closed enum DynamicModuleSourceType {
        Local = "Local",
        Remote = "Remote",
    }
}

/// A library in the image of the proxy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LocalDynamicModuleSource {
    pub path: String,
}

/// A library to download.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemoteDynamicModuleSource {
    pub url: String,
    pub sha256: String,
}
