//! Bodies of responses the proxy makes itself.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::constraints::DnsName;
use crate::api::constraints::HeaderName;
use crate::api::http_route_rule_filter::HttpHeaderFilter;
use crate::api::http_route_rule_filter::HttpPathModifier;
use crate::api::references::LocalObjectReference;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use crate::api::string_match::StringMatch;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// A body given here or in a ConfigMap.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("(!has(self.type) || self.type == 'Inline')? has(self.inline) : true", "type Inline needs inline"),
    rule("(has(self.type) && self.type == 'ValueRef')? has(self.valueRef) : true", "type ValueRef needs valueRef"),
    rule("has(self.valueRef) ? self.valueRef.kind == 'ConfigMap' : true", "valueRef must refer to a ConfigMap"),
]))]
pub struct CustomResponseBody {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!default, !skip_serializing_if, extend("default" = "Inline"))]
    pub r#type: Option<ResponseValueType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inline: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_ref: Option<LocalObjectReference>,
}

string_enum! {
    /// Where the body is.
    pub closed enum ResponseValueType {
        Inline = "Inline",
        ValueRef = "ValueRef",
    }
}

string_enum! {
    /// Whose responses an override replaces.
    pub closed enum ResponseOverrideSource {
        All = "All",
        Local = "Local",
        Backend = "Backend",
    }
}

/// Another answer in place of the one that came.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "(has(self.response) && !has(self.redirect)) || (!has(self.response) && has(self.redirect))",
        "set response or redirect, not both",
    ),
]))]
pub struct ResponseOverride {
    pub r#match: CustomResponseMatch,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<CustomResponse>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect: Option<CustomRedirect>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ResponseOverrideSource>,
}

/// Answers that are replaced.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("has(self.statusCodes) || has(self.responseHeaders)", "set statusCodes, responseHeaders or both"),
]))]
pub struct CustomResponseMatch {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 50))]
    pub status_codes: Vec<StatusCodeMatch>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 16))]
    pub response_headers: Vec<ResponseOverrideHeaderMatch>,
}

/// A status or a range of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("(!has(self.type) || self.type == 'Value')? has(self.value) : true", "type Value needs value"),
    rule("(has(self.type) && self.type == 'Range')? has(self.range) : true", "type Range needs range"),
]))]
pub struct StatusCodeMatch {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!default, !skip_serializing_if, extend("default" = "Value"))]
    pub r#type: Option<StatusCodeValueType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = null))]
    pub value: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<StatusCodeRange>,
}

string_enum! {
    /// Whether one status or a range of them is meant.
    pub closed enum StatusCodeValueType {
        Value = "Value",
        Range = "Range",
    }
}

/// Statuses from one to another, both included.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [rule("self.end > self.start", "end must be above start")]))]
pub struct StatusCodeRange {
    #[schemars(extend("format" = null))]
    pub start: i64,
    #[schemars(extend("format" = null))]
    pub end: i64,
}

/// A header of answers that are replaced.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResponseOverrideHeaderMatch {
    #[schemars(with = "HeaderName")]
    pub name: String,
    pub value: StringMatch,
}

/// The other answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomResponse {
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

/// A redirect as the other answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomRedirect {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["http", "https"]))]
    pub scheme: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DnsName")]
    pub hostname: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<HttpPathModifier>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = [301, 302], "default" = 302, "format" = null))]
    pub status_code: Option<i64>,
}
