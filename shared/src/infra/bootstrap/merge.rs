//! A bootstrap laid over another, as protobuf merges messages.

use prost_reflect::{DeserializeOptions, DynamicMessage, ReflectMessage as _, SerializeOptions, Value as Proto};
use serde_json::Value;

use crate::xds::json::message_descriptor;

/// The type of a bootstrap.
const BOOTSTRAP: &str = "envoy.config.bootstrap.v3.Bootstrap";
/// Merged field by field, a duration would be the seconds of one and the fraction of another.
const DURATION: &str = "google.protobuf.Duration";

/// `over` laid over `document`: plain fields replaced, messages merged, lists joined, entries of maps replaced.
///
/// # Errors
/// In words, where one of them is no bootstrap.
pub(super) fn merged(document: &Value, over: &Value) -> Result<Value, String> {
    let mut merged = read(document)?;
    merge(&mut merged, &read(over)?);
    // Names as they stand in Envoy's documentation: some readers know no others.
    let options = SerializeOptions::new().use_proto_field_name(true);
    merged
        .serialize_with_options(serde_json::value::Serializer, &options)
        .map_err(|error| format!("it can't be written as JSON: {error}"))
}

/// A bootstrap from JSON. A field this version of Envoy doesn't have is passed over, as Envoy Gateway does.
fn read(document: &Value) -> Result<DynamicMessage, String> {
    let descriptor = message_descriptor(BOOTSTRAP).map_err(|error| error.to_string())?;
    let options = DeserializeOptions::new().deny_unknown_fields(false);
    DynamicMessage::deserialize_with_options(descriptor, document, &options).map_err(|error| error.to_string())
}

fn merge(under: &mut DynamicMessage, over: &DynamicMessage) {
    for (field, value) in over.fields() {
        match (under.get_field_mut(&field), value) {
            (Proto::List(under), Proto::List(over)) => under.extend(over.iter().cloned()),
            (Proto::Map(under), Proto::Map(over)) => under.extend(over.iter().map(|(k, v)| (k.clone(), v.clone()))),
            (Proto::Message(under), Proto::Message(over)) if over.descriptor().full_name() != DURATION => {
                merge(under, over);
            }
            (under, over) => under.clone_from(over),
        }
    }
}
