//! A fraction of requests.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::rules::PROPER_FRACTION;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// A part of the requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [PROPER_FRACTION]))]
pub struct Fraction {
    #[schemars(range(min = 0))]
    pub numerator: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1), extend("default" = 100))]
    pub denominator: Option<i32>,
}
