//! WebAssembly modules.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

/// A WebAssembly module.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Wasm {
    /// Unique name; the filter goes by it.
    #[serde(default)]
    pub name: String,
    /// The root id inside the module.
    #[serde(rename = "rootID", default, skip_serializing_if = "Option::is_none")]
    pub root_id: Option<String>,
    /// The plugin's name.
    #[serde(default)]
    pub wasm_name: String,
    /// Its configuration.
    #[serde(default)]
    pub config: Option<Value>,
    /// Whether requests pass when it fails.
    #[serde(default)]
    pub fail_open: bool,
    /// Where the proxy gets the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_wasm_code: Option<HttpWasmCode>,
    /// Environment variables it may read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host_keys: Vec<String>,
}

/// Code the proxy fetches by HTTP.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpWasmCode {
    /// From here.
    #[serde(rename = "servingURL", default)]
    pub serving_url: String,
    /// With this hash.
    #[serde(default)]
    pub sha256: String,
    /// Where it came from in the first place.
    #[serde(rename = "originalDownloadingURL", default)]
    pub original_downloading_url: String,
}
