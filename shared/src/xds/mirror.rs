//! Copies of requests to other upstreams.

use super::pb::{core::RuntimeFractionalPercent, route::route_action::RequestMirrorPolicy};
use super::values::{hundredths, millionths};
use crate::ir::MirrorPolicy;

/// The mirror policies of a route; one of no requests is left out.
pub(super) fn mirrors(sources: &[MirrorPolicy]) -> Vec<RequestMirrorPolicy> {
    sources.iter().filter_map(mirror).collect()
}

fn mirror(source: &MirrorPolicy) -> Option<RequestMirrorPolicy> {
    let MirrorPolicy { destination, percentage } = source;
    let share = match percentage {
        Some(percentage) if *percentage > 0.0 => millionths(*percentage),
        Some(_) => return None,
        None => hundredths(100),
    };
    Some(RequestMirrorPolicy {
        cluster: destination.name.to_string(),
        runtime_fraction: Some(RuntimeFractionalPercent {
            default_value: Some(share),
            ..RuntimeFractionalPercent::default()
        }),
        // Copies go to a cluster of their own, which tells them apart; the host stays as it was.
        disable_shadow_host_suffix_append: true,
        ..RequestMirrorPolicy::default()
    })
}
