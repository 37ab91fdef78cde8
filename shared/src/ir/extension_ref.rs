//! Objects of kinds only an extension server knows.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

/// An object passed to an extension server as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnstructuredRef {
    /// The object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<Value>,
}
