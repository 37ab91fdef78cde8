//! The state-of-the-world dialect: each request lists all that is wanted, responses for listeners and clusters carry
//! all there is.

use std::time::Instant;

use envoy_types::pb::envoy::service::discovery::v3::{DiscoveryRequest, DiscoveryResponse};
use gateway_shared::xds::table::ResourceType;

use super::delta::any;
use super::push::Push;
use super::stream::{Event, Stream};

/// Takes in one request about `kind`.
pub fn on_request(stream: &mut Stream, kind: ResourceType, request: &DiscoveryRequest, now: Instant) -> Option<Event> {
    let (state, first) = stream.touch(kind);
    let fresh = request.response_nonce.is_empty() || request.response_nonce == state.last_nonce;
    let answered = !request.response_nonce.is_empty() && !first;
    if first || fresh {
        if first && !request.version_info.is_empty() {
            state.resumes = Some(request.version_info.clone());
        }
        let shift = state.subscription.replace(kind, &request.resource_names);
        state.owes_answer |= shift.wildcard_began;
        stream.shift(kind, shift);
        stream.resume(kind);
    }
    if !answered {
        return None;
    }
    let error = request.error_detail.as_ref().map(|status| status.message.as_str());
    Some(stream.answer(kind, &request.response_nonce, error, now))
}

impl Stream {
    /// A client that comes back with the version of what it asks for needs nothing.
    fn resume(&mut self, kind: ResourceType) {
        let Some(snapshot) = self.snapshot.clone() else { return };
        if let Some(state) = self.types.get_mut(&kind)
            && state.resumes.is_some()
        {
            state.compare_all(snapshot.table.of(kind));
        }
    }
}

/// The response on the wire.
#[must_use]
pub fn response(push: &Push) -> DiscoveryResponse {
    DiscoveryResponse {
        version_info: push.version_info.clone(),
        type_url: push.kind.type_url().to_owned(),
        nonce: push.nonce.clone(),
        resources: push.resources.iter().map(|resource| any(push.kind, resource)).collect(),
        ..DiscoveryResponse::default()
    }
}
