//! JSON Web Tokens: where they are found and what becomes of their claims.

use serde::Deserialize;
use serde::Serialize;

/// A claim copied into a request header.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimToHeader {
    /// The header.
    pub header: String,
    /// The claim; dots lead into nested ones.
    pub claim: String,
}

/// Where tokens are looked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JwtExtractor {
    /// In these headers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<JwtHeaderExtractor>,
    /// In these cookies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cookies: Vec<String>,
    /// In these query parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<String>,
}

/// A header that holds a token.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JwtHeaderExtractor {
    /// Its name.
    pub name: String,
    /// What stands before the token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_prefix: Option<String>,
}
