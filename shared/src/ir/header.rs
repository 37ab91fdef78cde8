//! Headers to add.

use crate::ir::absence::null_as_default;
use serde::Deserialize;
use serde::Serialize;

/// A header to add to a request or response.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AddHeader {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Its values.
    #[serde(default, deserialize_with = "null_as_default")]
    pub value: Vec<String>,
    /// Whether they join existing values instead of replacing them.
    #[serde(default)]
    pub append: bool,
    /// Whether the header is left alone when it is there already.
    #[serde(default)]
    pub add_if_absent: bool,
}
