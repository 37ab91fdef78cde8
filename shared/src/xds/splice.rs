//! Route configurations, spliced from kept bytes: an encoded configuration is a row of encoded virtual hosts, and those
//! are rows of encoded routes, so what didn't change is copied as it is.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::encode::{encode, field_len, put_field, put_field_head};
use super::pb::route::RouteConfiguration;
use super::slots::{Change, Slot};
use super::values::uint32;
use super::virtual_host::HostFrame;

/// Field numbers of `RouteConfiguration` and `VirtualHost`.
const VIRTUAL_HOSTS: u32 = 2;
const ROUTES: u32 = 3;
const NAME: u32 = 1;

/// What Envoy allows for direct responses unless told otherwise, in bytes.
const DEFAULT_BODY: usize = 4 * 1024;
/// The least that is allowed when more than Envoy's default is needed: as much as an object in Kubernetes holds.
const OBJECT_SIZE: usize = 1024 * 1024;

/// One virtual host in a listener's segment.
#[derive(Clone, Debug)]
pub(super) struct Host {
    domain: Arc<str>,
    /// Its routes, as indexes of slots.
    slots: Vec<usize>,
    /// Where its field begins in the segment, tag included.
    start: usize,
    len: usize,
}

/// Groups slots by hostname, in the order hostnames come up.
pub(super) fn group(slots: &mut [Slot]) -> Vec<Host> {
    let mut known: FxHashMap<Arc<str>, usize> = FxHashMap::default();
    let mut hosts: Vec<Host> = Vec::new();
    for (index, slot) in slots.iter_mut().enumerate() {
        let at = *known.entry(Arc::clone(&slot.source.hostname)).or_insert_with(|| {
            hosts.push(Host { domain: Arc::clone(&slot.source.hostname), slots: Vec::new(), start: 0, len: 0 });
            hosts.len() - 1
        });
        slot.host = at;
        if let Some(host) = hosts.get_mut(at) {
            host.slots.push(index);
        }
    }
    hosts.shrink_to_fit();
    for host in &mut hosts {
        host.slots.shrink_to_fit();
    }
    hosts
}

/// Appends a listener's segment to `buffer`: the bytes of `old` where nothing changed, else hosts and routes anew.
pub(super) fn write_segment(
    buffer: &mut Vec<u8>,
    slots: &mut [Slot],
    hosts: &mut [Host],
    change: Change,
    old: &[u8],
    frame: &HostFrame,
) {
    if change == Change::Nothing {
        buffer.extend_from_slice(old);
        return;
    }
    let base = buffer.len();
    for host in hosts {
        let kept = change == Change::InPlace
            && !host
                .slots
                .iter()
                .any(|index| slots.get(*index).is_some_and(|slot| slot.fresh.is_some() || slot.len == 0));
        let start = buffer.len() - base;
        match old.get(host.start..host.start + host.len).filter(|_| kept) {
            Some(bytes) => {
                buffer.extend_from_slice(bytes);
                move_routes(slots, host, start);
            }
            None => write_host(buffer, base, slots, host, old, frame),
        }
        host.start = start;
        host.len = buffer.len() - base - start;
    }
}

/// Tells the routes of a host that was copied where they are now.
fn move_routes(slots: &mut [Slot], host: &Host, start: usize) {
    if start == host.start {
        return;
    }
    for index in &host.slots {
        if let Some(slot) = slots.get_mut(*index) {
            slot.start = slot.start + start - host.start;
        }
    }
}

fn write_host(buffer: &mut Vec<u8>, base: usize, slots: &mut [Slot], host: &Host, old: &[u8], frame: &HostFrame) {
    let head = frame.head(&host.domain);
    let tail = frame.tail(&host.domain);
    let routes: usize = host
        .slots
        .iter()
        .filter_map(|index| slots.get(*index))
        .filter(|slot| slot.len > 0)
        .map(|slot| field_len(ROUTES, slot.len))
        .sum();
    put_field_head(buffer, VIRTUAL_HOSTS, head.len() + routes + tail.len());
    buffer.extend_from_slice(&head);
    for index in &host.slots {
        let Some(slot) = slots.get_mut(*index) else { continue };
        if slot.len == 0 {
            continue;
        }
        let fresh = slot.fresh.take();
        let bytes = fresh.as_deref().or_else(|| old.get(slot.start..slot.start + slot.len)).unwrap_or_default();
        put_field(buffer, ROUTES, bytes);
        slot.start = buffer.len() - base - slot.len;
    }
    buffer.extend_from_slice(&tail);
}

/// The fields before the virtual hosts.
pub(super) fn config_head(name: &str) -> Vec<u8> {
    let mut head = Vec::with_capacity(name.len() + 4);
    put_field(&mut head, NAME, name.as_bytes());
    head
}

/// The fields after the virtual hosts; `body` is the longest direct response.
pub(super) fn config_tail(body: usize) -> Vec<u8> {
    let limit = (body > DEFAULT_BODY).then(|| uint32(u32::try_from(body.max(OBJECT_SIZE)).unwrap_or(u32::MAX)));
    encode(&RouteConfiguration {
        max_direct_response_body_size_bytes: limit,
        ignore_port_in_host_matching: true,
        ..RouteConfiguration::default()
    })
}
