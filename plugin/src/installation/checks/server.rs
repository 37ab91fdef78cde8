//! Whether the cluster is new enough.

use super::version::{Version, version};
use super::{Check, Plan};
use crate::installation::facts::Facts;

/// Definitions of Gateway API 1.6 need what 1.30 has (admission policies, lists of validation rules).
const NEEDED: Version = Version(1, 30, 0, false);

/// What Envoy Gateway 1.9 is tested with, and we are.
const TESTED: (u64, u64) = (33, 36);

pub(super) fn check(facts: &Facts, plan: &Plan<'_>) -> Vec<Check> {
    let server = facts.server.trim_start_matches('v');
    let check = match version(server) {
        None => Check::doubtful(
            format!("Kubernetes calls its version `{server}`"),
            "nobody knows whether that is new enough; 1.30 is needed",
        ),
        Some(found) if found < NEEDED => {
            Check::bad(format!("Kubernetes {server} is too old"), "Gateway API 1.6 needs 1.30 or newer")
        }
        Some(Version(1, minor, ..)) if (TESTED.0..=TESTED.1).contains(&minor) => {
            let count = plan.objects.len();
            let rights =
                if facts.denied.is_empty() { format!(", you may create all {count} objects") } else { String::new() };
            Check::good(format!("Kubernetes 1.{minor}{rights}"))
        }
        Some(_) => Check::doubtful(
            format!("Kubernetes {server}"),
            format!("it should work; tested are 1.{} to 1.{}", TESTED.0, TESTED.1),
        ),
    };
    vec![check]
}
