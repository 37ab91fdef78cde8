//! Who may do what: the pieces of authorization rules that the IR carries on.

use crate::api::http_route::HttpMethod;
use crate::api::http_route::PathMatchType;
use crate::api::string_enum::string_enum;
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// One of these methods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<HttpMethod>,
    /// To this path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathMatch>,
}

/// A path and how it is compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PathMatch {
    /// How; by prefix when not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<PathMatchType>,
    /// The path.
    #[serde(default)]
    pub value: String,
    /// Whether a match counts as none and the other way round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invert: Option<bool>,
}

/// A token and what it must hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JwtPrincipal {
    /// The provider that checked it.
    pub provider: String,
    /// Claims; all must be there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<JwtClaim>,
    /// Scopes; all must be there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
}

/// A claim and what it may be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JwtClaim {
    /// Its name; dots lead into nested ones.
    pub name: String,
    /// What its value is; a string when not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_type: Option<JwtClaimValueType>,
    /// Any of these.
    #[serde(default)]
    pub values: Vec<String>,
}

/// A header and what it may be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuthorizationHeaderMatch {
    /// Its name.
    pub name: String,
    /// Any of these.
    #[serde(default)]
    pub values: Vec<String>,
}

/// A place; all that is set must fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientIpGeoLocation {
    /// Country, by its ISO code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// Region, by its ISO code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// City.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// Autonomous system number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asn: Option<u32>,
    /// Internet provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isp: Option<String>,
    /// Ways to hide where one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anonymous: Option<GeoIpAnonymousMatch>,
}

/// Ways to hide where one is; all that is set must fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
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
