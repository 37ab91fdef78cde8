//! The xDS server over real gRPC, in one process: what a client sees on the wire.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that can't go on has failed")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use envoy_types::pb::envoy::config::core::v3::Node;
use envoy_types::pb::envoy::service::discovery::v3::aggregated_discovery_service_client::AggregatedDiscoveryServiceClient;
use envoy_types::pb::envoy::service::discovery::v3::{
    DeltaDiscoveryRequest, DeltaDiscoveryResponse, DiscoveryRequest, DiscoveryResponse,
};
use envoy_types::pb::envoy::service::secret::v3::secret_discovery_service_client::SecretDiscoveryServiceClient;
use envoy_types::pb::google::rpc::Status as WireStatus;
use gateway_agent::xds::cache::SnapshotCache;
use gateway_agent::xds::ledger::{Ledger, NodeDelivery};
use gateway_agent::xds::metrics::XdsMetrics;
use gateway_agent::xds::service::{XdsOptions, XdsServer};
use gateway_shared::xds::table::ResourceType::{Cluster, Listener, Route, Secret};
use gateway_shared::xds::table::{Resource, ResourceType, Table};
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Code, Streaming};

struct Running {
    cache: SnapshotCache,
    ledger: Ledger,
    registry: prometheus_client::registry::Registry,
    channel: Channel,
    stop: Option<oneshot::Sender<()>>,
    server: tokio::task::JoinHandle<()>,
}

async fn start() -> Running {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (cache, ledger) = (SnapshotCache::new(), Ledger::new());
    let mut registry = prometheus_client::registry::Registry::default();
    let metrics = XdsMetrics::new(&mut registry);
    let options = XdsOptions { hold_limit: Duration::from_millis(700), ..XdsOptions::default() };
    let server = XdsServer::new(cache.clone(), ledger.clone(), metrics, options);
    let (stop, stopped) = oneshot::channel::<()>();
    let server = tokio::spawn(async move { server.serve(listener, async { drop(stopped.await) }).await.unwrap() });
    let channel = Channel::from_shared(format!("http://{address}")).unwrap().connect().await.unwrap();
    Running { cache, ledger, registry, channel, stop: Some(stop), server }
}

impl Running {
    fn publish(&self, resources: &[(ResourceType, &str, &'static [u8])]) {
        let mut table = Table::default();
        for (kind, name, body) in resources {
            table.of_mut(*kind).insert(Arc::new(Resource::new(*name, *body)));
        }
        self.cache.publish(&Arc::from("infra/edge"), Arc::new(table), SystemTime::now());
    }

    async fn delta(&self) -> Delta {
        let (requests, receiver) = mpsc::channel(8);
        let responses = AggregatedDiscoveryServiceClient::new(self.channel.clone())
            .delta_aggregated_resources(ReceiverStream::new(receiver))
            .await
            .unwrap()
            .into_inner();
        Delta { requests, responses, introduced: false }
    }

    /// The only proxy, once `done` holds for it.
    async fn proxy(&self, done: impl Fn(&NodeDelivery) -> bool) -> NodeDelivery {
        for _ in 0..200 {
            if let Some(node) = self.ledger.read().into_iter().find(|node| done(node)) {
                return node;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("never came to that: {:?}", self.ledger.read())
    }
}

struct Delta {
    requests: mpsc::Sender<DeltaDiscoveryRequest>,
    responses: Streaming<DeltaDiscoveryResponse>,
    introduced: bool,
}

fn node() -> Option<Node> {
    Some(Node { id: "proxy-1".into(), cluster: "infra/edge".into(), ..Node::default() })
}

impl Delta {
    async fn send(&mut self, kind: ResourceType, request: DeltaDiscoveryRequest) {
        let node = if self.introduced { None } else { node() };
        self.introduced = true;
        let request = DeltaDiscoveryRequest { type_url: kind.type_url().into(), node, ..request };
        self.requests.send(request).await.unwrap();
    }

    async fn ask(&mut self, kind: ResourceType, names: &[&str]) {
        let resource_names_subscribe = names.iter().map(ToString::to_string).collect();
        self.send(kind, DeltaDiscoveryRequest { resource_names_subscribe, ..Default::default() }).await;
    }

    async fn answer(&mut self, response: &DeltaDiscoveryResponse, error: Option<&str>) {
        let kind = ResourceType::from_type_url(&response.type_url).unwrap();
        let error_detail = error.map(|text| WireStatus { message: text.into(), ..Default::default() });
        let response_nonce = response.nonce.clone();
        self.send(kind, DeltaDiscoveryRequest { response_nonce, error_detail, ..Default::default() }).await;
    }

    async fn next(&mut self) -> DeltaDiscoveryResponse {
        let next = tokio::time::timeout(Duration::from_secs(5), self.responses.message()).await;
        next.expect("no response came").unwrap().unwrap()
    }

    async fn nothing_for(&mut self, time: Duration) {
        let next = tokio::time::timeout(time, self.responses.message()).await;
        assert!(next.is_err(), "{next:?}");
    }
}

fn line(response: &DeltaDiscoveryResponse) -> String {
    let kind = ResourceType::from_type_url(&response.type_url).unwrap();
    let added = response.resources.iter().map(|it| format!(" +{}", it.name));
    let removed = response.removed_resources.iter().map(|it| format!(" -{it}"));
    kind.label().to_owned() + &added.chain(removed).collect::<String>()
}

#[tokio::test]
async fn a_proxy_waits_for_its_snapshot_and_is_in_the_ledger() {
    let running = start().await;
    let mut proxy = running.delta().await;
    proxy.ask(Cluster, &[]).await;
    proxy.nothing_for(Duration::from_millis(100)).await;
    assert_eq!(running.proxy(|_| true).await.snapshot, None);
    running.publish(&[(Cluster, "a", b"1"), (Listener, "l", b"1")]);
    let clusters = proxy.next().await;
    assert_eq!(line(&clusters), "cluster +a");
    let resource = clusters.resources.first().unwrap();
    assert_eq!(resource.version, Resource::new("a", &b"1"[..]).version_info());
    assert_eq!(resource.resource.as_ref().unwrap().value, b"1");
    proxy.answer(&clusters, None).await;
    proxy.ask(Listener, &[]).await;
    assert_eq!(line(&proxy.next().await), "listener +l");
    let page = running.proxy(|node| node.types.get(&Cluster).is_some_and(|it| it.acknowledged.is_some())).await;
    assert_eq!(page.snapshot, running.cache.get("infra/edge").map(|it| it.version.clone()));
    assert_eq!(page.types.get(&Cluster).unwrap().subscribed, 1);
    assert!(page.types.get(&Listener).unwrap().sent.is_some());

    drop(proxy);
    for _ in 0..200 {
        if running.ledger.read().is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the proxy is still in the ledger");
}

#[tokio::test]
async fn a_rejection_is_counted_and_kept_with_its_text() {
    let running = start().await;
    running.publish(&[(Route, "r", b"1")]);
    let mut proxy = running.delta().await;
    proxy.ask(Route, &["r"]).await;
    let first = proxy.next().await;
    proxy.answer(&first, Some("missing closing ): a(")).await;
    let page = running.proxy(|node| node.types.get(&Route).is_some_and(|it| it.rejected.is_some())).await;
    let rejection = page.types.get(&Route).unwrap().rejected.clone().unwrap();
    assert_eq!(rejection.text, "missing closing ): a(");
    assert_eq!(rejection.resources.iter().map(|it| &*it.name).collect::<Vec<_>>(), ["r"]);
    proxy.nothing_for(Duration::from_millis(100)).await;
    let mut text = String::new();
    prometheus_client::encoding::text::encode(&mut text, &running.registry).unwrap();
    let url = Route.type_url();
    assert!(text.contains(&format!("xds_nack_total{{nodeID=\"proxy-1\",typeURL=\"{url}\"}} 1")), "{text}");

    running.publish(&[(Route, "r", b"2")]);
    let second = proxy.next().await;
    proxy.answer(&second, None).await;
    running.proxy(|node| node.types.get(&Route).is_some_and(|it| it.rejected.is_none())).await;
}

#[tokio::test]
async fn a_route_waits_for_its_cluster_but_not_for_ever() {
    let running = start().await;
    running.publish(&[(Route, "r", b"1")]);
    let mut proxy = running.delta().await;
    proxy.ask(Cluster, &[]).await;
    let clusters = proxy.next().await;
    proxy.answer(&clusters, None).await;
    proxy.ask(Route, &["r"]).await;
    let routes = proxy.next().await;
    proxy.answer(&routes, None).await;
    running.publish(&[(Cluster, "b", b"1"), (Route, "r", b"\x0a\x01b")]);
    assert_eq!(line(&proxy.next().await), "cluster +b");
    proxy.nothing_for(Duration::from_millis(200)).await;
    let page = running.proxy(|node| node.types.get(&Route).is_some_and(|it| !it.held.is_empty())).await;
    let held = page.types.get(&Route).unwrap().held.first().unwrap().clone();
    assert_eq!((&*held.name, held.because.as_str()), ("r", "cluster b is not acknowledged yet"));
    // The limit of this server is short; time alone lets the route go.
    assert_eq!(line(&proxy.next().await), "route configuration +r");
}

#[tokio::test]
async fn a_reconnecting_proxy_is_sent_only_what_it_lacks() {
    let running = start().await;
    running.publish(&[(Cluster, "a", b"1"), (Cluster, "b", b"2")]);
    let mut proxy = running.delta().await;
    let versions = BTreeMap::from([("a", &b"1"[..]), ("b", b"old")]);
    let initial_resource_versions =
        versions.into_iter().map(|(name, body)| (name.to_owned(), Resource::new(name, body).version_info())).collect();
    proxy.send(Cluster, DeltaDiscoveryRequest { initial_resource_versions, ..Default::default() }).await;
    assert_eq!(line(&proxy.next().await), "cluster +b");
}

#[tokio::test]
async fn a_removed_key_empties_its_proxies() {
    let running = start().await;
    running.publish(&[(Listener, "l", b"1")]);
    let mut proxy = running.delta().await;
    proxy.ask(Listener, &[]).await;
    let listeners = proxy.next().await;
    proxy.answer(&listeners, None).await;
    running.cache.remove("infra/edge", SystemTime::now());
    assert_eq!(line(&proxy.next().await), "listener -l");
}

#[tokio::test]
async fn a_stream_without_node_id_is_refused_alone() {
    let running = start().await;
    running.publish(&[(Cluster, "a", b"1")]);
    let mut good = running.delta().await;
    good.ask(Cluster, &[]).await;
    good.next().await;
    let mut bad = running.delta().await;
    bad.introduced = true;
    bad.ask(Cluster, &[]).await;
    let status = bad.responses.message().await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("node.id"), "{status:?}");
    running.publish(&[(Cluster, "a", b"2")]);
    assert_eq!(line(&good.next().await), "cluster +a");
}

#[tokio::test]
async fn sotw_on_ads_and_on_a_single_type_service() {
    let running = start().await;
    running.publish(&[(Cluster, "a", b"1"), (Secret, "s", b"1")]);
    let request = |kind: ResourceType, names: &[&str]| DiscoveryRequest {
        node: node(),
        type_url: kind.type_url().into(),
        resource_names: names.iter().map(ToString::to_string).collect(),
        ..DiscoveryRequest::default()
    };
    let names = |response: &DiscoveryResponse| response.resources.len();

    let (requests, receiver) = mpsc::channel(8);
    let mut ads = AggregatedDiscoveryServiceClient::new(running.channel.clone())
        .stream_aggregated_resources(ReceiverStream::new(receiver))
        .await
        .unwrap()
        .into_inner();
    requests.send(request(Cluster, &[])).await.unwrap();
    let response = ads.message().await.unwrap().unwrap();
    assert_eq!((response.type_url.as_str(), names(&response)), (Cluster.type_url(), 1));

    let (requests, receiver) = mpsc::channel(8);
    let mut sds = SecretDiscoveryServiceClient::new(running.channel.clone())
        .stream_secrets(ReceiverStream::new(receiver))
        .await
        .unwrap()
        .into_inner();
    requests.send(request(Secret, &["s"])).await.unwrap();
    let response = sds.message().await.unwrap().unwrap();
    assert_eq!((response.type_url.as_str(), names(&response)), (Secret.type_url(), 1));
    requests.send(request(Cluster, &[])).await.unwrap();
    assert_eq!(sds.message().await.unwrap_err().code(), Code::InvalidArgument);
}

#[tokio::test]
async fn a_stopping_server_ends_its_streams() {
    let mut running = start().await;
    running.publish(&[(Cluster, "a", b"1")]);
    let mut proxy = running.delta().await;
    proxy.ask(Cluster, &[]).await;
    proxy.next().await;
    drop(running.stop.take());
    assert_eq!(proxy.responses.message().await.unwrap_err().code(), Code::Unavailable);
    drop(proxy);
    drop(running.channel);
    tokio::time::timeout(Duration::from_secs(5), running.server).await.unwrap().unwrap();
}
