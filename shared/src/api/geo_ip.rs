//! Where locations of addresses are looked up.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// The location lookup of a fleet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyProxyGeoIp {
    pub provider: GeoIpProvider,
}

/// What looks locations up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule("self.type == 'MaxMind' ? has(self.maxMind) : true", "type MaxMind needs maxMind"),
]))]
pub struct GeoIpProvider {
    pub r#type: GeoIpProviderType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_mind: Option<GeoIpMaxMind>,
}

string_enum! {
    /// Kind of lookup.
    pub closed enum GeoIpProviderType {
        MaxMind = "MaxMind",
    }
}

/// MaxMind databases.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "has(self.cityDbSource) || has(self.countryDbSource) || has(self.asnDbSource) || has(self.ispDbSource) || \
         has(self.anonymousIpDbSource)",
        "set at least one database",
    ),
]))]
pub struct GeoIpMaxMind {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub city_db_source: Option<GeoIpdbSource>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country_db_source: Option<GeoIpdbSource>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asn_db_source: Option<GeoIpdbSource>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isp_db_source: Option<GeoIpdbSource>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anonymous_ip_db_source: Option<GeoIpdbSource>,
}

/// Where a database is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GeoIpdbSource {
    pub local: LocalGeoIpdbSource,
}

/// A database file of the proxy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LocalGeoIpdbSource {
    #[schemars(regex(pattern = r"^.*\.mmdb$"))]
    pub path: String,
}
