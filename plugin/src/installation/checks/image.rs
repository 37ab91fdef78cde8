//! An image that was named for another version.

use gateway_shared::install::{InstallKind, NAME};

use super::{Check, Plan};
use crate::installation::facts::{ControlPlane, Facts};

pub(super) fn check(facts: &Facts, plan: &Plan<'_>) -> Vec<Check> {
    let namespace = &plan.options.namespace;
    let there = facts.there.get(&(InstallKind::Deployment, Some(namespace.clone()), NAME.to_owned()));
    let version = there.and_then(|there| ControlPlane::of(there).version);
    match (plan.kept_image, version) {
        (Some(image), Some(version)) if version != plan.options.version => vec![Check::bad(
            format!("image {image} was named for {version} and would go on to run, called {}", plan.options.version),
            format!("name the image of {}: --image", plan.options.version),
        )],
        _ => Vec::new(),
    }
}
