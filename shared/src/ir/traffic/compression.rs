//! How responses are compressed.

use crate::api::compression::CompressorType;
use crate::ir::absence::is_default;
use serde::Deserialize;
use serde::Serialize;

/// One way to compress responses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Compression {
    /// The algorithm.
    pub r#type: CompressorType,
    /// Whether it wins among those a client likes equally.
    #[serde(default, skip_serializing_if = "is_default")]
    pub choose_first: bool,
    /// The smallest response worth it, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_content_length: Option<u32>,
}
