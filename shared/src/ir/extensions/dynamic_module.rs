//! Dynamic modules.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

/// A shared library loaded into the proxy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DynamicModule {
    /// Unique name; the filter goes by it.
    #[serde(default)]
    pub name: String,
    /// Its path inside the proxy.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Where it is fetched from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<RemoteDynamicModuleSource>,
    /// The filter inside it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub filter_name: String,
    /// The filter's configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Value>,
    /// Whether it stays loaded.
    #[serde(default)]
    pub do_not_close: bool,
    /// Whether its symbols are visible to others.
    #[serde(default)]
    pub load_globally: bool,
    /// Whether it answers itself.
    #[serde(default)]
    pub terminal_filter: bool,
}

/// A module the proxy fetches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteDynamicModuleSource {
    /// From here.
    #[serde(default)]
    pub url: String,
    /// With this hash.
    #[serde(default)]
    pub sha256: String,
}
