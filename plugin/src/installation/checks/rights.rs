//! Whether the user may do what has to be done.

use std::collections::BTreeMap;

use super::{Check, Plan};
use crate::installation::facts::{Facts, Right};

pub(super) fn check(facts: &Facts, _: &Plan<'_>) -> Vec<Check> {
    let mut checks: Vec<Check> = by_place(&facts.denied)
        .into_iter()
        .map(|((resource, place), verbs)| {
            Check::bad(
                format!("you may not {} {resource}{place}", verbs.join(", ")),
                "ask an administrator of the cluster, or act as one: --context, --as",
            )
        })
        .collect();
    if checks.is_empty() && !facts.may_escalate {
        checks.push(Check::doubtful(
            "you may make roles only of rights you have yourself",
            "if the API server refuses one, an administrator of the cluster has to install",
        ));
    }
    checks
}

/// The denied verbs by resource and place.
fn by_place(denied: &[Right]) -> BTreeMap<(String, String), Vec<&'static str>> {
    let mut places: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for Right { verb, group, resource, namespace } in denied {
        let resource = if group.is_empty() { (*resource).to_owned() } else { format!("{resource}.{group}") };
        let place = namespace.as_ref().map(|namespace| format!(" in namespace {namespace}")).unwrap_or_default();
        places.entry((resource, place)).or_default().push(*verb);
    }
    places
}
