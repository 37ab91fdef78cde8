//! Compression of responses.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::constraints::Bytes;
use crate::api::quantity::Quantity;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// A compressor and when it is used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Compression {
    pub r#type: CompressorType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brotli: Option<BrotliCompressor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gzip: Option<GzipCompressor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zstd: Option<ZstdCompressor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Bytes")]
    pub min_content_length: Option<Quantity>,
}

string_enum! {
    /// The algorithm.
    pub closed enum CompressorType {
        Gzip = "Gzip",
        Brotli = "Brotli",
        Zstd = "Zstd",
    }
}

/// Brotli; it has no settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrotliCompressor {}

/// Gzip; it has no settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GzipCompressor {}

/// Zstandard; it has no settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ZstdCompressor {}
