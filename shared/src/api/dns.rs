//! How names of backends are resolved.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::duration::Duration;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// Resolution of names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Dns {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dns_refresh_rate: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub respect_dns_ttl: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lookup_family: Option<DnsLookupFamily>,
}

string_enum! {
    /// Which IP versions are asked for.
    pub closed enum DnsLookupFamily {
        Ipv4 = "IPv4",
        Ipv6 = "IPv6",
        Ipv4Preferred = "IPv4Preferred",
        Ipv6Preferred = "IPv6Preferred",
        Ipv4AndIpv6 = "IPv4AndIPv6",
    }
}
