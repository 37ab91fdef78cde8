//! Conditions on cookies, which HTTPRouteFilters add to those of a rule.

use crate::api::http_route_filter::{CookieMatchType, HttpCookieMatch};
use crate::diagnostic::FieldPath;
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::routes::matches::{check_regex, exact, regular};
use crate::ir::string_match::StringMatch;

/// The cookies as the IR compares them.
///
/// # Errors
/// A regular expression that Envoy wouldn't take. The path begins at the rule.
pub fn cookie_matches(cookies: &[HttpCookieMatch]) -> Result<Vec<StringMatch>, RouteFault> {
    cookies
        .iter()
        .map(|HttpCookieMatch { r#type, name, value }| match r#type.unwrap_or(CookieMatchType::Exact) {
            CookieMatchType::Exact => Ok(exact(name, value)),
            CookieMatchType::RegularExpression => {
                check_regex(value, || FieldPath::field("filters"))?;
                Ok(regular(name, value))
            }
        })
        .collect()
}
