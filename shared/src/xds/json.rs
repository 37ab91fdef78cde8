//! Resources as proto3 JSON and back: for dumps and for patches.
//!
//! Decoding Envoy's descriptors takes tens of milliseconds and megabytes, so it happens once and only where JSON is
//! asked for.

use std::fmt;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prost::Message as _;
use prost_reflect::{
    DescriptorPool, DeserializeOptions, DynamicMessage, Kind, MapKey, MessageDescriptor, ReflectMessage as _,
    SerializeOptions,
};
use serde_json::{Map, Value};

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
    message_json(&message).map_err(|reason| error(&reason))
}

/// A message as JSON. The library does all of it but `Any`: it refuses an empty one, which Envoy takes for "as it is".
fn message_json(message: &DynamicMessage) -> Result<Value, String> {
    let descriptor = message.descriptor();
    let name = descriptor.full_name();
    if name == "google.protobuf.Any" {
        return any_json(message);
    }
    if name.starts_with("google.protobuf.") {
        return message
            .serialize_with_options(serde_json::value::Serializer, &SerializeOptions::new())
            .map_err(|reason| reason.to_string());
    }
    let mut object = Map::new();
    for (field, value) in message.fields() {
        object.insert(field.json_name().to_owned(), value_json(value, &field.kind())?);
    }
    Ok(Value::Object(object))
}

/// What is packed, with its type.
fn any_json(message: &DynamicMessage) -> Result<Value, String> {
    let text = |name| message.get_field_by_name(name).and_then(|value| value.as_str().map(str::to_owned));
    let type_url = text("type_url").unwrap_or_default();
    if type_url.is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    let name = type_url.rsplit('/').next().unwrap_or_default();
    let packed = message
        .descriptor()
        .parent_pool()
        .get_message_by_name(name)
        .ok_or_else(|| format!("Envoy has no type {name}"))?;
    let bytes = message.get_field_by_name("value").and_then(|value| value.as_bytes().cloned()).unwrap_or_default();
    let inner = DynamicMessage::decode(packed, bytes).map_err(|reason| reason.to_string())?;
    let mut object = Map::new();
    object.insert("@type".to_owned(), Value::String(type_url.clone()));
    match message_json(&inner)? {
        Value::Object(fields) if !name.starts_with("google.protobuf.") => object.extend(fields),
        value => {
            object.insert("value".to_owned(), value);
        }
    }
    Ok(Value::Object(object))
}

fn value_json(value: &prost_reflect::Value, kind: &Kind) -> Result<Value, String> {
    use prost_reflect::Value as Proto;
    Ok(match value {
        Proto::Bool(value) => Value::Bool(*value),
        Proto::I32(value) => Value::from(*value),
        Proto::U32(value) => Value::from(*value),
        // JSON numbers can't hold 64 bits exactly.
        Proto::I64(value) => Value::String(value.to_string()),
        Proto::U64(value) => Value::String(value.to_string()),
        Proto::F32(value) => float_json(f64::from(*value), value.to_string()),
        Proto::F64(value) => float_json(*value, value.to_string()),
        Proto::String(value) => Value::String(value.clone()),
        Proto::Bytes(value) => Value::String(STANDARD.encode(value)),
        Proto::EnumNumber(number) => match kind.as_enum().and_then(|kind| kind.get_value(*number)) {
            Some(known) => Value::String(known.name().to_owned()),
            None => Value::from(*number),
        },
        Proto::Message(message) => message_json(message)?,
        Proto::List(values) => {
            Value::Array(values.iter().map(|value| value_json(value, kind)).collect::<Result<_, _>>()?)
        }
        Proto::Map(entries) => {
            let value_kind = kind.as_message().map(|entry| entry.map_entry_value_field().kind());
            let mut sorted: Vec<(String, &Proto)> = entries.iter().map(|(key, value)| (key_text(key), value)).collect();
            sorted.sort_by(|a, b| a.0.cmp(&b.0));
            let mut object = Map::new();
            for (key, value) in sorted {
                object.insert(key, value_json(value, value_kind.as_ref().unwrap_or(kind))?);
            }
            Value::Object(object)
        }
    })
}

fn float_json(value: f64, text: String) -> Value {
    // The shorter text of an f32, not its digits as an f64.
    let number = text.parse().ok().and_then(serde_json::Number::from_f64);
    number.map_or_else(
        || {
            let name = if value.is_nan() {
                "NaN"
            } else if value > 0.0 {
                "Infinity"
            } else {
                "-Infinity"
            };
            Value::String(name.to_owned())
        },
        Value::Number,
    )
}

fn key_text(key: &MapKey) -> String {
    match key {
        MapKey::Bool(key) => key.to_string(),
        MapKey::I32(key) => key.to_string(),
        MapKey::I64(key) => key.to_string(),
        MapKey::U32(key) => key.to_string(),
        MapKey::U64(key) => key.to_string(),
        MapKey::String(key) => key.clone(),
    }
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
    message_descriptor(kind.type_url().rsplit('/').next().unwrap_or_default())
}

/// One of Envoy's messages by its full name.
pub(crate) fn message_descriptor(name: &str) -> Result<MessageDescriptor, JsonError> {
    let pool = POOL
        .get_or_init(|| DescriptorPool::decode(DESCRIPTORS).map_err(|reason| reason.to_string()))
        .as_ref()
        .map_err(|reason| JsonError { message: format!("Envoy's descriptors cannot be read: {reason}") })?;
    pool.get_message_by_name(name)
        .ok_or_else(|| JsonError { message: format!("Envoy's descriptors do not have {name}") })
}

#[cfg(test)]
mod tests {
    use envoy_types::pb::envoy::config::route::v3::{FilterConfig, Route, RouteConfiguration, VirtualHost};
    use envoy_types::pb::google::protobuf::Any;

    use super::super::encode::{encode, pack};
    use super::*;

    #[test]
    fn an_any_is_opened_and_an_empty_one_shown() {
        let enabled = pack(&FilterConfig { config: Some(Any::default()), ..FilterConfig::default() });
        let route = Route { typed_per_filter_config: [("f".to_owned(), enabled)].into(), ..Route::default() };
        let config = RouteConfiguration {
            name: "c".to_owned(),
            virtual_hosts: vec![VirtualHost { routes: vec![route], ..VirtualHost::default() }],
            ..RouteConfiguration::default()
        };
        let resource = Resource::new("c", encode(&config));
        let json = to_json(ResourceType::Route, &resource).unwrap();
        let pointer = "/virtualHosts/0/routes/0/typedPerFilterConfig/f";
        let want = serde_json::json!({"@type": "type.googleapis.com/envoy.config.route.v3.FilterConfig", "config": {}});
        assert_eq!(json.pointer(pointer), Some(&want));
    }

    #[test]
    fn json_comes_back_as_the_same_resource() {
        let config = RouteConfiguration {
            name: "c".to_owned(),
            ignore_port_in_host_matching: true,
            ..RouteConfiguration::default()
        };
        let resource = Resource::new("c", encode(&config));
        let json = to_json(ResourceType::Route, &resource).unwrap();
        assert_eq!(from_json(ResourceType::Route, &json), Ok(resource));
        assert!(from_json(ResourceType::Route, &serde_json::json!({"name": "c", "nope": 1})).is_err());
    }
}
