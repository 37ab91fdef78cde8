//! Who may do what.

use crate::api::authorization::AuthorizationAction;
use crate::api::authorization::AuthorizationHeaderMatch;
use crate::api::authorization::ClientIpGeoLocation;
use crate::api::authorization::JwtPrincipal;
use crate::api::authorization::Operation;
use crate::ir::traffic::rate_limit::CidrMatch;
use serde::Deserialize;
use serde::Serialize;

/// Rules about who may do what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Authorization {
    /// The rules; the first that matches wins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<AuthorizationRule>,
    /// What happens when none does.
    pub default_action: AuthorizationAction,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuthorizationRule {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Whether it allows or denies.
    pub action: AuthorizationAction,
    /// What is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<Operation>,
    /// Who does it.
    #[serde(default)]
    pub principal: Principal,
    /// A CEL expression that must hold too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cel: Option<String>,
}

/// Who does something; all that is set must hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Principal {
    /// From one of these addresses.
    #[serde(rename = "clientCIDRs", default, skip_serializing_if = "Vec::is_empty")]
    pub client_cidrs: Vec<CidrMatch>,
    /// With a token like this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwt: Option<JwtPrincipal>,
    /// With these headers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<AuthorizationHeaderMatch>,
    /// From one of these places.
    #[serde(rename = "clientIPGeoLocations", default, skip_serializing_if = "Vec::is_empty")]
    pub client_ip_geo_locations: Vec<ClientIpGeoLocation>,
}

/// Which properties of a place rules ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GeoIpRequirements {
    /// Some rule asks for the country.
    pub country: bool,
    /// Some rule asks for the region.
    pub region: bool,
    /// Some rule asks for the city.
    pub city: bool,
    /// Some rule asks for the autonomous system.
    pub asn: bool,
    /// Some rule asks for the provider.
    pub isp: bool,
    /// Some rule asks for ways to hide.
    pub anonymous: bool,
}

impl Authorization {
    /// Whether any rule asks where clients are.
    #[must_use]
    pub fn uses_client_ip_geo_locations(&self) -> bool {
        self.rules.iter().any(|rule| !rule.principal.client_ip_geo_locations.is_empty())
    }

    /// Which properties of a place the rules ask for.
    #[must_use]
    pub fn geo_ip_requirements(&self) -> GeoIpRequirements {
        let mut needs = GeoIpRequirements::default();
        for place in self.rules.iter().flat_map(|rule| &rule.principal.client_ip_geo_locations) {
            needs.country |= place.country.is_some();
            needs.region |= place.region.is_some();
            needs.city |= place.city.is_some();
            needs.asn |= place.asn.is_some();
            needs.isp |= place.isp.is_some();
            needs.anonymous |= place.anonymous.is_some();
        }
        needs
    }
}
