//! How many requests are let through.

use crate::api::rate_limit::RateLimitUnit;
use crate::api::rate_limit::XRateLimitHeadersOption;
use crate::ir::absence::empty_as_none;
use crate::ir::absence::null_as_default;
use crate::ir::string_match::StringMatch;
use serde::Deserialize;
use serde::Serialize;
use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::net::Ipv6Addr;

/// How many requests are let through.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimit {
    /// Counted by a rate limit service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global: Option<GlobalRateLimit>,
    /// Counted by each proxy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<LocalRateLimit>,
}

/// Limits counted by a rate limit service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GlobalRateLimit {
    /// The limits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RateLimitRule>,
}

/// Limits counted by each proxy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LocalRateLimit {
    /// The limit of requests no rule matches.
    #[serde(default)]
    pub default: RateLimitValue,
    /// The limits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RateLimitRule>,
    /// Whether `x-ratelimit-*` headers are sent for the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_x_rate_limit_option: Option<XRateLimitHeadersOption>,
}

/// What requests are counted together, and how many are let through.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitRule {
    /// Requests with these headers.
    #[serde(default, deserialize_with = "null_as_default")]
    pub header_matches: Vec<StringMatch>,
    /// Requests to this path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_match: Option<StringMatch>,
    /// Requests with one of these methods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub method_matches: Vec<StringMatch>,
    /// Requests from these addresses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cidr_match: Option<CidrMatch>,
    /// Requests with these parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub query_param_matches: Vec<QueryParamMatch>,
    /// How many.
    #[serde(default)]
    pub limit: RateLimitValue,
    /// What a request costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_cost: Option<RateLimitCost>,
    /// What a response costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_cost: Option<RateLimitCost>,
    /// Whether all routes of the policy are counted together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<bool>,
    /// Whether it only counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow_mode: Option<bool>,
    /// Whether `x-ratelimit-*` headers are sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_rate_limit_option: Option<XRateLimitHeadersOption>,
    /// `namespace/policy/rule/index`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
}

/// What a request or response costs. One form is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitCost {
    /// This much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// What this format string gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

/// A range of client addresses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CidrMatch {
    /// The range.
    #[serde(default)]
    pub cidr: String,
    /// Its prefix length.
    #[serde(default)]
    pub mask_len: u32,
    /// Whether it is IPv6.
    #[serde(rename = "isIPv6", default)]
    pub is_ipv6: bool,
    /// Whether every address counts on its own.
    #[serde(default)]
    pub distinct: bool,
    /// Whether all others are meant.
    #[serde(default)]
    pub invert: bool,
}

/// How a query parameter is compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueryParamMatch {
    /// The comparison; its name is the parameter's.
    #[serde(flatten)]
    pub string_match: StringMatch,
}

/// How many in which time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitValue {
    /// How many.
    #[serde(default)]
    pub requests: u32,
    /// In which time; none in a default limit that isn't there.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "empty_as_none")]
    pub unit: Option<RateLimitUnit>,
    /// Take it from the request's metadata, if it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_metadata: Option<RateLimitValueMetadata>,
}

/// Where in a request's metadata a limit is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitValueMetadata {
    /// The namespace.
    #[serde(default)]
    pub namespace: String,
    /// The key.
    #[serde(default)]
    pub key: String,
}

impl RateLimitRule {
    /// Whether it is for some requests only.
    #[must_use]
    pub fn has_matches(&self) -> bool {
        !self.header_matches.is_empty()
            || self.path_match.is_some()
            || !self.method_matches.is_empty()
            || self.cidr_match.is_some()
            || !self.query_param_matches.is_empty()
    }
}

impl CidrMatch {
    /// The first address of the range, host bits cleared; none when it is no range.
    #[must_use]
    pub fn network(&self) -> Option<IpAddr> {
        let (address, length) = self.cidr.split_once('/')?;
        let length: u32 = length.parse().ok()?;
        match address.parse().ok()? {
            IpAddr::V4(address) if length <= 32 => {
                let mask = u32::MAX.checked_shl(32 - length).unwrap_or(0);
                Some(IpAddr::V4(Ipv4Addr::from_bits(address.to_bits() & mask)))
            }
            IpAddr::V6(address) if length <= 128 => {
                let mask = u128::MAX.checked_shl(128 - length).unwrap_or(0);
                Some(IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask)))
            }
            IpAddr::V4(_) | IpAddr::V6(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_bits_are_cleared() {
        let network = |cidr: &str| {
            let range = CidrMatch { cidr: cidr.into(), ..CidrMatch::default() };
            range.network().map(|address| address.to_string())
        };
        assert_eq!(network("10.1.2.3/8").as_deref(), Some("10.0.0.0"));
        assert_eq!(network("10.1.2.3/0").as_deref(), Some("0.0.0.0"));
        assert_eq!(network("10.1.2.3/32").as_deref(), Some("10.1.2.3"));
        assert_eq!(network("fd00:1::5/32").as_deref(), Some("fd00:1::"));
        assert_eq!(network("10.1.2.3/33"), None);
        assert_eq!(network("10.1.2.3"), None);
    }
}
