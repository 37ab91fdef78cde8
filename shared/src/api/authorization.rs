//! Who may do what: the pieces of authorization rules that the IR carries on.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::constraints::Cidr;
use crate::api::constraints::ObjectName;
use crate::api::http_route::HttpMethod;
use crate::api::http_route::PathMatchType;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

string_enum! {
    /// What a rule does.
    pub closed enum AuthorizationAction {
        Allow = "Allow",
        Deny = "Deny",
    }
}

string_enum! {
    /// What a claim's value is.
    pub closed enum JwtClaimValueType {
        String = "String",
        StringArray = "StringArray",
    }
}

/// What a request does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("has(self.methods) || has(self.path)", "set methods, path or both"),
]))]
pub struct Operation {
    /// One of these methods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 16))]
    pub methods: Vec<HttpMethod>,
    /// To this path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathMatch>,
}

/// A path and how it is compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PathMatch {
    /// How; by prefix when not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "PathPrefix"))]
    pub r#type: Option<PathMatchType>,
    /// The path.
    #[serde(default)]
    #[schemars(length(max = 1024), extend("default" = "/"))]
    pub value: String,
    /// Whether a match counts as none and the other way round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub invert: Option<bool>,
}

/// A token and what it must hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("(has(self.claims) || has(self.scopes))", "set claims, scopes or both"),
]))]
pub struct JwtPrincipal {
    /// The provider that checked it.
    #[schemars(length(min = 1, max = 253))]
    pub provider: String,
    /// Claims; all must be there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 16))]
    pub claims: Vec<JwtClaim>,
    /// Scopes; all must be there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 16), inner(length(min = 1, max = 253)))]
    pub scopes: Vec<String>,
}

/// A claim and what it may be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JwtClaim {
    /// Its name; dots lead into nested ones.
    #[schemars(with = "ObjectName")]
    pub name: String,
    /// What its value is; a string when not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "String"))]
    pub value_type: Option<JwtClaimValueType>,
    /// Any of these.
    #[serde(default)]
    #[schemars(length(min = 1, max = 128), !default)]
    pub values: Vec<String>,
}

/// A header and what it may be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthorizationHeaderMatch {
    /// Its name.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// Any of these.
    #[serde(default)]
    #[schemars(length(min = 1, max = 256), !default)]
    pub values: Vec<String>,
}

/// A place; all that is set must fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "has(self.country) || has(self.region) || has(self.city) || has(self.asn) || has(self.isp) || \
         has(self.anonymous)",
        "set at least one of country, region, city, asn, isp and anonymous",
    ),
]))]
pub struct ClientIpGeoLocation {
    /// Country, by its ISO code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 2, max = 2), regex(pattern = "^[A-Za-z]{2}$"))]
    pub country: Option<String>,
    /// Region, by its ISO code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 16), regex(pattern = "^[A-Za-z0-9-]+$"))]
    pub region: Option<String>,
    /// City.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 128))]
    pub city: Option<String>,
    /// Autonomous system number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub asn: Option<u32>,
    /// Internet provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub isp: Option<String>,
    /// Ways to hide where one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anonymous: Option<GeoIpAnonymousMatch>,
}

/// Ways to hide where one is; all that is set must fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "has(self.isAnonymous) || has(self.isVPN) || has(self.isHosting) || has(self.isTor) || has(self.isProxy)",
        "set at least one of isAnonymous, isVPN, isHosting, isTor and isProxy",
    ),
]))]
pub struct GeoIpAnonymousMatch {
    /// Any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_anonymous: Option<bool>,
    /// A VPN.
    #[serde(rename = "isVPN", default, skip_serializing_if = "Option::is_none")]
    pub is_vpn: Option<bool>,
    /// A hosting provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_hosting: Option<bool>,
    /// A Tor exit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_tor: Option<bool>,
    /// A public proxy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_proxy: Option<bool>,
}

/// Who may do what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Authorization {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<AuthorizationRule>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_action: Option<AuthorizationAction>,
}

/// A rule; the first that fits counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("has(self.principal) || has(self.cel)", "set principal, cel or both"),
]))]
pub struct AuthorizationRule {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ObjectName")]
    pub name: Option<String>,
    pub action: AuthorizationAction,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<Operation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Principal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 4096))]
    pub cel: Option<String>,
}

/// Who; all that is set must fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "(has(self.clientCIDRs) || has(self.jwt) || has(self.headers) || has(self.clientIPGeoLocations))",
        "set at least one of clientCIDRs, jwt, headers and clientIPGeoLocations",
    ),
]))]
pub struct Principal {
    #[serde(rename = "clientCIDRs", default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Cidr>", length(min = 1))]
    pub client_cid_rs: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwt: Option<JwtPrincipal>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 256))]
    pub headers: Vec<AuthorizationHeaderMatch>,
    #[serde(rename = "clientIPGeoLocations", default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1))]
    pub client_ip_geo_locations: Vec<ClientIpGeoLocation>,
}
