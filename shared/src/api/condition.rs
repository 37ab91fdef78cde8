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
    pub r#type: String,
    /// Whether it does.
    pub status: ConditionStatus,
    /// Generation of the object the condition speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// When `status` last changed; the writer of statuses fills it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_transition_time: Option<Timestamp>,
    /// Why, in one CamelCase word.
    pub reason: String,
    /// Why, in words.
    pub message: String,
}
