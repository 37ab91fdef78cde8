//! Wasm extensions in EnvoyExtensionPolicy.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::references::SecretObjectReference;
use crate::api::rules::exactly_for;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

/// A Wasm extension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Wasm {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(rename = "rootID", default, skip_serializing_if = "Option::is_none")]
    pub root_id: Option<String>,
    pub code: WasmCodeSource,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub fail_open: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<WasmEnv>,
}

/// Where its code is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    exactly_for("HTTP", "http"),
    exactly_for("Image", "image"),
]))]
pub struct WasmCodeSource {
    pub r#type: WasmCodeSourceType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpWasmCodeSource>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<ImageWasmCodeSource>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_policy: Option<ImagePullPolicy>,
}

string_enum! {
    /// Kind of that place.
    pub closed enum WasmCodeSourceType {
        Http = "HTTP",
        Image = "Image",
    }
}

/// Code to download.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HttpWasmCodeSource {
    #[schemars(regex(
        pattern = r"^((https?:)(\/\/\/?)([\w]*(?::[\w]*)?@)?([\d\w\.-]+)(?::(\d+))?)?([\/\\\w\.()-]*)?(?:([?][^#]*)?(#.*)?)*"
    ))]
    pub url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<WasmCodeSourceTlsConfig>,
}

/// Code in an OCI image.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageWasmCodeSource {
    pub url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-validations" = [
        rule("self.kind == 'Secret'", "only a Secret can be referred to"),
    ]))]
    pub pull_secret_ref: Option<SecretObjectReference>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<WasmCodeSourceTlsConfig>,
}

/// TLS towards that place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WasmCodeSourceTlsConfig {
    pub ca_certificate_ref: SecretObjectReference,
}

string_enum! {
    /// When it is fetched again.
    pub closed enum ImagePullPolicy {
        IfNotPresent = "IfNotPresent",
        Always = "Always",
    }
}

/// Environment of the extension.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WasmEnv {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host_keys: Vec<String>,
}
