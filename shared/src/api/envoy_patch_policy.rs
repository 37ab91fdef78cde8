//! The EnvoyPatchPolicy kind: changes to the finished configuration of Envoy.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::json_patch::JsonPatchOperation;
use crate::api::metadata::ObjectMeta;
use crate::api::metadata::object;
use crate::api::policy_status::PolicyStatus;
use crate::api::policy_target::LocalPolicyTargetReference;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// Changes to the finished configuration of Envoy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyPatchPolicy {
    #[serde(default)]
    #[schemars(!default)]
    pub metadata: ObjectMeta,
    pub spec: EnvoyPatchPolicySpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<PolicyStatus>,
}

/// What is changed, and in whose configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyPatchPolicySpec {
    pub r#type: EnvoyPatchType,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub json_patches: Vec<EnvoyJsonPatchConfig>,
    pub target_ref: LocalPolicyTargetReference,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
}

string_enum! {
    /// How changes are written.
    pub closed enum EnvoyPatchType {
        JsonPatch = "JSONPatch",
    }
}

/// One change to one resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyJsonPatchConfig {
    pub r#type: EnvoyResourceType,
    pub name: String,
    pub operation: JsonPatchOperation,
}

string_enum! {
    /// Type of the resource.
    pub closed enum EnvoyResourceType {
        Listener = "type.googleapis.com/envoy.config.listener.v3.Listener",
        RouteConfiguration = "type.googleapis.com/envoy.config.route.v3.RouteConfiguration",
        Cluster = "type.googleapis.com/envoy.config.cluster.v3.Cluster",
        ClusterLoadAssignment = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
        Secret = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret",
    }
}

object!(EnvoyPatchPolicy, "gateway.envoyproxy.io", "v1alpha1", "EnvoyPatchPolicy", "envoypatchpolicies", true);
