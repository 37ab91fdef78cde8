//! The core filters an HTTPRoute rule or backend reference can carry.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::constraints::HeaderName;
use crate::api::fraction::Fraction;
use crate::api::references::BackendObjectReference;
use crate::api::references::LocalObjectReference;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// A step requests or responses pass. Each filter sets one of many members, so they are kept apart from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpRouteRuleFilter {
    pub r#type: HttpRouteFilterType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_header_modifier: Option<Box<HttpHeaderFilter>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_header_modifier: Option<Box<HttpHeaderFilter>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_mirror: Option<Box<HttpRequestMirrorFilter>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_redirect: Option<Box<HttpRequestRedirectFilter>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url_rewrite: Option<Box<HttpUrlRewriteFilter>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cors: Option<Box<HttpCorsFilter>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_auth: Option<Box<HttpExternalAuthFilter>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension_ref: Option<Box<LocalObjectReference>>,
}

string_enum! {
    /// Which filter this is; unknown ones make the rule invalid, not the object unreadable.
    pub open enum HttpRouteFilterType {
        RequestHeaderModifier = "RequestHeaderModifier",
        ResponseHeaderModifier = "ResponseHeaderModifier",
        RequestRedirect = "RequestRedirect",
        UrlRewrite = "URLRewrite",
        RequestMirror = "RequestMirror",
        Cors = "CORS",
        ExternalAuth = "ExternalAuth",
        ExtensionRef = "ExtensionRef",
    }
}

/// Changes to headers: set, then add, then remove.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("!has(self.remove) || size(self.remove) == 0", "headers can't be removed here: use set or add"),
]))]
pub struct HttpHeaderFilter {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16), extend("x-kubernetes-list-map-keys" = ["name"], "x-kubernetes-list-type" = "map"))]
    pub set: Vec<HttpHeader>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16), extend("x-kubernetes-list-map-keys" = ["name"], "x-kubernetes-list-type" = "map"))]
    pub add: Vec<HttpHeader>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16), extend("x-kubernetes-list-type" = "set"))]
    pub remove: Vec<String>,
}

/// A header and its value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HttpHeader {
    #[schemars(with = "HeaderName")]
    pub name: String,
    #[schemars(length(min = 1, max = 4096))]
    pub value: String,
}

/// Sends a copy of some requests elsewhere and ignores the answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpRequestMirrorFilter {
    pub backend_ref: BackendObjectReference,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fraction: Option<Fraction>,
}

/// Answers with a redirect.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpRequestRedirectFilter {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<HttpPathModifier>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_code: Option<i64>,
}

/// Rewrites host and path on the way to the backend.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpUrlRewriteFilter {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<HttpPathModifier>,
}

/// Answers cross-origin questions of browsers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpCorsFilter {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_origins: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_credentials: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_methods: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_headers: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expose_headers: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age: Option<i32>,
}

/// Asks another service whether a request may pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpExternalAuthFilter {
    pub protocol: HttpRouteExternalAuthProtocol,
    pub backend_ref: BackendObjectReference,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grpc: Option<GrpcAuthConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpAuthConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forward_body: Option<ForwardBodyConfig>,
}

string_enum! {
    /// How the authorization service is spoken to.
    pub closed enum HttpRouteExternalAuthProtocol {
        Grpc = "GRPC",
        Http = "HTTP",
    }
}

/// How a path is replaced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("self.type == 'ReplaceFullPath'", "a redirect can only replace the whole path: use ReplaceFullPath"),
    rule(
        "self.type == 'ReplaceFullPath' ? has(self.replaceFullPath) : true",
        "type ReplaceFullPath needs replaceFullPath",
    ),
    rule(
        "has(self.replaceFullPath) ? self.type == 'ReplaceFullPath' : true",
        "replaceFullPath needs type ReplaceFullPath",
    ),
    rule(
        "self.type == 'ReplacePrefixMatch' ? has(self.replacePrefixMatch) : true",
        "type ReplacePrefixMatch needs replacePrefixMatch",
    ),
    rule(
        "has(self.replacePrefixMatch) ? self.type == 'ReplacePrefixMatch' : true",
        "replacePrefixMatch needs type ReplacePrefixMatch",
    ),
]))]
pub struct HttpPathModifier {
    pub r#type: HttpPathModifierType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub replace_full_path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub replace_prefix_match: Option<String>,
}

string_enum! {
    /// Which part of a path is replaced.
    pub open enum HttpPathModifierType {
        ReplaceFullPath = "ReplaceFullPath",
        ReplacePrefixMatch = "ReplacePrefixMatch",
    }
}

/// Authorization by gRPC.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GrpcAuthConfig {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_headers: Vec<String>,
}

/// Authorization by HTTP.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpAuthConfig {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_headers: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_response_headers: Vec<String>,
}

/// How much of the body the authorization service gets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ForwardBodyConfig {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_size: Option<u16>,
}
