//! One condition of a status.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::metadata::Timestamp;
use crate::api::string_enum::string_enum;

string_enum! {
    /// Whether a condition holds.
    pub closed enum ConditionStatus {
        True = "True",
        False = "False",
        Unknown = "Unknown",
    }
}

/// Something that does or does not hold for an object, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// What may hold, such as `Accepted`.
    #[schemars(length(max = 316))]
    #[schemars(regex(
        pattern = r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
    ))]
    pub r#type: String,
    /// Whether it does.
    pub status: ConditionStatus,
    /// Generation of the object the condition speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
    /// When `status` last changed; the writer of statuses fills it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!default, !skip_serializing_if)]
    pub last_transition_time: Option<Timestamp>,
    /// Why, in one CamelCase word.
    #[schemars(length(min = 1, max = 1024), regex(pattern = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"))]
    pub reason: String,
    /// Why, in words.
    #[schemars(length(max = 32768))]
    pub message: String,
}
