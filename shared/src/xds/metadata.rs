//! Which Kubernetes object a piece of Envoy's configuration was made from, in Envoy's metadata.

use super::pb::{core, wkt};
use super::values::{structure, text};
use crate::ir::{PolicyMetadata, ResourceMetadata};

/// The metadata namespace, and its keys, are read by people's access logs and extensions.
const NAMESPACE: &str = "envoy-gateway";

/// The metadata of something made from `source`.
pub(super) fn metadata(source: Option<&ResourceMetadata>) -> Option<core::Metadata> {
    let ResourceMetadata { kind, name, namespace, annotations, section_name, policies } = source?;
    let mut object = vec![("kind", text(kind)), ("name", text(name)), ("namespace", text(namespace))];
    if !annotations.is_empty() {
        object.push((
            "annotations",
            structure_value(structure(annotations.iter().map(|entry| (entry.key.as_str(), text(&entry.value))))),
        ));
    }
    if !section_name.is_empty() {
        object.push(("sectionName", text(section_name)));
    }
    let mut fields = vec![("resources", list(vec![structure_value(structure(object))]))];
    if !policies.is_empty() {
        fields.push(("policies", list(policies.iter().map(policy).collect())));
    }
    Some(core::Metadata {
        filter_metadata: [(NAMESPACE.to_owned(), structure(fields))].into(),
        ..core::Metadata::default()
    })
}

fn policy(source: &PolicyMetadata) -> wkt::Value {
    let PolicyMetadata { kind, name, namespace } = source;
    structure_value(structure([("kind", text(kind)), ("name", text(name)), ("namespace", text(namespace))]))
}

const fn structure_value(structure: wkt::Struct) -> wkt::Value {
    wkt::Value { kind: Some(wkt::value::Kind::StructValue(structure)) }
}

const fn list(values: Vec<wkt::Value>) -> wkt::Value {
    wkt::Value { kind: Some(wkt::value::Kind::ListValue(wkt::ListValue { values })) }
}
