//! JSON patches of finished xDS resources.

use crate::api::policy_status::PolicyStatus;
use crate::diagnostic::Diagnostic;
use crate::ir::absence::is_default;
use crate::ir::validation::fault;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

/// The patches of one policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyPatchPolicy {
    /// Whose patches they are.
    #[serde(flatten)]
    pub status: EnvoyPatchPolicyStatus,
    /// The patches, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub json_patches: Vec<JsonPatchConfig>,
}

/// Whose patches they are, and what came of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyPatchPolicyStatus {
    /// The policy's name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its namespace.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Its generation.
    #[serde(default, skip_serializing_if = "is_default")]
    pub generation: i64,
    /// Its status so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<PolicyStatus>,
}

/// One patch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonPatchConfig {
    /// The type URL of the resource.
    #[serde(default)]
    pub r#type: String,
    /// The resource's name.
    #[serde(default)]
    pub name: String,
    /// The change.
    pub operation: JsonPatchOperation,
}

/// One change of a document, by RFC 6902 with JSON paths added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonPatchOperation {
    /// What is done.
    pub op: JsonPatchOp,
    /// Where, as a JSON pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where, as a JSON path; a pointer is then taken from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json_path: Option<String>,
    /// The source of move and copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The value of add, replace and test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

/// What a JSON patch does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JsonPatchOp {
    /// Put a value where none was, or into a list.
    Add,
    /// Take a value away.
    Remove,
    /// Put a value in place of another.
    Replace,
    /// Copy a value from elsewhere.
    Copy,
    /// Take a value from elsewhere.
    Move,
    /// Require a value.
    Test,
    /// A word that is no operation; kept so that the patch's status can name it.
    #[serde(untagged)]
    Unknown(String),
}

impl From<&str> for JsonPatchOp {
    fn from(word: &str) -> Self {
        match word {
            "add" => Self::Add,
            "remove" => Self::Remove,
            "replace" => Self::Replace,
            "copy" => Self::Copy,
            "move" => Self::Move,
            "test" => Self::Test,
            other => Self::Unknown(other.to_owned()),
        }
    }
}

impl JsonPatchOp {
    /// The word it is written as.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Add => "add",
            Self::Remove => "remove",
            Self::Replace => "replace",
            Self::Copy => "copy",
            Self::Move => "move",
            Self::Test => "test",
            Self::Unknown(word) => word,
        }
    }
}

impl JsonPatchOperation {
    /// Whether no pointer, or the whole document, is meant.
    #[must_use]
    pub fn is_path_empty(&self) -> bool {
        self.path.as_deref().is_none_or(str::is_empty)
    }

    /// Whether no JSON path is given.
    #[must_use]
    pub fn is_json_path_empty(&self) -> bool {
        self.json_path.as_deref().is_none_or(str::is_empty)
    }

    /// The first thing wrong with how the operation is put together, if anything.
    ///
    /// Failing patches are the patch's own fault: this isn't part of [`Xds::validate`](crate::ir::Xds::validate).
    #[must_use]
    pub fn validate(&self) -> Option<Diagnostic> {
        if self.path.is_none() && self.json_path.is_none() {
            return Some(fault("path", "the patch says nowhere to work; set path or jsonPath"));
        }
        let op = self.op.as_str();
        match self.op {
            JsonPatchOp::Add | JsonPatchOp::Replace | JsonPatchOp::Test => {
                if self.value.is_none() {
                    return Some(fault("value", format!("{op} needs a value")));
                }
                self.from.as_ref().map(|_| fault("from", format!("{op} takes no from; remove it")))
            }
            JsonPatchOp::Remove => {
                if self.from.is_some() {
                    return Some(fault("from", "remove takes no from; remove it"));
                }
                self.value.as_ref().map(|_| fault("value", "remove takes no value; remove it"))
            }
            JsonPatchOp::Move | JsonPatchOp::Copy => {
                if self.from.is_none() {
                    return Some(fault("from", format!("{op} needs a from")));
                }
                self.value.as_ref().map(|_| fault("value", format!("{op} takes no value; remove it")))
            }
            JsonPatchOp::Unknown(_) => {
                Some(fault("op", format!("{op:?} is no patch operation; use add, remove, replace, copy, move or test")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(text: &str) -> JsonPatchOperation {
        serde_yaml::from_str(text).unwrap_or_else(|error| unreachable!("{text}: {error}"))
    }

    #[test]
    fn operations_say_what_they_lack() {
        let fault = |text| operation(text).validate().map(|fault| fault.path.to_string());
        assert_eq!(fault("{op: add, path: /a, value: 1}"), None);
        assert_eq!(fault("{op: add, path: /a}").as_deref(), Some("value"));
        assert_eq!(fault("{op: remove}").as_deref(), Some("path"));
        assert_eq!(fault("{op: move, jsonPath: $.a}").as_deref(), Some("from"));
        assert_eq!(fault("{op: merge, path: /a}").as_deref(), Some("op"));
    }
}
