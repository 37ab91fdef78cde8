//! Filters of one rule that exclude each other.

use crate::diagnostic::FieldPath;
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::routes::filters::Filters;
use crate::gatewayapi::routes::outcome::reason;

/// A request that is answered at once has nothing to copy: a mirror together with a direct response or a redirect is a
/// fault, and neither of the two is kept.
pub fn between(filters: &mut Filters) -> Vec<RouteFault> {
    let mut faults = Vec::new();
    if filters.direct_response.is_some() && !filters.mirrors.is_empty() {
        filters.direct_response = None;
        filters.mirrors.clear();
        faults.push(fault("a direct response"));
    }
    if filters.redirect.is_some() && !filters.mirrors.is_empty() {
        filters.redirect = None;
        filters.mirrors.clear();
        faults.push(fault("a redirect"));
    }
    faults
}

fn fault(answer: &str) -> RouteFault {
    RouteFault::accepted(
        FieldPath::field("filters"),
        reason::INCOMPATIBLE_FILTERS,
        format!("a rule with {answer} can't mirror requests as well: move one of the two to a rule of its own"),
    )
}
