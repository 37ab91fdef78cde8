//! The status policies carry: one entry an ancestor.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::condition::Condition;
use crate::api::references::ParentReference;
use serde::Deserialize;
use serde::Serialize;

/// What controllers say about a policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyStatus {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ancestors: Vec<PolicyAncestorStatus>,
}

/// What one controller says about a policy at one ancestor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyAncestorStatus {
    pub ancestor_ref: ParentReference,
    #[serde(default)]
    pub controller_name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}
