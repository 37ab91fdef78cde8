//! Our own custom resource definitions.

use super::labels::{MANAGED_BY, MANAGER, VERSION};
use super::object::{InstallKind, InstallObject, Step};
use super::options::Options;
use crate::crds;

/// The definitions of the kinds of `gateway.envoyproxy.io`. Several installations share them, so they carry no
/// instance.
pub(super) fn ours(options: &Options) -> impl Iterator<Item = InstallObject> {
    crds::all().into_iter().map(|content| {
        InstallObject::new(Step::Definitions, InstallKind::CustomResourceDefinition, content)
            .labelled(MANAGED_BY, MANAGER)
            .labelled(VERSION, &options.version)
    })
}
