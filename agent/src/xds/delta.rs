//! The incremental dialect: requests name what comes and goes, responses carry what changed.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use envoy_types::pb::envoy::service::discovery::v3::{
    DeltaDiscoveryRequest, DeltaDiscoveryResponse, Resource as WireResource,
};
use envoy_types::pb::google::protobuf::Any;
use gateway_shared::xds::table::{Resource, ResourceType};

use super::push::Push;
use super::stream::{Event, Stream};

/// Takes in one request about `kind`.
pub fn on_request(
    stream: &mut Stream,
    kind: ResourceType,
    request: &DeltaDiscoveryRequest,
    now: Instant,
) -> Option<Event> {
    let (state, first) = stream.touch(kind);
    let shift =
        state.subscription.change(kind, first, &request.resource_names_subscribe, &request.resource_names_unsubscribe);
    let resumed = first && !request.initial_resource_versions.is_empty();
    if first {
        for (name, version) in &request.initial_resource_versions {
            if state.subscription.wants(name) {
                state.known.insert(Arc::new(held_by_client(name, version)));
            }
        }
        // Envoy forgets how often connecting failed only when a message comes: a proxy that has everything gets an empty
        // one, or each silent end of a stream would double how long it stays away after the next (up to 30 s).
        state.owes_answer = state.subscription.is_wildcard();
    } else if shift.wildcard_began {
        state.owes_answer = true;
    }
    for name in &shift.added {
        // A name that is asked for again has to be answered again: the client may have forgotten it.
        if !(resumed && state.known.get(name).is_some()) {
            state.asked.insert(Arc::clone(name));
            state.rejected.remove(name);
        }
    }
    if resumed {
        stream.resumed_at.get_or_insert(now);
    }
    stream.shift(kind, shift);
    if request.response_nonce.is_empty() {
        return None;
    }
    let error = request.error_detail.as_ref().map(|status| status.message.as_str());
    Some(stream.answer(kind, &request.response_nonce, error, now))
}

/// What the client says it has. Its content isn't known, only whether it is the one we would send.
fn held_by_client(name: &str, version: &str) -> Resource {
    Resource { name: Arc::from(name), version: u64::from_str_radix(version, 16).unwrap_or(0), body: Bytes::new() }
}

/// The response on the wire.
#[must_use]
pub fn response(push: &Push) -> DeltaDiscoveryResponse {
    DeltaDiscoveryResponse {
        system_version_info: push.version_info.clone(),
        type_url: push.kind.type_url().to_owned(),
        nonce: push.nonce.clone(),
        removed_resources: push.removals.iter().map(ToString::to_string).collect(),
        resources: push
            .resources
            .iter()
            .map(|resource| WireResource {
                name: resource.name.to_string(),
                version: resource.version_info(),
                resource: Some(any(push.kind, resource)),
                ..WireResource::default()
            })
            .collect(),
        ..DeltaDiscoveryResponse::default()
    }
}

/// The resource as both dialects carry it.
pub(super) fn any(kind: ResourceType, resource: &Resource) -> Any {
    Any { type_url: kind.type_url().to_owned(), value: resource.body.to_vec() }
}
