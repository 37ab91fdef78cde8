//! References from one object to another.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::constraints::DnsName;
use crate::api::constraints::Group;
use crate::api::constraints::Kind;
use crate::api::constraints::NamespaceName;
use crate::api::constraints::ObjectName;
use crate::api::rules::SERVICE_NEEDS_PORT;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// The Gateway, ListenerSet or Service something attaches to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ParentReference {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Group", extend("default" = "gateway.networking.k8s.io"))]
    pub group: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Kind", extend("default" = "Gateway"))]
    pub kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NamespaceName")]
    pub namespace: Option<String>,
    #[schemars(with = "ObjectName")]
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DnsName")]
    pub section_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65535))]
    pub port: Option<i32>,
}

/// A Secret, or something that stands in for one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretObjectReference {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Group", extend("default" = ""))]
    pub group: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Kind", extend("default" = "Secret"))]
    pub kind: Option<String>,
    #[schemars(with = "ObjectName")]
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NamespaceName")]
    pub namespace: Option<String>,
}

/// A Service, Backend or other object that takes requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [SERVICE_NEEDS_PORT]))]
pub struct BackendObjectReference {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Group", extend("default" = ""))]
    pub group: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Kind", extend("default" = "Service"))]
    pub kind: Option<String>,
    #[schemars(with = "ObjectName")]
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NamespaceName")]
    pub namespace: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65535))]
    pub port: Option<i32>,
}

/// A backend with its share of the traffic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackendRef {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<i32>,
}

/// An object in the same namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LocalObjectReference {
    #[schemars(with = "Group")]
    pub group: String,
    #[schemars(with = "Kind")]
    pub kind: String,
    #[schemars(with = "ObjectName")]
    pub name: String,
}

/// An object, maybe in another namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectReference {
    pub group: String,
    pub kind: String,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}
