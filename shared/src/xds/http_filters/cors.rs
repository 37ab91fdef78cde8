//! Cross-origin rules.

use super::super::encode::pack;
use super::super::hcm::{HcmSource, Sharer};
use super::super::pb::extensions::filters::http::cors::v3::{Cors as Filter, CorsPolicy};
use super::super::pb::hcm::{HttpFilter, http_filter};
use super::super::pb::route::Route;
use super::super::problem::Invalid;
use super::super::string_match::string_matcher;
use super::super::values::boolean;
use crate::ir::{Cors, HttpListener, HttpRoute};

const NAME: &str = "envoy.filters.http.cors";

pub(super) fn chain(_: &HcmSource<'_>, sharer: &Sharer<'_>) -> Result<Vec<HttpFilter>, Invalid> {
    let wanted = sharer.routes.iter().any(|route| rules(route).is_some());
    Ok(wanted
        .then(|| HttpFilter {
            name: NAME.to_owned(),
            config_type: Some(http_filter::ConfigType::TypedConfig(pack(&Filter {}))),
            ..HttpFilter::default()
        })
        .into_iter()
        .collect())
}

pub(super) fn route(route: &mut Route, source: &HttpRoute, _: &HttpListener) {
    if let Some(rules) = rules(source) {
        route.typed_per_filter_config.insert(NAME.to_owned(), pack(&policy(rules)));
    }
}

/// From the route itself before its security policy.
fn rules(source: &HttpRoute) -> Option<&Cors> {
    source.cors.as_deref().or_else(|| source.security.as_ref()?.cors.as_deref())
}

fn policy(source: &Cors) -> CorsPolicy {
    let Cors { allow_origins, allow_methods, allow_headers, expose_headers, max_age, allow_credentials } = source;
    CorsPolicy {
        allow_origin_string_match: allow_origins.iter().map(string_matcher).collect(),
        allow_methods: joined(allow_methods),
        allow_headers: joined(allow_headers),
        expose_headers: expose_headers.join(", "),
        max_age: max_age.map(|age| age.as_secs().to_string()).unwrap_or_default(),
        allow_credentials: Some(boolean(*allow_credentials)),
        forward_not_matching_preflights: Some(boolean(false)),
        ..CorsPolicy::default()
    }
}

/// Envoy takes a star for everything only when it stands alone.
fn joined(values: &[String]) -> String {
    if values.iter().any(|value| value == "*") { "*".to_owned() } else { values.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_among_others_stands_alone() {
        let rules = Cors { allow_methods: vec!["GET".to_owned(), "*".to_owned()], ..Cors::default() };
        assert_eq!(policy(&rules).allow_methods, "*");
    }

    #[test]
    fn the_routes_own_rules_win_over_its_policy() {
        let with = |age| Cors { max_age: Some(crate::api::duration::Duration::from_secs(age)), ..Cors::default() };
        let security =
            crate::ir::SecurityFeatures { cors: Some(Box::new(with(1))), ..crate::ir::SecurityFeatures::default() };
        let source = HttpRoute {
            cors: Some(Box::new(with(2))),
            security: Some(std::sync::Arc::new(security)),
            ..HttpRoute::default()
        };
        assert_eq!(rules(&source).map(|rules| policy(rules).max_age), Some("2".to_owned()));
    }
}
