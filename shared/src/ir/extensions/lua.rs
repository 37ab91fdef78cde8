//! Lua scripts.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

/// A Lua script.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lua {
    /// Unique name; the filter goes by it.
    #[serde(rename = "Name", default, alias = "name")]
    pub name: String,
    /// The source.
    #[serde(rename = "Code", default, skip_serializing_if = "Option::is_none", alias = "code")]
    pub code: Option<String>,
    /// An object the script can read.
    #[serde(rename = "FilterContext", default, skip_serializing_if = "Option::is_none", alias = "filterContext")]
    pub filter_context: Option<Value>,
}
