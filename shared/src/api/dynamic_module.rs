//! Dynamic modules an EnvoyProxy may load.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::constraints::ModuleName;
use crate::api::rules::exactly_for;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

/// A module policies may use by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DynamicModuleEntry {
    #[schemars(with = "ModuleName")]
    pub name: String,
    pub source: DynamicModuleSource,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub do_not_close: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub load_globally: Option<bool>,
}

/// Where its library is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    exactly_for("Remote", "remote"),
    rule("self.type != 'Local' || has(self.local)", "type Local needs local"),
    rule("self.type == 'Remote' ? !has(self.local) : true", "type Remote takes no local"),
]))]
pub struct DynamicModuleSource {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Local"))]
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
    #[schemars(length(min = 1, max = 4096))]
    pub path: String,
}

/// A library to download.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemoteDynamicModuleSource {
    #[schemars(length(min = 1, max = 4096), regex(pattern = "^https?://[^/?#]+(?:[/?#].*)?$"))]
    pub url: String,
    #[schemars(regex(pattern = "^[a-f0-9]{64}$"))]
    pub sha256: String,
}

/// A filter of a module the EnvoyProxy knows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DynamicModule {
    #[schemars(with = "ModuleName")]
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253))]
    pub filter_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub terminal_filter: Option<bool>,
}
