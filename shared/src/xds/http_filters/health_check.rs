//! A path on which the proxy itself answers health checks.

use super::super::encode::pack;
use super::super::hcm::{HcmSource, Sharer};
use super::super::pb::extensions::filters::http::health_check::v3::HealthCheck;
use super::super::pb::hcm::{HttpFilter, http_filter};
use super::super::pb::route::{HeaderMatcher, header_matcher::HeaderMatchSpecifier};
use super::super::problem::Invalid;
use super::super::string_match::exact;
use super::super::values::boolean;

pub(super) fn chain(_: &HcmSource<'_>, sharer: &Sharer<'_>) -> Result<Vec<HttpFilter>, Invalid> {
    Ok(sharer.listener.health_check.iter().map(|check| filter(&check.path)).collect())
}

/// The filter that answers on `path`.
pub(in crate::xds) fn filter(path: &str) -> HttpFilter {
    let config = HealthCheck {
        pass_through_mode: Some(boolean(false)),
        headers: vec![HeaderMatcher {
            name: ":path".to_owned(),
            header_match_specifier: Some(HeaderMatchSpecifier::StringMatch(exact(path))),
            ..HeaderMatcher::default()
        }],
        ..HealthCheck::default()
    };
    HttpFilter {
        name: "envoy.filters.http.health_check".to_owned(),
        config_type: Some(http_filter::ConfigType::TypedConfig(pack(&config))),
        ..HttpFilter::default()
    }
}
