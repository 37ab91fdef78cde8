//! Limits of bandwidth in BackendTrafficPolicy.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::constraints::Bytes;
use crate::api::quantity::Quantity;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// How much data may pass.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("has(self.request) || has(self.response)", "set request, response or both"),
]))]
pub struct BandwidthLimitSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<BandwidthLimitRequestConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<BandwidthLimitResponseConfig>,
}

/// On the way to the backend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BandwidthLimitRequestConfig {
    pub limit: BandwidthLimitValue,
}

/// On the way back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BandwidthLimitResponseConfig {
    pub limit: BandwidthLimitValue,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_trailers: Option<BandwidthLimitResponseTrailers>,
}

/// Trailers that tell how long data was held.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BandwidthLimitResponseTrailers {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[^\r\n\x00]*$"))]
    pub prefix: Option<String>,
}

/// So much data in a span of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BandwidthLimitValue {
    #[schemars(with = "Bytes")]
    pub value: Quantity,
    pub unit: BandwidthLimitUnit,
}

string_enum! {
    /// A span of time.
    pub closed enum BandwidthLimitUnit {
        Second = "Second",
        Minute = "Minute",
        Hour = "Hour",
    }
}
