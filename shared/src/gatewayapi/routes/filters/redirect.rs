//! The filter RequestRedirect. A port that isn't given depends on the listener, so it is filled in later.

use crate::api::http_route_rule_filter::{
    HttpPathModifier as ApiPathModifier, HttpPathModifierType, HttpRequestRedirectFilter, HttpRouteRuleFilter,
};
use crate::diagnostic::FieldPath;
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::routes::filters::{Filters, Place};
use crate::gatewayapi::routes::hostname;
use crate::gatewayapi::routes::outcome::reason;
use crate::gatewayapi::routes::scope::Scope;
use crate::ir::redirect::{HttpPathModifier, Redirect};

/// Statuses Envoy can redirect with.
const STATUSES: [i64; 5] = [301, 302, 303, 307, 308];

/// Sets the redirect; a rule has one at most.
pub fn apply(_: &Scope<'_, '_>, _: Place<'_>, filter: &HttpRouteRuleFilter, filters: &mut Filters) -> Vec<RouteFault> {
    if filters.redirect.is_some() {
        let message = "a rule can redirect to one place only: remove this RequestRedirect or the one before it";
        return vec![RouteFault::accepted(FieldPath::root(), reason::UNSUPPORTED_VALUE, message)];
    }
    let Some(redirect) = &filter.request_redirect else { return Vec::new() };
    match translate(redirect) {
        Ok(redirect) => {
            filters.redirect = Some(redirect);
            Vec::new()
        }
        Err(fault) => vec![fault.within("requestRedirect")],
    }
}

fn translate(filter: &HttpRequestRedirectFilter) -> Result<Redirect, RouteFault> {
    let HttpRequestRedirectFilter { scheme, hostname, path, port, status_code } = filter;
    let unsupported =
        |field, message: String| RouteFault::accepted(FieldPath::field(field), reason::UNSUPPORTED_VALUE, message);
    if let Some(scheme) = scheme.as_deref().filter(|scheme| !matches!(*scheme, "http" | "https")) {
        return Err(unsupported("scheme", format!("can't redirect to scheme {scheme:?}, use http or https")));
    }
    if let Some(fault) = hostname.as_deref().and_then(hostname::fault) {
        return Err(unsupported("hostname", fault));
    }
    let path = path.as_ref().map(path_modifier).transpose()?.flatten();
    let status_code = match status_code {
        Some(code) if STATUSES.contains(code) => i32::try_from(*code).ok(),
        Some(code) => {
            let message = format!("can't redirect with status {code}, use 301, 302, 303, 307 or 308");
            return Err(unsupported("statusCode", message));
        }
        // The CRD's default. Envoy's own is 301, which browsers keep for ever.
        None => Some(302),
    };
    Ok(Redirect {
        scheme: scheme.clone(),
        hostname: hostname.clone(),
        path,
        port: port.and_then(|port| u32::try_from(port).ok()),
        status_code,
    })
}

/// The change of the path; nothing where its value is missing.
fn path_modifier(path: &ApiPathModifier) -> Result<Option<HttpPathModifier>, RouteFault> {
    let ApiPathModifier { r#type, replace_full_path, replace_prefix_match } = path;
    match r#type {
        HttpPathModifierType::ReplaceFullPath => Ok(replace_full_path
            .clone()
            .map(|full| HttpPathModifier { full_replace: Some(full), prefix_match_replace: None })),
        HttpPathModifierType::ReplacePrefixMatch => Ok(replace_prefix_match
            .clone()
            .map(|prefix| HttpPathModifier { full_replace: None, prefix_match_replace: Some(prefix) })),
        HttpPathModifierType::Other(other) => Err(unknown_path_type(other).within("path")),
    }
}

/// A path modifier of a type that isn't one.
pub fn unknown_path_type(written: &str) -> RouteFault {
    let message = format!("{written:?} is no way to change a path, use ReplaceFullPath or ReplacePrefixMatch");
    RouteFault::accepted(FieldPath::field("type"), reason::UNSUPPORTED_VALUE, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cant_be_redirected_to_is_a_fault_at_its_field() {
        let none = HttpRequestRedirectFilter::default();
        let path = |path| ApiPathModifier {
            r#type: HttpPathModifierType::Other(path),
            replace_full_path: None,
            replace_prefix_match: None,
        };
        for (filter, field) in [
            (HttpRequestRedirectFilter { scheme: Some("ftp".to_owned()), ..none.clone() }, "scheme"),
            (HttpRequestRedirectFilter { hostname: Some("10.0.0.1".to_owned()), ..none.clone() }, "hostname"),
            (HttpRequestRedirectFilter { status_code: Some(304), ..none.clone() }, "statusCode"),
            (HttpRequestRedirectFilter { path: Some(path("Other".to_owned())), ..none.clone() }, "path.type"),
        ] {
            assert_eq!(translate(&filter).unwrap_err().diagnostic.path.to_string(), field);
        }
        assert_eq!(translate(&none), Ok(Redirect { status_code: Some(302), ..Redirect::default() }));
    }
}
