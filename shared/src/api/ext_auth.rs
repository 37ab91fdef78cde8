//! Authorization by another service in SecurityPolicy.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::cluster_settings::ClusterSettings;
use crate::api::cluster_settings::EnvoyBackendRef;
use crate::api::constraints::ErrorStatus;
use crate::api::constraints::Group;
use crate::api::constraints::Kind;
use crate::api::constraints::ObjectName;
use crate::api::duration::Duration;
use crate::api::references::BackendObjectReference;
use crate::api::rules::BACKEND_GROUPS;
use crate::api::rules::BACKEND_KINDS;
use crate::api::rules::SOME_BACKEND;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// A service that decides about requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("(has(self.grpc) || has(self.http))", "set grpc or http"),
    rule("(has(self.grpc) && !has(self.http)) || (!has(self.grpc) && has(self.http))", "set grpc or http, not both"),
]))]
pub struct ExtAuth {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grpc: Option<GrpcExtAuthService>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpExtAuthService>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers_to_ext_auth: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_to_ext_auth: Option<BodyToExtAuth>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub fail_open: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recompute_route: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_route_metadata: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-map-keys" = ["name"], "x-kubernetes-list-type" = "map"))]
    pub context_extensions: Vec<ContextExtension>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ErrorStatus")]
    pub status_on_error: Option<i32>,
}

/// Such a service by gRPC.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    SOME_BACKEND,
    BACKEND_KINDS,
    BACKEND_GROUPS,
]))]
pub struct GrpcExtAuthService {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_ref: Option<BackendObjectReference>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub backend_refs: Vec<EnvoyBackendRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_settings: Option<ClusterSettings>,
}

/// Such a service by HTTP.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    SOME_BACKEND,
    BACKEND_KINDS,
    BACKEND_GROUPS,
    rule("!(has(self.path) && has(self.pathOverride))", "set path or pathOverride, not both"),
]))]
pub struct HttpExtAuthService {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_ref: Option<BackendObjectReference>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub backend_refs: Vec<EnvoyBackendRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_settings: Option<ClusterSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_override: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers_to_backend: Vec<String>,
}

/// How much of the body it gets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BodyToExtAuth {
    #[schemars(range(min = 1))]
    pub max_request_bytes: u32,
}

/// Something it is told with every request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "(self.type == 'Value' && has(self.value) && !has(self.valueRef)) || (self.type == 'ValueRef' && \
         !has(self.value) && has(self.valueRef))",
        "set value with type Value, or valueRef with type ValueRef, and not the other one",
    ),
]))]
pub struct ContextExtension {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!default, !skip_serializing_if, extend("default" = "Value"))]
    pub r#type: Option<ContextExtensionValueType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_ref: Option<LocalObjectKeyReference>,
}

string_enum! {
    /// Whether that is given here or in an object.
    pub closed enum ContextExtensionValueType {
        Value = "Value",
        ValueRef = "ValueRef",
    }
}

/// A key of an object in the same namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "self.kind in ['ConfigMap', 'Secret'] && self.group in ['', 'v1']",
        "only a ConfigMap or Secret of the core group can be referred to",
    ),
]))]
pub struct LocalObjectKeyReference {
    #[schemars(with = "Group")]
    pub group: String,
    #[schemars(with = "Kind")]
    pub kind: String,
    #[schemars(with = "ObjectName")]
    pub name: String,
    pub key: String,
}
