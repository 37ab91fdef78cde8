//! Objects that have our names and are somebody else's.

use gateway_shared::install::{InstallKind, InstallObject, MANAGED_BY};
use serde_json::Value;

use super::control_planes::may_change;
use super::{Check, Plan};
use crate::installation::facts::{Facts, key};

pub(super) fn check(facts: &Facts, plan: &Plan<'_>) -> Vec<Check> {
    let foreign = plan.objects.iter().filter(|object| {
        let Some(there) = facts.there.get(&key(object)) else { return false };
        let labels = there.pointer("/metadata/labels").and_then(Value::as_object);
        let managed_by = labels.and_then(|labels| labels.get(MANAGED_BY)).and_then(Value::as_str);
        // Namespaces and classes may be anybody's, of definitions others speak, and the Deployment was judged by now.
        let judged = [
            InstallKind::Namespace,
            InstallKind::GatewayClass,
            InstallKind::CustomResourceDefinition,
            InstallKind::Deployment,
            // It is made anew whenever it is needed.
            InstallKind::Job,
        ];
        !judged.contains(&object.kind) && !may_change(managed_by, plan.take_over)
    });
    let foreign: Vec<String> = foreign.map(InstallObject::place).collect();
    let mut checks = Vec::new();
    if let [first, rest @ ..] = foreign.as_slice() {
        let more = if rest.is_empty() { "is".to_owned() } else { format!("and {} more of our names are", rest.len()) };
        checks.push(Check::bad(
            format!("{first} {more} somebody else's"),
            "remove or rename what is in the way, or choose another namespace: -n",
        ));
    }
    checks.extend(plan.objects.iter().filter(|object| object.kind == InstallKind::GatewayClass).filter_map(|class| {
        let there = facts.classes.iter().find(|there| there.name == class.name)?;
        let name = plan.options.config.file.controller_name();
        (there.controller_name != name).then(|| {
            Check::bad(
                format!("GatewayClass {} is {}'s", there.name, there.controller_name),
                "choose another name: --gateway-class",
            )
        })
    }));
    checks
}
