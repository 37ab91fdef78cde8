//! `rules[].matches`: one IR route for each, since a rule is for requests that meet any of them.

use crate::api::http_route::{
    HeaderMatchType, HttpHeaderMatch, HttpPathMatch, HttpQueryParamMatch, HttpRouteMatch, PathMatchType,
    QueryParamMatchType,
};
use crate::api::http_route_filter::{HttpCookieMatch, HttpRouteMatchFilter};
use crate::diagnostic::FieldPath;
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::routes::cookies::cookie_matches;
use crate::gatewayapi::routes::outcome::reason;
use crate::gatewayapi::routes::regex;
use crate::ir::http_route::HttpRoute as IrRoute;
use crate::ir::string_match::StringMatch;

/// One match of the rule together with one of its filters' matches.
#[derive(Clone, Copy, Debug)]
pub struct Combination<'r> {
    /// The rule's; none where only the filter has matches.
    pub rule: Option<(usize, &'r HttpRouteMatch)>,
    /// The filter's.
    pub cookies: &'r [HttpCookieMatch],
}

/// Every match of the rule with every match of its filters: a request must meet one of each.
#[must_use]
pub fn combinations<'r>(rule: &'r [HttpRouteMatch], filters: &'r [HttpRouteMatchFilter]) -> Vec<Combination<'r>> {
    let of_rule = |rule: Option<(usize, &'r HttpRouteMatch)>| {
        let alone = filters.is_empty().then_some(Combination { rule, cookies: &[] });
        alone.into_iter().chain(filters.iter().map(move |filter| Combination { rule, cookies: &filter.cookies }))
    };
    match rule {
        [] if filters.is_empty() => Vec::new(),
        [] => of_rule(None).collect(),
        matches => matches.iter().enumerate().flat_map(|pair| of_rule(Some(pair))).collect(),
    }
}

/// Puts the conditions of one combination on an IR route.
///
/// # Errors
/// A kind of comparison that isn't served, or a regular expression that Envoy wouldn't take. The path begins at the rule.
pub fn put_on(route: &mut IrRoute, combination: Combination<'_>) -> Result<(), RouteFault> {
    if let Some((index, rule)) = combination.rule {
        let HttpRouteMatch { path, headers, query_params, method } = rule;
        let at_match = |fault: RouteFault| fault.within_item("matches", index);
        route.path_match = path.as_ref().map(path_match).transpose().map_err(at_match)?;
        for (place, header) in headers.iter().enumerate() {
            let matched = header_match(header).map_err(|fault| at_match(fault.within_item("headers", place)))?;
            route.header_matches.push(matched);
        }
        for (place, param) in query_params.iter().enumerate() {
            let matched =
                query_param_match(param).map_err(|fault| at_match(fault.within_item("queryParams", place)))?;
            route.query_param_matches.push(matched);
        }
        if let Some(method) = method {
            route.header_matches.push(exact(":method", method.as_str()));
        }
    }
    route.cookie_matches = cookie_matches(combination.cookies)?;
    Ok(())
}

fn path_match(path: &HttpPathMatch) -> Result<StringMatch, RouteFault> {
    let HttpPathMatch { r#type, value } = path;
    let none = StringMatch::default();
    match r#type.as_ref().unwrap_or(&PathMatchType::PathPrefix) {
        PathMatchType::PathPrefix => Ok(StringMatch { prefix: value.clone(), ..none }),
        PathMatchType::Exact => Ok(StringMatch { exact: value.clone(), ..none }),
        PathMatchType::RegularExpression => {
            check_regex(value.as_deref().unwrap_or_default(), || FieldPath::field("value").within("path"))?;
            Ok(StringMatch { safe_regex: value.clone(), ..none })
        }
        PathMatchType::Other(other) => {
            Err(unknown_type(other, "PathPrefix, Exact or RegularExpression").within("path"))
        }
    }
}

fn header_match(header: &HttpHeaderMatch) -> Result<StringMatch, RouteFault> {
    let HttpHeaderMatch { r#type, name, value } = header;
    match r#type.as_ref().unwrap_or(&HeaderMatchType::Exact) {
        HeaderMatchType::Exact => Ok(exact(name, value)),
        HeaderMatchType::RegularExpression => {
            check_regex(value, || FieldPath::field("value"))?;
            Ok(regular(name, value))
        }
        HeaderMatchType::Other(other) => Err(unknown_type(other, "Exact or RegularExpression")),
    }
}

fn query_param_match(param: &HttpQueryParamMatch) -> Result<StringMatch, RouteFault> {
    let HttpQueryParamMatch { r#type, name, value } = param;
    match r#type.as_ref().unwrap_or(&QueryParamMatchType::Exact) {
        QueryParamMatchType::Exact => Ok(exact(name, value)),
        QueryParamMatchType::RegularExpression => {
            check_regex(value, || FieldPath::field("value"))?;
            Ok(regular(name, value))
        }
        QueryParamMatchType::Other(other) => Err(unknown_type(other, "Exact or RegularExpression")),
    }
}

fn unknown_type(written: &str, known: &str) -> RouteFault {
    let message = format!("{written:?} is no kind of comparison, use {known}");
    RouteFault::accepted(FieldPath::field("type"), reason::UNSUPPORTED_VALUE, message)
}

/// Equality with `value`.
pub(super) fn exact(name: &str, value: &str) -> StringMatch {
    StringMatch { name: name.to_owned(), exact: Some(value.to_owned()), ..StringMatch::default() }
}

/// A match of the regular expression `value`.
pub(super) fn regular(name: &str, value: &str) -> StringMatch {
    StringMatch { name: name.to_owned(), safe_regex: Some(value.to_owned()), ..StringMatch::default() }
}

/// A fault at `path` where Envoy wouldn't take the expression.
pub(super) fn check_regex(expression: &str, path: impl FnOnce() -> FieldPath) -> Result<(), RouteFault> {
    regex::fault(expression).map_or(Ok(()), |fault| {
        let message = format!("{expression:?} is no regular expression that Envoy takes (RE2): {fault}");
        Err(RouteFault::accepted(path(), reason::UNSUPPORTED_VALUE, message))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::http_route::HttpMethod;

    #[test]
    fn every_match_of_the_rule_meets_every_match_of_the_filter() {
        let rule = [HttpRouteMatch::default(), HttpRouteMatch::default()];
        let cookie = |name: &str| HttpRouteMatchFilter {
            cookies: vec![HttpCookieMatch { name: name.to_owned(), ..HttpCookieMatch::default() }],
        };
        let filters = [cookie("a"), cookie("b"), cookie("c")];
        assert_eq!(combinations(&[], &[]).len(), 0);
        assert_eq!(combinations(&rule, &[]).len(), 2);
        assert_eq!(combinations(&[], &filters).len(), 3);
        let both: Vec<_> =
            combinations(&rule, &filters).iter().map(|c| (c.rule.unwrap().0, c.cookies[0].name.as_str())).collect();
        assert_eq!(both, [(0, "a"), (0, "b"), (0, "c"), (1, "a"), (1, "b"), (1, "c")]);
    }

    #[test]
    fn the_method_is_one_more_header() {
        let rule = HttpRouteMatch {
            path: Some(HttpPathMatch { r#type: None, value: Some("/a".to_owned()) }),
            method: Some(HttpMethod::Get),
            ..HttpRouteMatch::default()
        };
        let mut route = IrRoute::default();
        put_on(&mut route, Combination { rule: Some((0, &rule)), cookies: &[] }).unwrap();
        assert_eq!(route.path_match.unwrap().prefix.as_deref(), Some("/a"));
        assert_eq!(route.header_matches, [exact(":method", "GET")]);
    }

    #[test]
    fn a_broken_expression_is_a_fault_at_its_value() {
        let header = HttpHeaderMatch {
            r#type: Some(HeaderMatchType::RegularExpression),
            name: "x".to_owned(),
            value: "a(".to_owned(),
        };
        let rule = HttpRouteMatch { headers: vec![header], ..HttpRouteMatch::default() };
        let fault = put_on(&mut IrRoute::default(), Combination { rule: Some((2, &rule)), cookies: &[] }).unwrap_err();
        assert_eq!(fault.diagnostic.path.to_string(), "matches[2].headers[0].value");
        assert_eq!(fault.diagnostic.reason, "UnsupportedValue");
    }
}
