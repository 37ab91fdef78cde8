//! The gRPC side: the aggregated service and one service for each type, all in terms of the same machine.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use envoy_types::pb::envoy::service::cluster::v3::cluster_discovery_service_server::{
    ClusterDiscoveryService, ClusterDiscoveryServiceServer,
};
use envoy_types::pb::envoy::service::discovery::v3::aggregated_discovery_service_server::{
    AggregatedDiscoveryService, AggregatedDiscoveryServiceServer,
};
use envoy_types::pb::envoy::service::discovery::v3::{
    DeltaDiscoveryRequest, DeltaDiscoveryResponse, DiscoveryRequest, DiscoveryResponse,
};
use envoy_types::pb::envoy::service::endpoint::v3::endpoint_discovery_service_server::{
    EndpointDiscoveryService, EndpointDiscoveryServiceServer,
};
use envoy_types::pb::envoy::service::listener::v3::listener_discovery_service_server::{
    ListenerDiscoveryService, ListenerDiscoveryServiceServer,
};
use envoy_types::pb::envoy::service::route::v3::route_discovery_service_server::{
    RouteDiscoveryService, RouteDiscoveryServiceServer,
};
use envoy_types::pb::envoy::service::runtime::v3::runtime_discovery_service_server::{
    RuntimeDiscoveryService, RuntimeDiscoveryServiceServer,
};
use envoy_types::pb::envoy::service::secret::v3::secret_discovery_service_server::{
    SecretDiscoveryService, SecretDiscoveryServiceServer,
};
use gateway_shared::xds::table::ResourceType;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio_stream::Stream as AsyncStream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::service::Routes;
use tonic::transport::Server;
use tonic::transport::server::{Connected, TcpIncoming};
use tonic::{Request, Response, Status, Streaming};

use super::authentication::Authentication;
use super::cache::SnapshotCache;
use super::ledger::Ledger;
use super::metrics::XdsMetrics;
use super::session::{self, Shared};

/// Responses computed ahead for one stream. More would only be older.
const RESPONSES_AHEAD: usize = 2;

/// How the server behaves.
#[derive(Clone, Debug)]
pub struct XdsOptions {
    /// The largest request accepted, in bytes.
    pub max_receive_bytes: usize,
    /// How often an idle connection is probed.
    pub keepalive_interval: Duration,
    /// How long a probe may go unanswered.
    pub keepalive_timeout: Duration,
    /// After what time a connection is asked to come again, so that proxies spread over replicas.
    pub max_connection_age: Option<Duration>,
    /// How long a push waits for the acknowledgement of what it depends on.
    pub hold_limit: Duration,
    /// Who checks the token of every stream; `None` where proxies prove themselves otherwise.
    pub authentication: Option<Authentication>,
}

impl Default for XdsOptions {
    fn default() -> Self {
        Self {
            max_receive_bytes: 32 * 1024 * 1024,
            keepalive_interval: Duration::from_secs(30),
            keepalive_timeout: Duration::from_secs(10),
            max_connection_age: None,
            hold_limit: Duration::from_secs(15),
            authentication: None,
        }
    }
}

/// The xDS server.
#[derive(Clone, Debug)]
pub struct XdsServer {
    shared: Shared,
    options: XdsOptions,
    stop: watch::Sender<bool>,
}

impl XdsServer {
    /// A server of what `cache` holds, which keeps `ledger` and `metrics`.
    #[must_use]
    pub fn new(cache: SnapshotCache, ledger: Ledger, metrics: XdsMetrics, options: XdsOptions) -> Self {
        let (stop, stopping) = watch::channel(false);
        let authentication = options.authentication.clone();
        let shared = Shared { cache, ledger, metrics, hold_limit: options.hold_limit, authentication, stopping };
        Self { shared, options, stop }
    }

    /// The services, for a gRPC server that serves others as well or puts something in front of them.
    #[must_use]
    pub fn routes(&self) -> Routes {
        let limit = self.options.max_receive_bytes;
        let service = || Service { shared: self.shared.clone() };
        Routes::new(AggregatedDiscoveryServiceServer::new(service()).max_decoding_message_size(limit))
            .add_service(ClusterDiscoveryServiceServer::new(service()).max_decoding_message_size(limit))
            .add_service(EndpointDiscoveryServiceServer::new(service()).max_decoding_message_size(limit))
            .add_service(ListenerDiscoveryServiceServer::new(service()).max_decoding_message_size(limit))
            .add_service(RouteDiscoveryServiceServer::new(service()).max_decoding_message_size(limit))
            .add_service(RuntimeDiscoveryServiceServer::new(service()).max_decoding_message_size(limit))
            .add_service(SecretDiscoveryServiceServer::new(service()).max_decoding_message_size(limit))
    }

    /// Serves on `listener` until `shutdown` is ready; streams are then ended so that proxies come again elsewhere.
    ///
    /// # Errors
    /// When the transport fails as a whole; a broken connection is no error.
    pub async fn serve(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), tonic::transport::Error> {
        self.serve_connections(TcpIncoming::from(listener).with_nodelay(Some(true)), shutdown).await
    }

    /// Serves the connections that come in, encrypted or not, until `shutdown` is ready, as [`Self::serve`] does.
    ///
    /// # Errors
    /// When the transport fails as a whole; a broken connection is no error.
    pub async fn serve_connections<C>(
        self,
        incoming: impl AsyncStream<Item = std::io::Result<C>>,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), tonic::transport::Error>
    where
        C: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
    {
        let mut server = Server::builder()
            .http2_keepalive_interval(Some(self.options.keepalive_interval))
            .http2_keepalive_timeout(Some(self.options.keepalive_timeout));
        if let Some(age) = self.options.max_connection_age {
            server = server.max_connection_age(age);
        }
        let stop = self.stop.clone();
        let shutdown = async move {
            shutdown.await;
            stop.send_replace(true);
        };
        server.add_routes(self.routes()).serve_with_incoming_shutdown(incoming, shutdown).await
    }
}

/// All services: each stream becomes a task that drives one machine.
#[derive(Clone, Debug)]
struct Service {
    shared: Shared,
}

type Responses<T> = Pin<Box<dyn AsyncStream<Item = Result<T, Status>> + Send>>;

impl Service {
    fn open<R: session::Request>(
        &self,
        only: Option<ResourceType>,
        request: Request<Streaming<R>>,
    ) -> Response<Responses<R::Response>> {
        let (sender, receiver) = mpsc::channel(RESPONSES_AHEAD);
        let (metadata, _, requests) = request.into_parts();
        // The task ends with the stream: it watches both directions.
        tokio::spawn(session::serve(self.shared.clone(), only, metadata, requests, sender));
        Response::new(Box::pin(ReceiverStream::new(receiver)))
    }
}

#[tonic::async_trait]
impl AggregatedDiscoveryService for Service {
    type StreamAggregatedResourcesStream = Responses<DiscoveryResponse>;
    type DeltaAggregatedResourcesStream = Responses<DeltaDiscoveryResponse>;

    async fn stream_aggregated_resources(
        &self,
        request: Request<Streaming<DiscoveryRequest>>,
    ) -> Result<Response<Self::StreamAggregatedResourcesStream>, Status> {
        Ok(self.open(None, request))
    }

    async fn delta_aggregated_resources(
        &self,
        request: Request<Streaming<DeltaDiscoveryRequest>>,
    ) -> Result<Response<Self::DeltaAggregatedResourcesStream>, Status> {
        Ok(self.open(None, request))
    }
}

/// The service of one type: its trait, its kind, and the names its methods and streams have.
macro_rules! single_type_service {
    ($service:ident, $kind:expr, $stream:ident: $Stream:ident, $delta:ident: $Delta:ident, $fetch:ident) => {
        #[tonic::async_trait]
        impl $service for Service {
            type $Stream = Responses<DiscoveryResponse>;
            type $Delta = Responses<DeltaDiscoveryResponse>;

            async fn $stream(
                &self,
                request: Request<Streaming<DiscoveryRequest>>,
            ) -> Result<Response<Self::$Stream>, Status> {
                Ok(self.open(Some($kind), request))
            }

            async fn $delta(
                &self,
                request: Request<Streaming<DeltaDiscoveryRequest>>,
            ) -> Result<Response<Self::$Delta>, Status> {
                Ok(self.open(Some($kind), request))
            }

            async fn $fetch(&self, _: Request<DiscoveryRequest>) -> Result<Response<DiscoveryResponse>, Status> {
                Err(Status::unimplemented("resources are served on streams only; set api_type to GRPC or DELTA_GRPC"))
            }
        }
    };
}

single_type_service!(ClusterDiscoveryService, ResourceType::Cluster,
    stream_clusters: StreamClustersStream, delta_clusters: DeltaClustersStream, fetch_clusters);
single_type_service!(EndpointDiscoveryService, ResourceType::Endpoints,
    stream_endpoints: StreamEndpointsStream, delta_endpoints: DeltaEndpointsStream, fetch_endpoints);
single_type_service!(ListenerDiscoveryService, ResourceType::Listener,
    stream_listeners: StreamListenersStream, delta_listeners: DeltaListenersStream, fetch_listeners);
single_type_service!(RouteDiscoveryService, ResourceType::Route,
    stream_routes: StreamRoutesStream, delta_routes: DeltaRoutesStream, fetch_routes);
single_type_service!(RuntimeDiscoveryService, ResourceType::Runtime,
    stream_runtime: StreamRuntimeStream, delta_runtime: DeltaRuntimeStream, fetch_runtime);
single_type_service!(SecretDiscoveryService, ResourceType::Secret,
    stream_secrets: StreamSecretsStream, delta_secrets: DeltaSecretsStream, fetch_secrets);
