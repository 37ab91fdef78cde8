//! The HTTPRouteFilter kind: matches, rewrites, direct responses and credentials beyond the core filters.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::http_route_rule_filter::HttpHeaderFilter;
use crate::api::metadata::{ObjectMeta, object};
use crate::api::references::SecretObjectReference;
use crate::api::response_override::CustomResponseBody;
use crate::api::rules::exactly_for;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// A filter an HTTPRoute refers to by extensionRef.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HttpRouteFilterResource {
    #[serde(default)]
    #[schemars(!default)]
    pub metadata: ObjectMeta,
    #[serde(default)]
    #[schemars(!default)]
    pub spec: HttpRouteFilterResourceSpec,
}

/// What the filter does; the parts work together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HttpRouteFilterResourceSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url_rewrite: Option<EnvoyHttpUrlRewriteFilter>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct_response: Option<HttpDirectResponseFilter>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential_injection: Option<HttpCredentialInjectionFilter>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 8))]
    pub matches: Vec<HttpRouteMatchFilter>,
}

/// Conditions a request must meet besides those of the rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("minProperties" = 1))]
pub struct HttpRouteMatchFilter {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 16))]
    pub cookies: Vec<HttpCookieMatch>,
}

/// A condition on a cookie.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HttpCookieMatch {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Exact"))]
    pub r#type: Option<CookieMatchType>,
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    #[schemars(length(min = 1, max = 4096))]
    pub value: String,
}

/// Rewrites of host and path beyond the core filter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyHttpUrlRewriteFilter {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hostname: Option<HttpHostnameModifier>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<EnvoyHttpPathModifier>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub append_x_forwarded_host: Option<bool>,
}

/// A response without any backend.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HttpDirectResponseFilter {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<CustomResponseBody>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = null))]
    pub status_code: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<HttpHeaderFilter>,
}

/// Adds a credential to requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HttpCredentialInjectionFilter {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overwrite: Option<bool>,
    pub credential: InjectedCredential,
}

/// Where the credential comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InjectedCredential {
    pub value_ref: SecretObjectReference,
}

string_enum! {
    /// How a cookie is compared.
    pub closed enum CookieMatchType {
        Exact = "Exact",
        RegularExpression = "RegularExpression",
    }
}

/// How the host is replaced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("!(has(self.header) && self.type != 'Header')", "header needs type Header"),
    rule("!(!has(self.header) && self.type == 'Header')", "type Header needs header"),
    rule("!(has(self.pathRegex) && self.type != 'PathRegex')", "pathRegex needs type PathRegex"),
    rule("!(!has(self.pathRegex) && self.type == 'PathRegex')", "type PathRegex needs pathRegex"),
]))]
pub struct HttpHostnameModifier {
    pub r#type: HttpHostnameModifierType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_regex: Option<HostnamePathRegexRewrite>,
}

string_enum! {
    /// What the host is replaced by.
    pub closed enum HttpHostnameModifierType {
        Header = "Header",
        Backend = "Backend",
        PathRegex = "PathRegex",
    }
}

/// How the path is replaced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [exactly_for("ReplaceRegexMatch", "replaceRegexMatch")]))]
pub struct EnvoyHttpPathModifier {
    pub r#type: EnvoyHttpPathModifierType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replace_regex_match: Option<ReplaceRegexMatch>,
}

string_enum! {
    /// What decides the new path.
    pub closed enum EnvoyHttpPathModifierType {
        ReplaceRegexMatch = "ReplaceRegexMatch",
    }
}

/// The host taken from the path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostnamePathRegexRewrite {
    #[serde(default)]
    #[schemars(length(min = 1), !default)]
    pub pattern: String,
    #[serde(default)]
    #[schemars(length(min = 1), regex(pattern = r"^[^\r\n\x00]*$"), !default)]
    pub substitution: String,
}

/// A regular expression and its replacement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplaceRegexMatch {
    #[serde(default)]
    #[schemars(length(min = 1), !default)]
    pub pattern: String,
    #[serde(default)]
    #[schemars(!default)]
    pub substitution: String,
}

object!(HttpRouteFilterResource, "gateway.envoyproxy.io", "v1alpha1", "HTTPRouteFilter", "httproutefilters", true);
