//! Changes to the bootstrap configuration of a fleet.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::json_patch::JsonPatchOperation;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// A change to the bootstrap configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "self.type == 'JSONPatch' ? self.jsonPatches.size() > 0 : has(self.value)",
        "type JSONPatch needs jsonPatches, the other types need value",
    ),
]))]
pub struct ProxyBootstrap {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Replace"))]
    pub r#type: Option<BootstrapType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub json_patches: Vec<JsonPatchOperation>,
}

string_enum! {
    /// How the change is applied.
    pub closed enum BootstrapType {
        Merge = "Merge",
        Replace = "Replace",
        JsonPatch = "JSONPatch",
    }
}
