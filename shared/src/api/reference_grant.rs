//! The ReferenceGrant kind: who may refer to objects of its namespace.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::metadata::{ObjectMeta, object};
use serde::Deserialize;
use serde::Serialize;

/// Permission for objects of other namespaces to refer to objects here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReferenceGrant {
    #[serde(default)]
    pub metadata: ObjectMeta,
    pub spec: ReferenceGrantSpec,
}

/// Who may refer to what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReferenceGrantSpec {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<ReferenceGrantFrom>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<ReferenceGrantTo>,
}

/// Who may refer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReferenceGrantFrom {
    pub group: String,
    pub kind: String,
    pub namespace: String,
}

/// What may be referred to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReferenceGrantTo {
    pub group: String,
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

object!(ReferenceGrant, "gateway.networking.k8s.io", "v1", "ReferenceGrant", "referencegrants", true);
