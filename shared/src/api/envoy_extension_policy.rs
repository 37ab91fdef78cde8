//! The EnvoyExtensionPolicy kind: code of others in the path of requests.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::dynamic_module::DynamicModule;
use crate::api::ext_proc::ExtProc;
use crate::api::kubernetes_infra::MergeType;
use crate::api::metadata::ObjectMeta;
use crate::api::metadata::object;
use crate::api::policy_status::PolicyStatus;
use crate::api::policy_target::LocalPolicyTargetReferenceWithSectionName;
use crate::api::policy_target::TargetSelector;
use crate::api::references::LocalObjectReference;
use crate::api::rules::INLINE_OR_VALUE_REF;
use crate::api::rules::MERGED_NOT_REPLACED;
use crate::api::rules::rule;
use crate::api::rules::target_rules;
use crate::api::string_enum::string_enum;
use crate::api::wasm::Wasm;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

/// Code of others in the path of requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyExtensionPolicy {
    #[serde(default)]
    #[schemars(!default)]
    pub metadata: ObjectMeta,
    pub spec: EnvoyExtensionPolicySpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<PolicyStatus>,
}

/// What the policy is attached to and what it runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = target_rules(
    &["Gateway", "ListenerSet", "HTTPRoute", "GRPCRoute", "UDPRoute", "TCPRoute", "TLSRoute"],
    &["HTTPRoute", "GRPCRoute", "UDPRoute", "TCPRoute", "TLSRoute"],
    &[],
)))]
pub struct EnvoyExtensionPolicySpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_ref: Option<LocalPolicyTargetReferenceWithSectionName>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target_refs: Vec<LocalPolicyTargetReferenceWithSectionName>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target_selectors: Vec<TargetSelector>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("x-kubernetes-validations" = [MERGED_NOT_REPLACED]))]
    pub merge_type: Option<MergeType>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub wasm: Vec<Wasm>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub ext_proc: Vec<ExtProc>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub lua: Vec<Lua>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub dynamic_module: Vec<DynamicModule>,
}

/// A Lua script.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [INLINE_OR_VALUE_REF]))]
pub struct Lua {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!default, !skip_serializing_if, extend("default" = "Inline"))]
    pub r#type: Option<LuaValueType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inline: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-validations" = [
        rule(
            "self.kind == 'ConfigMap' && (self.group == 'v1' || self.group == '')",
            "only a ConfigMap of the core group can be referred to",
        ),
    ]))]
    pub value_ref: Option<LocalObjectReference>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter_context: Option<Value>,
}

string_enum! {
    /// Whether it is given here or in a ConfigMap.
    pub closed enum LuaValueType {
        Inline = "Inline",
        ValueRef = "ValueRef",
    }
}

object!(
    EnvoyExtensionPolicy,
    "gateway.envoyproxy.io",
    "v1alpha1",
    "EnvoyExtensionPolicy",
    "envoyextensionpolicies",
    true
);
