//! Filters of one backendRef: those that Envoy can apply to a single cluster.

use crate::api::http_route_filter::HttpRouteFilterResource;
use crate::api::http_route_rule_filter::{HttpRouteFilterType, HttpRouteRuleFilter};
use crate::api::metadata::Object;
use crate::diagnostic::FieldPath;
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::routes::filters as rule_filters;
use crate::gatewayapi::routes::outcome::reason;
use crate::gatewayapi::routes::scope::Scope;
use crate::ir::destination::DestinationFilters;

/// Whether all filters are of kinds that a backendRef can have.
///
/// # Errors
/// The first one that isn't.
pub fn check_kinds(scope: &Scope<'_, '_>, filters: &[HttpRouteRuleFilter]) -> Result<(), RouteFault> {
    for (index, filter) in filters.iter().enumerate() {
        let fault = |path: FieldPath, message: String| {
            Err(RouteFault::reference(path, reason::UNSUPPORTED_REF_VALUE, message).within_item("filters", index))
        };
        match &filter.r#type {
            HttpRouteFilterType::RequestHeaderModifier | HttpRouteFilterType::ResponseHeaderModifier => {}
            HttpRouteFilterType::UrlRewrite => {
                if filter.url_rewrite.as_ref().is_some_and(|rewrite| rewrite.path.is_some()) {
                    let message = "one backend of a rule can have its hostname rewritten, not its path: \
                                   move the rewrite to the rule"
                        .to_owned();
                    return fault(FieldPath::field("path").within("urlRewrite"), message);
                }
            }
            HttpRouteFilterType::ExtensionRef if is_known(scope, filter) => {}
            other => {
                let message = format!(
                    "a filter of type {other} can't be applied to one backend; RequestHeaderModifier, \
                     ResponseHeaderModifier, URLRewrite and ExtensionRef to an HTTPRouteFilter can"
                );
                return fault(FieldPath::field("type"), message);
            }
        }
    }
    Ok(())
}

/// Whether the filter refers to an HTTPRouteFilter or to a kind that an extension server knows.
fn is_known(scope: &Scope<'_, '_>, filter: &HttpRouteRuleFilter) -> bool {
    filter.extension_ref.as_ref().is_some_and(|reference| {
        (reference.group == HttpRouteFilterResource::GROUP && reference.kind == HttpRouteFilterResource::KIND)
            || scope
                .view
                .config()
                .extension_kinds
                .iter()
                .any(|(group, kind)| *group == reference.group && *kind == reference.kind)
    })
}

/// What the filters amount to for the backend's cluster.
///
/// # Errors
/// The first filter that can't be used.
pub fn filters(scope: &Scope<'_, '_>, list: &[HttpRouteRuleFilter]) -> Result<Option<DestinationFilters>, RouteFault> {
    if list.is_empty() {
        return Ok(None);
    }
    let (found, faults) = rule_filters::filters(scope, "", list);
    if let Some(fault) = faults.into_iter().next() {
        let diagnostic = fault.diagnostic;
        return Err(RouteFault::reference(diagnostic.path, reason::INVALID_BACKEND_FILTERS, diagnostic.message));
    }
    let rule_filters::Filters {
        url_rewrite,
        credential_injection,
        add_request_headers,
        remove_request_headers,
        add_response_headers,
        remove_response_headers,
        // These answer or copy requests before a backend is chosen.
        direct_response: _,
        redirect: _,
        mirrors: _,
        cors: _,
        matches: _,
    } = found;
    Ok(Some(DestinationFilters {
        add_request_headers,
        remove_request_headers,
        add_response_headers,
        remove_response_headers,
        credential_injection: credential_injection.map(Box::new),
        url_rewrite: url_rewrite.map(Box::new),
    }))
}
