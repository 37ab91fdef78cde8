//! One gRPC stream: drives a [`Stream`] from requests, snapshots and time, writes its page of the ledger, counts.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use envoy_types::pb::envoy::config::core::v3::Node;
use envoy_types::pb::envoy::service::discovery::v3::{
    DeltaDiscoveryRequest, DeltaDiscoveryResponse, DiscoveryRequest, DiscoveryResponse,
};
use gateway_shared::xds::table::ResourceType;
use tokio::sync::{mpsc, watch};
use tokio_stream::{Stream as AsyncStream, StreamExt};
use tonic::Status;
use tonic::metadata::MetadataMap;

use super::authentication::Authentication;
use super::cache::{Follower, SnapshotCache};
use super::ledger::{Acknowledged, HeldBack, Ledger, Page, RejectedResource, Rejection, Sent};
use super::metrics::XdsMetrics;
use super::node::NodeIdentity;
use super::push::Push;
use super::stream::{Behaviour, Dialect, Event, Stream};
use super::{delta, sotw};
use crate::waiting::sleep_until;

/// A request of either dialect.
pub(super) trait Request: Send + 'static {
    /// The response of the same dialect.
    type Response: Send + 'static;
    /// The dialect.
    const DIALECT: Dialect;
    /// The proxy's introduction, if the request carries one.
    fn node(&self) -> Option<&Node>;
    /// The type it is about; empty if the service implies it.
    fn type_url(&self) -> &str;
    /// Tells the machine.
    fn apply(&self, stream: &mut Stream, kind: ResourceType, now: Instant) -> Option<Event>;
    /// Puts a push on the wire.
    fn response(push: &Push) -> Self::Response;
}

impl Request for DeltaDiscoveryRequest {
    type Response = DeltaDiscoveryResponse;
    const DIALECT: Dialect = Dialect::Delta;

    fn node(&self) -> Option<&Node> {
        self.node.as_ref()
    }

    fn type_url(&self) -> &str {
        &self.type_url
    }

    fn apply(&self, stream: &mut Stream, kind: ResourceType, now: Instant) -> Option<Event> {
        delta::on_request(stream, kind, self, now)
    }

    fn response(push: &Push) -> Self::Response {
        delta::response(push)
    }
}

impl Request for DiscoveryRequest {
    type Response = DiscoveryResponse;
    const DIALECT: Dialect = Dialect::Sotw;

    fn node(&self) -> Option<&Node> {
        self.node.as_ref()
    }

    fn type_url(&self) -> &str {
        &self.type_url
    }

    fn apply(&self, stream: &mut Stream, kind: ResourceType, now: Instant) -> Option<Event> {
        sotw::on_request(stream, kind, self, now)
    }

    fn response(push: &Push) -> Self::Response {
        sotw::response(push)
    }
}

/// What all streams of a server share.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub(super) cache: SnapshotCache,
    pub(super) ledger: Ledger,
    pub(super) metrics: XdsMetrics,
    pub(super) hold_limit: std::time::Duration,
    /// Who checks the token of every stream.
    pub(super) authentication: Option<Authentication>,
    /// Becomes true when the server stops; streams end then.
    pub(super) stopping: watch::Receiver<bool>,
}

/// Where responses go. Bounded: while the proxy doesn't read, nothing is computed for it, and then the latest.
pub(super) type Responses<R> = mpsc::Sender<Result<<R as Request>::Response, Status>>;

/// Serves one stream until it ends. `only`: the type of a single-type service; `None` for ADS.
pub(super) async fn serve<R: Request>(
    shared: Shared,
    only: Option<ResourceType>,
    metadata: MetadataMap,
    requests: impl AsyncStream<Item = Result<R, Status>> + Send,
    responses: Responses<R>,
) {
    let outcome = run(&shared, only, &metadata, requests, &responses).await;
    if let Err(status) = outcome {
        // The proxy may be gone already.
        drop(responses.send(Err(status)).await);
    }
}

async fn run<R: Request>(
    shared: &Shared,
    only: Option<ResourceType>,
    metadata: &MetadataMap,
    requests: impl AsyncStream<Item = Result<R, Status>> + Send,
    responses: &Responses<R>,
) -> Result<(), Status> {
    let mut requests = pin!(requests);
    let mut stopping = shared.stopping.clone();
    let first = tokio::select! {
        first = requests.next() => first,
        _ = stopping.wait_for(|stopping| *stopping) => None,
    };
    let Some(Ok(first)) = first else { return Ok(()) };
    let node = NodeIdentity::from_node(first.node()).map_err(|error| Status::invalid_argument(error.to_string()))?;
    if let Some(authentication) = &shared.authentication
        && let Err(refused) = authentication.check(metadata, &node).await
    {
        shared.metrics.stream_refused();
        tracing::warn!(node = %node.id, ir_key = %node.ir_key, why = refused.message(), "an xDS stream was refused");
        return Err(refused);
    }
    let mut session = Session::<R>::new(shared, only, node);
    session.on_request(&first)?;
    let mut follower = shared.cache.follow(&session.node.ir_key);
    session.on_snapshot(&mut follower);

    let mut idle = false;
    loop {
        let deadline = session.stream.next_deadline();
        tokio::select! {
            request = requests.next() => match request {
                Some(Ok(request)) => session.on_request(&request)?,
                // The proxy closed the stream, or the connection broke: either way it comes back by itself.
                Some(Err(_)) | None => return Ok(()),
            },
            changed = follower.changed() => match changed {
                Ok(()) => session.on_snapshot(&mut follower),
                Err(_) => return Ok(()),
            },
            permit = responses.reserve(), if !idle => {
                let Ok(permit) = permit else { return Ok(()) };
                match session.next() {
                    Some(response) => permit.send(Ok(response)),
                    None => {
                        session.write_standing();
                        idle = true;
                    }
                }
                continue;
            }
            () = sleep_until(deadline), if idle => {}
            () = responses.closed() => return Ok(()),
            _ = stopping.wait_for(|stopping| *stopping) => {
                return Err(Status::unavailable("the control plane is stopping, please connect again"));
            }
        }
        idle = false;
    }
}

/// A stream whose proxy introduced itself.
struct Session<R> {
    stream: Stream,
    node: NodeIdentity,
    only: Option<ResourceType>,
    page: Page,
    metrics: XdsMetrics,
    opened: Instant,
    /// What the ledger says is held, so that it is written only when it changes.
    held: Vec<(ResourceType, HeldBack)>,
    /// The types of which the ledger shows a rejection.
    rejecting: BTreeSet<ResourceType>,
    request: std::marker::PhantomData<R>,
}

impl<R: Request> Session<R> {
    fn new(shared: &Shared, only: Option<ResourceType>, node: NodeIdentity) -> Self {
        let delta = R::DIALECT == Dialect::Delta;
        let page = shared.ledger.connect(node.clone(), delta, SystemTime::now());
        shared.metrics.stream_opened(delta);
        tracing::debug!(node = %node.id, ir_key = %node.ir_key, delta, "a proxy connected");
        let behaviour = Behaviour { dialect: R::DIALECT, ordered: only.is_none(), hold_limit: shared.hold_limit };
        Self {
            stream: Stream::new(behaviour),
            node,
            only,
            page,
            metrics: shared.metrics.clone(),
            opened: Instant::now(),
            held: Vec::new(),
            rejecting: BTreeSet::new(),
            request: std::marker::PhantomData,
        }
    }

    fn on_request(&mut self, request: &R) -> Result<(), Status> {
        let Some(kind) = self.kind(request.type_url())? else { return Ok(()) };
        let event = request.apply(&mut self.stream, kind, Instant::now());
        let at = SystemTime::now();
        let subscribed = self.stream.subscribed(kind).unwrap_or(0);
        let settled = self.stream.rejected(kind).next().is_none();
        self.page.of(kind, |page| page.subscribed = subscribed);
        match event {
            Some(Event::Accepted { kind, version }) => self.page.of(kind, |page| {
                page.acknowledged = Some(Acknowledged { version, at });
                if settled {
                    page.rejected = None;
                }
            }),
            Some(Event::Rejected { kind, version, text, guilty }) => {
                self.metrics.nack(&self.node.id, kind.type_url());
                let node = &*self.node.id;
                tracing::warn!(
                    node,
                    kind = kind.label(),
                    ?guilty,
                    text,
                    "Envoy rejected a response and keeps what it had"
                );
                let resources = self
                    .stream
                    .rejected(kind)
                    .map(|(name, rejected)| RejectedResource {
                        name: Arc::clone(name),
                        text: Arc::clone(&rejected.text),
                        version: format!("{:016x}", rejected.version),
                    })
                    .collect();
                self.rejecting.insert(kind);
                self.page.of(kind, |page| page.rejected = Some(Rejection { version, text, at, resources }));
            }
            Some(Event::Stale { .. }) | None => {}
        }
        Ok(())
    }

    /// The type a request is about; `None` if it is one nobody here serves, which is then never answered.
    fn kind(&self, type_url: &str) -> Result<Option<ResourceType>, Status> {
        match self.only {
            Some(only) if type_url.is_empty() || type_url == only.type_url() => Ok(Some(only)),
            Some(only) => Err(Status::invalid_argument(format!(
                "this service serves {} ({}), and was asked for {type_url}",
                only.label(),
                only.type_url()
            ))),
            None if type_url.is_empty() => Err(Status::invalid_argument(
                "a request on an aggregated stream has to say with type_url which resources it is about",
            )),
            None => {
                let kind = ResourceType::from_type_url(type_url);
                if kind.is_none() {
                    tracing::debug!(node = %self.node.id, type_url, "a proxy asks for a type that is not served");
                }
                Ok(kind)
            }
        }
    }

    fn on_snapshot(&mut self, follower: &mut Follower) {
        let Some(snapshot) = follower.borrow_and_update().clone() else { return };
        self.page.snapshot(&snapshot.version);
        self.metrics.snapshot_delivered(&self.node.id);
        self.stream.on_snapshot(snapshot);
        for kind in ResourceType::ALL {
            // Who subscribes to everything subscribes to as many as there are now.
            if let Some(subscribed) = self.stream.subscribed(kind) {
                self.page.of(kind, |page| page.subscribed = subscribed);
            }
        }
    }

    fn next(&mut self) -> Option<R::Response> {
        let push = self.stream.poll(Instant::now())?;
        let subscribed = self.stream.subscribed(push.kind).unwrap_or(0);
        let sent = Sent { version: push.version_info.clone(), nonce: push.nonce.clone(), at: SystemTime::now() };
        self.page.of(push.kind, |page| {
            page.subscribed = subscribed;
            page.sent = Some(sent);
        });
        Some(R::response(&push))
    }

    /// Writes what waits into the ledger, and forgets rejections of what nobody wants any more: a change that was taken
    /// back leaves nothing to send, so no acknowledgement will say that all is well again.
    fn write_standing(&mut self) {
        let stream = &self.stream;
        for kind in self.rejecting.extract_if(.., |kind| !stream.is_rejecting(*kind)) {
            self.page.of(kind, |page| page.rejected = None);
        }
        for kind in ResourceType::ALL {
            if let Some(version) = stream.settled(kind) {
                self.page.of(kind, |page| {
                    if page.acknowledged.as_ref().is_none_or(|known| known.version != version) {
                        page.acknowledged = Some(Acknowledged { version, at: SystemTime::now() });
                    }
                });
            }
        }
        let line = |(kind, name, hold): (ResourceType, &Arc<str>, &super::push::Hold)| {
            (kind, HeldBack { name: Arc::clone(name), removal: hold.removal, because: hold.because.to_string() })
        };
        let held: Vec<_> = self.stream.held().map(line).collect();
        if held == self.held {
            return;
        }
        for kind in ResourceType::ALL.into_iter().filter(|kind| self.stream.subscribed(*kind).is_some()) {
            let of_kind = held.iter().filter(|(it, _)| *it == kind).map(|(_, held)| held.clone()).collect();
            self.page.of(kind, |page| page.held = of_kind);
        }
        self.held = held;
    }
}

impl<R> Drop for Session<R> {
    fn drop(&mut self) {
        let delta = self.stream.behaviour.dialect == Dialect::Delta;
        self.metrics.stream_closed(&self.node.id, delta, self.opened.elapsed());
    }
}
