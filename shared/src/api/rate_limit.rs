//! Rate limits.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::authorization::PathMatch;
use crate::api::http_route::HttpMethod;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

string_enum! {
    /// The time a limit counts in.
    pub open enum RateLimitUnit {
        Second = "Second",
        Minute = "Minute",
        Hour = "Hour",
        Day = "Day",
        Week = "Week",
        Month = "Month",
        Year = "Year",
    }
}

string_enum! {
    /// Whether `x-ratelimit-*` headers are sent.
    pub closed enum XRateLimitHeadersOption {
        Off = "Off",
        DraftVersion03 = "DraftVersion03",
    }
}

/// How many requests may pass.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<RateLimitType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global: Option<GlobalRateLimit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<LocalRateLimit>,
}

string_enum! {
    /// Whether proxies count together or each for itself.
    pub closed enum RateLimitType {
        Global = "Global",
        Local = "Local",
    }
}

/// Limits counted by the rate limit service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GlobalRateLimit {
    #[schemars(length(max = 256))]
    pub rules: Vec<RateLimitRule>,
}

/// Limits counted by each proxy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LocalRateLimit {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16), extend("x-kubernetes-validations" = [
        rule(
            "self.all(r, !has(r.cost) || !has(r.cost.response))",
            "local limits can't count the cost of answers: remove cost.response",
        ),
        rule(
            "self.all(r, !has(r.limit.fromMetadata))",
            "local limits can't be read from metadata: remove limit.fromMetadata",
        ),
    ]))]
    pub rules: Vec<RateLimitRule>,
}

/// A limit and the requests it counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitRule {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 8))]
    pub client_selectors: Vec<RateLimitSelectCondition>,
    pub limit: RateLimitValue,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<RateLimitCost>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow_mode: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_rate_limit_headers: Option<XRateLimitHeadersOption>,
}

/// Requests that are counted; all that is set must fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "has(self.headers) || has(self.methods) || has(self.path) || has(self.sourceCIDR) || has(self.queryParams)",
        "set at least one of headers, methods, path, sourceCIDR and queryParams",
    ),
]))]
pub struct RateLimitSelectCondition {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 128))]
    pub headers: Vec<RateLimitHeaderMatch>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<RateLimitMethodMatch>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathMatch>,
    #[serde(rename = "sourceCIDR", default, skip_serializing_if = "Option::is_none")]
    pub source_cidr: Option<RateLimitSourceMatch>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub query_params: Vec<RateLimitQueryParamMatch>,
}

/// A header of counted requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitHeaderMatch {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Exact"))]
    pub r#type: Option<RateLimitHeaderMatchType>,
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub invert: Option<bool>,
}

/// A method of counted requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitMethodMatch {
    pub value: HttpMethod,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub invert: Option<bool>,
}

/// Where counted requests come from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitSourceMatch {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Exact"))]
    pub r#type: Option<RateLimitSourceMatchType>,
    #[schemars(length(min = 1, max = 256))]
    pub value: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub invert: Option<bool>,
}

/// A query parameter of counted requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitQueryParamMatch {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Exact"))]
    pub r#type: Option<RateLimitQueryParamMatchType>,
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub invert: Option<bool>,
}

string_enum! {
    /// How that header is compared; by `Distinct` each value has its own count.
    pub closed enum RateLimitHeaderMatchType {
        Exact = "Exact",
        RegularExpression = "RegularExpression",
        Distinct = "Distinct",
    }
}

string_enum! {
    /// How that parameter is compared; by `Distinct` each value has its own count.
    pub closed enum RateLimitQueryParamMatchType {
        Exact = "Exact",
        RegularExpression = "RegularExpression",
        Distinct = "Distinct",
    }
}

string_enum! {
    /// How addresses are counted: together, or by `Distinct` each for itself.
    pub closed enum RateLimitSourceMatchType {
        Exact = "Exact",
        Distinct = "Distinct",
    }
}

/// So many requests in a span of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitValue {
    #[schemars(range(max = u32::MAX), extend("format" = "int64"))]
    pub requests: u32,
    pub unit: RateLimitUnit,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_metadata: Option<RateLimitValueMetadata>,
}

/// Where dynamic metadata holds the number of requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitValueMetadata {
    #[schemars(length(min = 1))]
    pub namespace: String,
    #[schemars(length(min = 1))]
    pub key: String,
}

/// What a request costs, on its way in and when it is answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitCost {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RateLimitCostSpecifier>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<RateLimitCostSpecifier>,
}

/// A cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("!(has(self.number) && has(self.metadata))", "set number or metadata, not both"),
]))]
pub struct RateLimitCostSpecifier {
    pub from: RateLimitCostFrom,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = null))]
    pub number: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<RateLimitCostMetadata>,
}

string_enum! {
    /// Where the cost comes from.
    pub closed enum RateLimitCostFrom {
        Number = "Number",
        Metadata = "Metadata",
    }
}

/// Where dynamic metadata holds the cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitCostMetadata {
    pub namespace: String,
    pub key: String,
}
