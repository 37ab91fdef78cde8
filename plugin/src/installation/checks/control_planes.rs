//! Other control planes: one that has our place, one that answers to our name.

use gateway_shared::install::MANAGER;

use super::version::{Version, version};
use super::{Check, Plan};
use crate::installation::facts::{ControlPlane, Facts};

pub(super) fn check(facts: &Facts, plan: &Plan<'_>) -> Vec<Check> {
    let name = plan.options.config.file.controller_name();
    let Some(planes) = &facts.control_planes else {
        return vec![Check::doubtful(
            "you may not list Deployments of other namespaces",
            format!("make sure that no other controller answers to {name}"),
        )];
    };
    let mut checks = Vec::new();
    let (here, elsewhere): (Vec<_>, Vec<_>) =
        planes.iter().partition(|plane| plane.namespace == plan.options.namespace);
    checks.extend(here.first().map(|plane| place(plane, plan)));
    if plan.take_over && here.is_empty() {
        checks.push(Check::bad(
            format!("there is no Envoy Gateway to take over in namespace {}", plan.options.namespace),
            match elsewhere.first() {
                Some(plane) => format!("there is one in {}: -n {}", plane.namespace, plane.namespace),
                None => "leave out --take-over".to_owned(),
            },
        ));
    }
    let rival = elsewhere.iter().find(|plane| plane.controller_name.as_deref().is_none_or(|answers| answers == name));
    match rival {
        Some(plane) => checks.push(Check::bad(
            format!("{} in namespace {} answers to {name} too", plane.image, plane.namespace),
            format!(
                "replace it (-n {} --take-over), remove it, or give this one another name: gateway.controllerName in --config",
                plane.namespace
            ),
        )),
        None if here.is_empty() => checks.push(unseen(facts, name)),
        None => checks.push(Check::good(format!("no other controller answers to {name}"))),
    }
    checks
}

/// Nobody is there; but maybe somebody accepted a class.
fn unseen(facts: &Facts, name: &str) -> Check {
    let accepted = facts.classes.iter().find(|class| class.controller_name == name && class.accepted);
    match accepted {
        Some(class) => Check::doubtful(
            format!(
                "somebody accepted GatewayClass {} under the name {name}, and no such controller was found",
                class.name
            ),
            "it may be gone, or be called otherwise: make sure it doesn't run",
        ),
        None => Check::good(format!("no other controller answers to {name}")),
    }
}

/// Somebody has our place.
fn place(plane: &ControlPlane, plan: &Plan<'_>) -> Check {
    let ControlPlane { namespace, managed_by, version: said, image, selector, controller_name: _ } = plane;
    let label = said.as_deref().unwrap_or("of an unknown version");
    let found = said.as_deref().and_then(version);
    if plane.is_ours() {
        return if found > version(&plan.options.version) {
            Check::bad(
                format!("the agent is {label}, newer than this program ({})", plan.options.version),
                "use the kubectl-gateway of that version",
            )
        } else if found < version(&plan.options.version) && !plan.upgrade {
            Check::bad(format!("the agent is there already, {label}"), "kubectl gateway upgrade")
        } else {
            Check::good(format!("the agent is there already, {label}: what differs will be changed"))
        };
    }
    let maker = managed_by.as_deref().unwrap_or("somebody");
    if !plan.take_over {
        return Check::bad(
            format!("Envoy Gateway {label} ({image}, installed by {maker}) runs in namespace {namespace}"),
            "replace it without a lost request: --take-over; or remove it first; or choose another namespace: -n",
        );
    }
    let ours = ["control-plane", "app.kubernetes.io/name", "app.kubernetes.io/instance"];
    if let Some(other) = selector.keys().find(|key| !ours.contains(&key.as_str())) {
        return Check::bad(
            format!("its Deployment finds its pods by a label we don't set: {other}"),
            "a selector can't be changed, so it can't be taken over; install beside it (-n) and move over by GatewayClass",
        );
    }
    match found {
        Some(Version(1, 9, ..)) => Check::good(format!(
            "Envoy Gateway {label} will be replaced; what it is now is kept for `uninstall --restore`"
        )),
        Some(_) => {
            Check::bad(format!("Envoy Gateway {label} runs, and only 1.9 can be taken over"), "bring it to 1.9 first")
        }
        None => Check::doubtful(
            format!("{image} (installed by {maker}) doesn't say its version"),
            "it is taken for Envoy Gateway 1.9 and replaced",
        ),
    }
}

/// Whether an object is one we may change.
pub(super) fn may_change(managed_by: Option<&str>, take_over: bool) -> bool {
    managed_by == Some(MANAGER) || take_over
}
