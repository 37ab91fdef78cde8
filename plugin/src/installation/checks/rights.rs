//! Whether the user may do what has to be done.

use std::collections::BTreeMap;

use super::{Check, Plan};
use crate::installation::facts::Facts;
use crate::installation::rights::Right;

pub(super) fn check(facts: &Facts, _: &Plan<'_>) -> Vec<Check> {
    let denied: Vec<String> = by_place(&facts.denied)
        .into_iter()
        .map(|((verbs, place), resources)| format!("{verbs} {}{place}", resources.join(", ")))
        .collect();
    let mut checks = Vec::new();
    if !denied.is_empty() {
        checks.push(Check::bad(
            format!("you may not {}", denied.join("; ")),
            "ask an administrator of the cluster, or act as one: --context, --as",
        ));
    }
    if checks.is_empty() && !facts.may_escalate {
        checks.push(Check::doubtful(
            "you may make roles only of rights you have yourself",
            "if the API server refuses one, an administrator of the cluster has to install",
        ));
    }
    checks
}

/// The denied resources by what may not be done with them, and where.
fn by_place(denied: &[Right]) -> BTreeMap<(String, String), Vec<String>> {
    let mut verbs: BTreeMap<(String, String), Vec<&str>> = BTreeMap::new();
    for Right { verb, group, resource, namespace } in denied {
        let resource = if group.is_empty() { (*resource).to_owned() } else { format!("{resource}.{group}") };
        let place = namespace.as_ref().map(|namespace| format!(" in namespace {namespace}")).unwrap_or_default();
        verbs.entry((resource, place)).or_default().push(verb);
    }
    let mut places: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for ((resource, place), verbs) in verbs {
        places.entry((verbs.join(", "), place)).or_default().push(resource);
    }
    places
}
