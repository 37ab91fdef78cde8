//! The Namespace kind of the core group: its labels decide who may attach.

use k8s_openapi::api::core::v1::{NamespaceSpec, NamespaceStatus};
use serde::{Deserialize, Serialize};

use crate::api::metadata::{ObjectMeta, object};

/// A namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Namespace {
    /// Metadata with the labels.
    #[serde(default)]
    pub metadata: ObjectMeta,
    /// What holds its end up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<NamespaceSpec>,
    /// Whether it is going away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<NamespaceStatus>,
}

object!(Namespace, "", "v1", "Namespace", "namespaces", false);
