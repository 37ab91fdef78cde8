//! Namespaces in which nothing can be made.

use gateway_shared::install::InstallKind;

use super::{Check, Plan};
use crate::installation::facts::{Facts, Unusable};

pub(super) fn check(facts: &Facts, plan: &Plan<'_>) -> Vec<Check> {
    let is_made =
        |name: &String| plan.objects.iter().any(|object| object.kind == InstallKind::Namespace && object.name == *name);
    let judged = facts.unusable.iter().filter_map(|(name, why)| match why {
        Unusable::Absent if is_made(name) => None,
        Unusable::Absent => Some(Check::bad(
            format!("there is no namespace {name}, and the agent needs rights in it"),
            format!("make it first (kubectl create namespace {name}), or leave it out of --watch-namespaces"),
        )),
        Unusable::Ending => Some(Check::bad(
            format!("namespace {name} is being deleted"),
            format!("try again when it is gone; what holds it: kubectl get namespace {name} -o yaml"),
        )),
    });
    judged.collect()
}
