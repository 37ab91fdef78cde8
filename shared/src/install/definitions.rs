//! Our own custom resource definitions.

use serde_json::Value;

use super::object::{InstallKind, InstallObject, Step};

/// The definitions of the kinds of `gateway.envoyproxy.io`.
pub(super) fn ours() -> impl Iterator<Item = InstallObject> {
    all()
        .into_iter()
        .map(|content| InstallObject::new(Step::Definitions, InstallKind::CustomResourceDefinition, content))
}

fn all() -> Vec<Value> {
    Vec::new()
}
