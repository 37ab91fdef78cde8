//! The filter CORS: which other origins may use a route.

use crate::api::duration::Duration;
use crate::api::http_route_rule_filter::{HttpCorsFilter, HttpRouteRuleFilter};
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::routes::filters::{Filters, Place};
use crate::gatewayapi::routes::scope::Scope;
use crate::ir::security::cors::Cors;
use crate::ir::string_match::StringMatch;

/// Sets the cross-origin rules; of two such filters the later one counts.
pub fn apply(_: &Scope<'_, '_>, _: Place<'_>, filter: &HttpRouteRuleFilter, filters: &mut Filters) -> Vec<RouteFault> {
    if let Some(cors) = &filter.cors {
        filters.cors = Some(translate(cors));
    }
    Vec::new()
}

fn translate(filter: &HttpCorsFilter) -> Cors {
    let HttpCorsFilter { allow_origins, allow_credentials, allow_methods, allow_headers, expose_headers, max_age } =
        filter;
    Cors {
        allow_origins: allow_origins.iter().map(|origin| origin_match(origin)).collect(),
        allow_methods: allow_methods.clone(),
        allow_headers: allow_headers.clone(),
        expose_headers: expose_headers.clone(),
        max_age: Some(Duration::from_secs(max_age.unwrap_or(0).into())),
        allow_credentials: allow_credentials.unwrap_or(false),
    }
}

/// An origin; `*` in it stands for anything.
fn origin_match(origin: &str) -> StringMatch {
    if origin.contains('*') {
        let expression = origin.split('*').map(quoted).collect::<Vec<_>>().join(".*");
        StringMatch { safe_regex: Some(expression), ..StringMatch::default() }
    } else {
        StringMatch { exact: Some(origin.to_owned()), ..StringMatch::default() }
    }
}

/// The text with everything escaped that means something in RE2, as Go's `regexp.QuoteMeta` does it.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 4);
    for character in text.chars() {
        if r"\.+*?()|[]{}^$".contains(character) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything_and_a_dot_for_itself() {
        assert_eq!(origin_match("https://*.example.com").safe_regex.as_deref(), Some(r"https://.*\.example\.com"));
        assert_eq!(origin_match("*").safe_regex.as_deref(), Some(".*"));
        assert_eq!(origin_match("https://a.com").exact.as_deref(), Some("https://a.com"));
    }
}
