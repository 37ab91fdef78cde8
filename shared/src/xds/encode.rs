//! Encoding Envoy's messages so that equal messages have equal bytes, and splicing encoded pieces.
//!
//! The generated types keep proto maps in `HashMap`s, whose iteration order differs between runs and would reach the
//! wire. Map entries are repeated fields of equal tag, so putting the encoded entries of a map in order changes no
//! length: [`encode`] sorts them in place, at any depth, led by a table made from Envoy's descriptors at build time.
//! Everything this layer sends goes through [`encode`] or [`pack`]; nothing else may call prost's `encode`.

use std::ops::Range;

use envoy_types::pb::google::protobuf::Any;
use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint, key_len};
use prost::{Message, Name};

/// What a field number means to the walk over an encoded message. Indexes point into `SHAPES`.
#[derive(Clone, Copy, Debug)]
enum Field {
    /// A message that holds a map somewhere inside.
    Message(usize),
    /// A map; its values may hold maps too.
    Map(Option<usize>),
}

include!(concat!(env!("OUT_DIR"), "/map_shapes.rs"));

/// `message` in protobuf's wire format, with the entries of every map in order.
#[must_use]
pub fn encode<M: Message + Name>(message: &M) -> Vec<u8> {
    let mut bytes = message.encode_to_vec();
    let name = M::full_name();
    if let Ok(index) = SHAPES.binary_search_by(|(shape, _)| (*shape).cmp(name.as_str())) {
        sort_maps(&mut bytes, index);
    }
    bytes
}

/// `message` inside an `Any`, encoded as [`encode`] does.
#[must_use]
pub fn pack<M: Message + Name>(message: &M) -> Any {
    Any { type_url: M::type_url(), value: encode(message) }
}

/// Adds a length-delimited field (string, bytes or message) with this content.
pub fn put_field(buffer: &mut Vec<u8>, tag: u32, content: &[u8]) {
    encode_key(tag, WireType::LengthDelimited, buffer);
    encode_varint(content.len() as u64, buffer);
    buffer.extend_from_slice(content);
}

/// Adds the head of a length-delimited field whose content of `len` bytes the caller adds next.
pub fn put_field_head(buffer: &mut Vec<u8>, tag: u32, len: usize) {
    encode_key(tag, WireType::LengthDelimited, buffer);
    encode_varint(len as u64, buffer);
}

/// How long a length-delimited field with `len` bytes of content is, tag and length included.
#[must_use]
pub fn field_len(tag: u32, len: usize) -> usize {
    key_len(tag) + encoded_len_varint(len as u64) + len
}

/// Puts the map entries inside one encoded message in order. Bytes that don't parse are left as they are.
fn sort_maps(bytes: &mut [u8], shape: usize) {
    let Some((_, fields)) = SHAPES.get(shape) else { return };
    let mut run: Vec<Range<usize>> = Vec::new();
    let mut run_number = 0;
    let mut position = 0;
    while position < bytes.len() {
        let Some(found) = next_field(bytes, position) else { return };
        position = found.whole.end;
        if found.number != run_number {
            sort_run(bytes, &run);
            run.clear();
            run_number = found.number;
        }
        let Some((_, field)) = fields.iter().find(|(number, _)| *number == found.number) else { continue };
        let Some(content) = found.content else { continue };
        match *field {
            Field::Message(inner) => {
                if let Some(slice) = bytes.get_mut(content) {
                    sort_maps(slice, inner);
                }
            }
            Field::Map(value_shape) => {
                if let (Some(inner), Some(entry)) = (value_shape, bytes.get_mut(content)) {
                    sort_value(entry, inner);
                }
                run.push(found.whole);
            }
        }
    }
    sort_run(bytes, &run);
}

/// Puts the maps inside the value of one map entry in order.
fn sort_value(entry: &mut [u8], shape: usize) {
    let mut position = 0;
    while position < entry.len() {
        let Some(found) = next_field(entry, position) else { return };
        position = found.whole.end;
        if let (2, Some(content)) = (found.number, found.content)
            && let Some(slice) = entry.get_mut(content)
        {
            sort_maps(slice, shape);
        }
    }
}

/// Sorts the encoded entries of one map, which stand one after the other.
fn sort_run(bytes: &mut [u8], run: &[Range<usize>]) {
    let (Some(first), Some(last)) = (run.first(), run.last()) else { return };
    if run.len() < 2 {
        return;
    }
    let mut entries: Vec<Vec<u8>> =
        run.iter().filter_map(|range| bytes.get(range.clone())).map(<[u8]>::to_vec).collect();
    entries.sort();
    if let Some(place) = bytes.get_mut(first.start..last.end) {
        let sorted = entries.concat();
        if sorted.len() == place.len() {
            place.copy_from_slice(&sorted);
        }
    }
}

/// One field of an encoded message.
struct Found {
    number: u32,
    /// Tag, length and content.
    whole: Range<usize>,
    /// The content of a length-delimited field.
    content: Option<Range<usize>>,
}

/// The field that begins at `start`, if the bytes make sense.
fn next_field(bytes: &[u8], start: usize) -> Option<Found> {
    let (key, after_key) = varint(bytes, start)?;
    let number = u32::try_from(key >> 3).ok()?;
    let (end, content) = match key & 7 {
        0 => (varint(bytes, after_key)?.1, None),
        1 => (after_key.checked_add(8)?, None),
        5 => (after_key.checked_add(4)?, None),
        2 => {
            let (len, begin) = varint(bytes, after_key)?;
            let end = begin.checked_add(usize::try_from(len).ok()?)?;
            (end, Some(begin..end))
        }
        _ => return None,
    };
    (end <= bytes.len()).then_some(Found { number, whole: start..end, content })
}

/// The varint at `start` and where it ends.
fn varint(bytes: &[u8], start: usize) -> Option<(u64, usize)> {
    let mut value = 0u64;
    for (index, byte) in bytes.get(start..)?.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((value, start + index + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use envoy_types::pb::envoy::config::core::v3::Metadata;
    use envoy_types::pb::envoy::config::route::v3::{Route, RouteConfiguration, VirtualHost};
    use envoy_types::pb::google::protobuf::{Struct, Value, value::Kind};

    use super::*;

    fn text(value: &str) -> Value {
        Value { kind: Some(Kind::StringValue(value.to_owned())) }
    }

    fn fields() -> HashMap<String, Value> {
        ["kind", "name", "namespace", "sectionName", "annotations"]
            .into_iter()
            .map(|key| (key.to_owned(), text(key)))
            .collect()
    }

    fn message() -> RouteConfiguration {
        let inner = Value { kind: Some(Kind::StructValue(Struct { fields: fields() })) };
        let metadata = Metadata {
            filter_metadata: ["a", "b", "c"]
                .into_iter()
                .map(|key| {
                    let mut fields = fields();
                    fields.insert("inner".to_owned(), inner.clone());
                    (key.to_owned(), Struct { fields })
                })
                .collect(),
            ..Metadata::default()
        };
        let route = Route {
            name: "route".to_owned(),
            metadata: Some(metadata.clone()),
            typed_per_filter_config: ["x", "y", "z"]
                .into_iter()
                .map(|key| (key.to_owned(), Any { type_url: key.to_owned(), value: vec![1, 2] }))
                .collect(),
            ..Route::default()
        };
        RouteConfiguration {
            name: "config".to_owned(),
            virtual_hosts: vec![VirtualHost { routes: vec![route.clone(), route], ..VirtualHost::default() }; 3],
            metadata: Some(metadata),
            ..RouteConfiguration::default()
        }
    }

    #[test]
    fn a_hundred_encodings_of_a_message_with_maps_are_equal() {
        let first = encode(&message());
        for _ in 0..100 {
            assert_eq!(encode(&message()), first);
        }
    }

    #[test]
    fn sorting_maps_keeps_the_message() {
        let decoded = RouteConfiguration::decode(encode(&message()).as_slice());
        assert_eq!(decoded, Ok(message()));
    }

    #[test]
    fn every_message_with_a_map_is_known_to_the_walk() {
        for name in [
            "envoy.config.cluster.v3.Cluster",
            "envoy.config.core.v3.Metadata",
            "envoy.config.endpoint.v3.ClusterLoadAssignment",
            "envoy.config.listener.v3.Listener",
            "envoy.config.rbac.v3.RBAC",
            "envoy.extensions.access_loggers.file.v3.FileAccessLog",
            "google.protobuf.Struct",
        ] {
            assert!(SHAPES.binary_search_by(|(shape, _)| (*shape).cmp(name)).is_ok(), "{name}");
        }
    }
}
