//! The SecurityPolicy kind: who may send requests.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::authorization::Authorization;
use crate::api::constraints::Origin;
use crate::api::duration::Duration;
use crate::api::ext_auth::ExtAuth;
use crate::api::fraction::Fraction;
use crate::api::jwt::Jwt;
use crate::api::kubernetes_infra::MergeType;
use crate::api::metadata::ObjectMeta;
use crate::api::metadata::object;
use crate::api::oidc::Oidc;
use crate::api::policy_status::PolicyStatus;
use crate::api::policy_target::LocalPolicyTargetReferenceWithSectionName;
use crate::api::policy_target::TargetSelector;
use crate::api::references::SecretObjectReference;
use crate::api::rules::MERGED_NOT_REPLACED;
use crate::api::rules::rule;
use crate::api::rules::target_rules;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// Who may send requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecurityPolicy {
    #[serde(default)]
    #[schemars(!default)]
    pub metadata: ObjectMeta,
    pub spec: SecurityPolicySpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<PolicyStatus>,
}

/// What the policy is attached to and what it asks for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = target_rules(
    &["Gateway", "ListenerSet", "HTTPRoute", "GRPCRoute", "TCPRoute"],
    &["HTTPRoute", "GRPCRoute", "TCPRoute"],
    &[
        rule(
            "(has(self.authorization) && has(self.authorization.rules) && self.authorization.rules.exists(r, \
             has(r.principal) ? has(r.principal.jwt) : false)) ? has(self.jwt) : true",
            "a rule that asks for a token needs jwt",
        ),
    ],
)))]
pub struct SecurityPolicySpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_ref: Option<LocalPolicyTargetReferenceWithSectionName>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target_refs: Vec<LocalPolicyTargetReferenceWithSectionName>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target_selectors: Vec<TargetSelector>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("x-kubernetes-validations" = [MERGED_NOT_REPLACED]))]
    pub merge_type: Option<MergeType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_auth: Option<ApiKeyAuth>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cors: Option<Cors>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub csrf: Option<Csrf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basic_auth: Option<BasicAuth>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwt: Option<Jwt>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc: Option<Oidc>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ext_auth: Option<ExtAuth>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization: Option<Authorization>,
}

/// Clients known by a key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiKeyAuth {
    pub credential_refs: Vec<SecretObjectReference>,
    #[schemars(length(min = 1))]
    pub extract_from: Vec<ExtractFrom>,
    #[serde(rename = "forwardClientIDHeader", default, skip_serializing_if = "Option::is_none")]
    pub forward_client_id_header: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sanitize: Option<bool>,
}

/// Where the key is looked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "(has(self.headers) ? 1 : 0) + (has(self.params) ? 1 : 0) + (has(self.cookies) ? 1 : 0) == 1",
        "set exactly one of headers, params and cookies",
    ),
]))]
pub struct ExtractFrom {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1), inner(length(min = 1)))]
    pub headers: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1), inner(length(min = 1)))]
    pub params: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1), inner(length(min = 1)))]
    pub cookies: Vec<String>,
}

/// Clients known by name and password.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BasicAuth {
    pub users: SecretObjectReference,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forward_username_header: Option<String>,
}

/// Answers to cross-origin questions of browsers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cors {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Origin>")]
    pub allow_origins: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_methods: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_headers: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expose_headers: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_credentials: Option<bool>,
}

/// Refusal of requests another site made a browser send.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Csrf {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow_fraction: Option<Fraction>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Origin>", length(max = 16))]
    pub additional_origins: Vec<String>,
}

object!(SecurityPolicy, "gateway.envoyproxy.io", "v1alpha1", "SecurityPolicy", "securitypolicies", true);
