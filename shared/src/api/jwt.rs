//! JSON Web Tokens: where they are found and what becomes of their claims.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::cluster_settings::ClusterSettings;
use crate::api::cluster_settings::EnvoyBackendRef;
use crate::api::constraints::ObjectName;
use crate::api::duration::Duration;
use crate::api::references::BackendObjectReference;
use crate::api::references::LocalObjectReference;
use crate::api::rules::INLINE_OR_VALUE_REF;
use crate::api::rules::NO_RETRY_STATUSES;
use crate::api::rules::NO_RETRY_TIMEOUT;
use crate::api::rules::ONLY_BACKEND_REFS;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// A claim copied into a request header.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClaimToHeader {
    /// The header.
    pub header: String,
    /// The claim; dots lead into nested ones.
    pub claim: String,
}

/// Where tokens are looked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JwtExtractor {
    /// In these headers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<JwtHeaderExtractor>,
    /// In these cookies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cookies: Vec<String>,
    /// In these query parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<String>,
}

/// A header that holds a token.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JwtHeaderExtractor {
    /// Its name.
    pub name: String,
    /// What stands before the token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_prefix: Option<String>,
}

/// Clients known by a token.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "!(has(self.optional) && has(self.failOpen))",
        "set failOpen or optional, not both: failOpen accepts a missing token, too",
    ),
]))]
pub struct Jwt {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optional: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_open: Option<bool>,
    #[schemars(length(min = 1, max = 16))]
    pub providers: Vec<JwtProvider>,
}

/// Who issues tokens, and with which keys they are checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "(has(self.recomputeRoute) && self.recomputeRoute) ? size(self.claimToHeaders) > 0 : true",
        "recomputeRoute needs claimToHeaders",
    ),
    rule("has(self.remoteJWKS) || has(self.localJWKS)", "set remoteJWKS or localJWKS"),
    rule("!(has(self.remoteJWKS) && has(self.localJWKS))", "set remoteJWKS or localJWKS, not both"),
]))]
pub struct JwtProvider {
    #[schemars(with = "ObjectName")]
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253))]
    pub issuer: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 8))]
    pub audiences: Vec<String>,
    #[serde(rename = "remoteJWKS", default, skip_serializing_if = "Option::is_none")]
    pub remote_jwks: Option<RemoteJwks>,
    #[serde(rename = "localJWKS", default, skip_serializing_if = "Option::is_none")]
    pub local_jwks: Option<LocalJwks>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claim_to_headers: Vec<ClaimToHeader>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recompute_route: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extract_from: Option<JwtExtractor>,
}

/// Keys fetched from a URL.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    ONLY_BACKEND_REFS,
    NO_RETRY_TIMEOUT,
    NO_RETRY_STATUSES,
]))]
pub struct RemoteJwks {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_ref: Option<BackendObjectReference>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub backend_refs: Vec<EnvoyBackendRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_settings: Option<ClusterSettings>,
    #[schemars(length(min = 1, max = 253))]
    pub uri: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "300s"))]
    pub cache_duration: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_refetch_duration: Option<Duration>,
}

/// Keys given here or in a ConfigMap.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [INLINE_OR_VALUE_REF]))]
pub struct LocalJwks {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!default, !skip_serializing_if, extend("default" = "Inline"))]
    pub r#type: Option<LocalJwksType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inline: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_ref: Option<LocalObjectReference>,
}

string_enum! {
    /// Whether keys are given here or in a ConfigMap.
    pub closed enum LocalJwksType {
        Inline = "Inline",
        ValueRef = "ValueRef",
    }
}
