//! Our own custom resource definitions.

use serde_json::{Map, Value};

use super::labels::{MANAGED_BY, MANAGER, VERSION};
use super::object::{InstallKind, InstallObject, Step};
use super::options::Options;
use crate::crds;

/// The definitions of the kinds of `gateway.envoyproxy.io`. Several installations share them, so they carry no
/// instance.
pub(super) fn ours(options: &Options) -> impl Iterator<Item = InstallObject> {
    crds::all().into_iter().map(|mut content| {
        if let Some(Value::Object(metadata)) = content.get_mut("metadata") {
            let labels = metadata.entry("labels").or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(labels) = labels {
                labels.insert(MANAGED_BY.to_owned(), Value::String(MANAGER.to_owned()));
                labels.insert(VERSION.to_owned(), Value::String(options.version.clone()));
            }
        }
        InstallObject::new(Step::Definitions, InstallKind::CustomResourceDefinition, content)
    })
}
