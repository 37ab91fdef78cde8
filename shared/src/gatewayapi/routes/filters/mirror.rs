//! The filter RequestMirror: copies of requests to another backend, whose answers don't matter.

use std::sync::Arc;

use crate::api::fraction::Fraction;
use crate::api::http_route_rule_filter::{HttpRequestMirrorFilter, HttpRouteRuleFilter};
use crate::gatewayapi::backends::{Target, destination};
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::routes::filters::{Filters, Place};
use crate::gatewayapi::routes::scope::Scope;
use crate::ir::destination::RouteDestination;
use crate::ir::mirror::MirrorPolicy;

/// Adds a mirror. A backend that can't be used is a fault, and there is no mirror then.
pub fn apply(
    scope: &Scope<'_, '_>,
    place: Place<'_>,
    filter: &HttpRouteRuleFilter,
    filters: &mut Filters,
) -> Vec<RouteFault> {
    let Some(HttpRequestMirrorFilter { backend_ref, percent, fraction }) = filter.request_mirror.as_deref() else {
        return Vec::new();
    };
    let name = format!("{}-mirror-{}", place.rule, place.index);
    let made = destination(scope, &Target::from(backend_ref), Arc::from(format!("{name}/backend/-1")));
    if let Some(fault) = made.fault {
        return vec![fault.within("backendRef").within("requestMirror")];
    }
    filters.mirrors.push(MirrorPolicy {
        destination: Arc::new(RouteDestination {
            name: name.into(),
            settings: vec![made.setting],
            ..RouteDestination::default()
        }),
        percentage: percentage(*percent, fraction.as_ref()),
    });
    Vec::new()
}

/// How many requests are copied, in percent; all of them where it isn't said.
fn percentage(percent: Option<i32>, fraction: Option<&Fraction>) -> Option<f32> {
    #[expect(clippy::cast_precision_loss, reason = "Envoy Gateway counts in 32 bits, and these numbers are small")]
    let float = |number: i32| number as f32;
    match fraction {
        Some(Fraction { numerator, denominator }) => {
            Some(100.0 * float(*numerator) / float(denominator.unwrap_or(100)))
        }
        None => percent.map(float),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_wins_over_percent() {
        assert_eq!(percentage(None, None), None);
        assert_eq!(percentage(Some(20), None), Some(20.0));
        let fraction = Fraction { numerator: 1, denominator: Some(8) };
        assert_eq!(percentage(Some(20), Some(&fraction)), Some(12.5));
        assert_eq!(percentage(None, Some(&Fraction { numerator: 3, denominator: None })), Some(3.0));
    }
}
