//! Protection of the proxy's own loopback where the request's host is the upstream.

use std::sync::LazyLock;

use super::super::encode::pack;
use super::super::hcm::{HcmSource, Sharer};
use super::super::pb::cncf::core::v3::TypedExtensionConfig;
use super::super::pb::cncf::r#type::matcher::v3::{
    Matcher, RegexMatcher, StringMatcher, matcher, matcher::matcher_list, regex_matcher, string_matcher,
};
use super::super::pb::extensions::filters::http::rbac::v3::{Rbac, RbacPerRoute};
use super::super::pb::hcm::{HttpFilter, http_filter};
use super::super::pb::matcher::HttpRequestHeaderMatchInput;
use super::super::pb::rbac::{Action, rbac};
use super::super::pb::route::Route;
use super::super::pb::wkt::Any;
use super::super::problem::Invalid;
use crate::ir::{HttpHostModifier, HttpListener, HttpRoute};

const NAME: &str = "envoy.filters.http.rbac.dfp_loopback_deny";

/// Hosts that mean the proxy itself, with or without a port.
const LOOPBACK: [&str; 7] = [
    r"^127\.0\.0\.1(?::\d+)?$",
    r"^localhost(?::\d+)?$",
    r"^localhost\.localdomain(?::\d+)?$",
    r"^ip6-localhost(?::\d+)?$",
    r"^ip6-loopback(?::\d+)?$",
    r"^\[::1\](?::\d+)?$",
    r"^::1(?::\d+)?$",
];

static FOR_AUTHORITY: LazyLock<Any> = LazyLock::new(|| pack(&deny_loopback(":authority")));

/// Without rules of its own, so that it refuses nothing but what a route's rules say.
pub(super) fn chain(_: &HcmSource<'_>, sharer: &Sharer<'_>) -> Result<Vec<HttpFilter>, Invalid> {
    let wanted = sharer.routes.iter().any(|route| is_dynamic(route));
    Ok(wanted
        .then(|| HttpFilter {
            name: NAME.to_owned(),
            config_type: Some(http_filter::ConfigType::TypedConfig(pack(&Rbac::default()))),
            ..HttpFilter::default()
        })
        .into_iter()
        .collect())
}

pub(super) fn route(route: &mut Route, source: &HttpRoute, _: &HttpListener) {
    if !is_dynamic(source) {
        return;
    }
    let host = source.url_rewrite.as_ref().and_then(|rewrite| rewrite.host.as_ref());
    let config = match host {
        // A host fixed in the configuration is its author's decision.
        Some(HttpHostModifier { name: Some(_), .. }) => return,
        Some(HttpHostModifier { header: Some(header), .. }) => pack(&deny_loopback(header)),
        _ => FOR_AUTHORITY.clone(),
    };
    route.typed_per_filter_config.insert(NAME.to_owned(), config);
}

fn is_dynamic(route: &HttpRoute) -> bool {
    route.destination.as_ref().is_some_and(|destination| destination.is_dynamic_resolver())
}

fn deny_loopback(header: &str) -> RbacPerRoute {
    let input = pack(&HttpRequestHeaderMatchInput { header_name: header.to_owned() });
    let predicates = LOOPBACK.iter().map(|pattern| header_matches(&input, pattern)).collect();
    let action = |name: &str, action: &Action| matcher::OnMatch {
        on_match: Some(matcher::on_match::OnMatch::Action(TypedExtensionConfig {
            name: name.to_owned(),
            typed_config: Some(pack(action)),
        })),
        ..matcher::OnMatch::default()
    };
    let deny = Action { name: "DENY".to_owned(), action: rbac::Action::Deny.into() };
    let allow = Action { name: "ALLOW".to_owned(), action: rbac::Action::Allow.into() };
    let list = matcher::MatcherList {
        matchers: vec![matcher_list::FieldMatcher {
            predicate: Some(matcher_list::Predicate {
                match_type: Some(matcher_list::predicate::MatchType::OrMatcher(
                    matcher_list::predicate::PredicateList { predicate: predicates },
                )),
            }),
            on_match: Some(action("deny-loopback-host", &deny)),
        }],
    };
    RbacPerRoute {
        rbac: Some(Rbac {
            matcher: Some(Matcher {
                matcher_type: Some(matcher::MatcherType::MatcherList(list)),
                on_no_match: Some(Box::new(action("default", &allow))),
            }),
            ..Rbac::default()
        }),
    }
}

fn header_matches(input: &Any, pattern: &str) -> matcher_list::Predicate {
    use matcher_list::predicate::{MatchType, SinglePredicate, single_predicate};
    let value = StringMatcher {
        match_pattern: Some(string_matcher::MatchPattern::SafeRegex(RegexMatcher {
            regex: pattern.to_owned(),
            engine_type: Some(regex_matcher::EngineType::GoogleRe2(regex_matcher::GoogleRe2 {})),
        })),
        ..StringMatcher::default()
    };
    matcher_list::Predicate {
        match_type: Some(MatchType::SinglePredicate(SinglePredicate {
            input: Some(TypedExtensionConfig { name: "http_header".to_owned(), typed_config: Some(input.clone()) }),
            matcher: Some(single_predicate::Matcher::ValueMatch(value)),
        })),
    }
}
