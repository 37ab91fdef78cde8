//! Resources as proto3 JSON and back: for dumps and for patches.
//!
//! Decoding Envoy's descriptors takes tens of milliseconds and megabytes, so it happens once and only where JSON is
//! asked for.

use std::fmt;
use std::sync::OnceLock;

use prost::Message as _;
use prost_reflect::{DescriptorPool, DeserializeOptions, DynamicMessage, MessageDescriptor, SerializeOptions};
use serde_json::Value;

use super::table::{Resource, ResourceType};

static DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/envoy_types.bin"));
static POOL: OnceLock<Result<DescriptorPool, String>> = OnceLock::new();

/// Why a resource could not be turned into JSON or back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// What went wrong, in words.
    pub message: String,
}

impl fmt::Display for JsonError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for JsonError {}

/// A resource in proto3 JSON: lowerCamelCase names, `@type` in every `Any`, fields with default values left out.
///
/// # Errors
/// When the body is no message of this type, or holds an `Any` of a type Envoy doesn't have.
pub fn to_json(kind: ResourceType, resource: &Resource) -> Result<Value, JsonError> {
    let error = |reason: &dyn fmt::Display| JsonError {
        message: format!("{} {} cannot be shown as JSON: {reason}", kind.label(), resource.name),
    };
    let message = DynamicMessage::decode(descriptor(kind)?, resource.body.as_ref()).map_err(|reason| error(&reason))?;
    message
        .serialize_with_options(serde_json::value::Serializer, &SerializeOptions::new())
        .map_err(|reason| error(&reason))
}

/// The resource that `json` describes, under the name it gives itself.
///
/// # Errors
/// When the JSON has unknown fields, wrong types or no name.
pub fn from_json(kind: ResourceType, json: &Value) -> Result<Resource, JsonError> {
    let name_field = if kind == ResourceType::Endpoints { "clusterName" } else { "name" };
    let name = json
        .get(name_field)
        .and_then(Value::as_str)
        .ok_or_else(|| JsonError { message: format!("a {} needs a \"{name_field}\"", kind.label()) })?;
    let message = DynamicMessage::deserialize_with_options(descriptor(kind)?, json, &DeserializeOptions::new())
        .map_err(|reason| JsonError { message: format!("{} {name}: {reason}", kind.label()) })?;
    Ok(Resource::new(name, message.encode_to_vec()))
}

/// The message behind a resource type.
fn descriptor(kind: ResourceType) -> Result<MessageDescriptor, JsonError> {
    let pool = POOL
        .get_or_init(|| DescriptorPool::decode(DESCRIPTORS).map_err(|reason| reason.to_string()))
        .as_ref()
        .map_err(|reason| JsonError { message: format!("Envoy's descriptors cannot be read: {reason}") })?;
    let name = kind.type_url().rsplit('/').next().unwrap_or_default();
    pool.get_message_by_name(name)
        .ok_or_else(|| JsonError { message: format!("Envoy's descriptors do not have {name}") })
}
