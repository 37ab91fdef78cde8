//! What a request must look like for a route.

use super::headers::check_header_name;
use super::pb::route;
use super::problem::Invalid;
use super::string_match::{regex, string_matcher};
use super::upgrade::connects;
use crate::ir::{HttpRoute, StringMatch};

/// The match of a route.
pub(super) fn route_match(source: &HttpRoute) -> Result<route::RouteMatch, Invalid> {
    use route::route_match::{ConnectMatcher, PathSpecifier};
    let path = if connects(source.traffic.as_deref()) {
        PathSpecifier::ConnectMatcher(ConnectMatcher::default())
    } else {
        path_specifier(source.path_match.as_ref())?
    };
    Ok(route::RouteMatch {
        path_specifier: Some(path),
        headers: source.header_matches.iter().map(header_matcher).collect::<Result<_, _>>()?,
        query_parameters: source.query_param_matches.iter().map(query_matcher).collect(),
        cookies: source.cookie_matches.iter().map(cookie_matcher).collect(),
        ..route::RouteMatch::default()
    })
}

/// The path part; no path match stands for every path.
fn path_specifier(source: Option<&StringMatch>) -> Result<route::route_match::PathSpecifier, Invalid> {
    use route::route_match::PathSpecifier;
    let Some(path) = source else { return Ok(PathSpecifier::Prefix("/".to_owned())) };
    if let Some(exact) = &path.exact {
        Ok(PathSpecifier::Path(exact.clone()))
    } else if let Some(prefix) = &path.prefix {
        Ok(if prefix == "/" {
            PathSpecifier::Prefix(prefix.clone())
        } else {
            // Envoy's matching by path segments wants no slash at the end.
            PathSpecifier::PathSeparatedPrefix(prefix.strip_suffix('/').unwrap_or(prefix).to_owned())
        })
    } else if let Some(pattern) = &path.safe_regex {
        Ok(PathSpecifier::SafeRegex(regex(pattern)))
    } else {
        Err(Invalid::new("pathMatch", "it compares with nothing; set exact, prefix or safeRegex"))
    }
}

pub(super) fn header_matcher(source: &StringMatch) -> Result<route::HeaderMatcher, Invalid> {
    check_header_name(&source.name)?;
    Ok(route::HeaderMatcher {
        name: source.name.clone(),
        header_match_specifier: Some(route::header_matcher::HeaderMatchSpecifier::StringMatch(string_matcher(source))),
        ..route::HeaderMatcher::default()
    })
}

fn query_matcher(source: &StringMatch) -> route::QueryParameterMatcher {
    route::QueryParameterMatcher {
        name: source.name.clone(),
        query_parameter_match_specifier: Some(
            route::query_parameter_matcher::QueryParameterMatchSpecifier::StringMatch(string_matcher(source)),
        ),
    }
}

fn cookie_matcher(source: &StringMatch) -> route::CookieMatcher {
    route::CookieMatcher {
        name: source.name.clone(),
        string_match: Some(string_matcher(source)),
        invert_match: source.invert.unwrap_or(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use route::route_match::PathSpecifier;

    fn prefix(value: &str) -> Option<PathSpecifier> {
        path_specifier(Some(&StringMatch { prefix: Some(value.to_owned()), ..StringMatch::default() })).ok()
    }

    #[test]
    fn a_prefix_matches_whole_segments_without_its_slash() {
        assert_eq!(prefix("/a/"), Some(PathSpecifier::PathSeparatedPrefix("/a".to_owned())));
        assert_eq!(prefix("/"), Some(PathSpecifier::Prefix("/".to_owned())));
    }

    #[test]
    fn a_match_without_comparison_is_refused() {
        assert!(path_specifier(Some(&StringMatch::default())).is_err());
    }
}
