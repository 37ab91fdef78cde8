//! The filter ResponseHeaderModifier.

use crate::api::http_route_rule_filter::HttpRouteRuleFilter;
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::routes::filters::header_modifier::modify;
use crate::gatewayapi::routes::filters::{Filters, Place};
use crate::gatewayapi::routes::scope::Scope;

/// Changes headers of responses.
pub fn apply(_: &Scope<'_, '_>, _: Place<'_>, filter: &HttpRouteRuleFilter, filters: &mut Filters) -> Vec<RouteFault> {
    let Some(modifier) = &filter.response_header_modifier else { return Vec::new() };
    modify(modifier, &mut filters.add_response_headers, &mut filters.remove_response_headers)
        .into_iter()
        .map(|fault| fault.within("responseHeaderModifier"))
        .collect()
}
