//! Streams over real gRPC whose token is checked: every service, either dialect.

use std::sync::Arc;

use envoy_types::pb::envoy::config::core::v3::Node;
use envoy_types::pb::envoy::service::cluster::v3::cluster_discovery_service_client::ClusterDiscoveryServiceClient;
use envoy_types::pb::envoy::service::discovery::v3::aggregated_discovery_service_client::AggregatedDiscoveryServiceClient;
use envoy_types::pb::envoy::service::discovery::v3::{DeltaDiscoveryRequest, DiscoveryRequest};
use gateway_shared::xds::table::ResourceType;
use prometheus_client::registry::Registry;
use tokio::net::TcpListener;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use crate::xds::authentication::{Answer, Authentication, Bearer, Refusal};
use crate::xds::cache::SnapshotCache;
use crate::xds::ledger::Ledger;
use crate::xds::metrics::XdsMetrics;
use crate::xds::service::{XdsOptions, XdsServer};

/// A server that knows one token: that of the pod `edge-1` of the Gateway `shop/edge`.
async fn server() -> (Channel, Ledger) {
    let review = |token: String| -> Answer<Result<Result<Bearer, Refusal>, String>> {
        let known = Bearer { namespace: "shop".into(), account: "edge".into(), pod: Some("edge-1".into()) };
        Box::pin(async move { Ok(if token == "good" { Ok(known) } else { Err(Refusal::Invalid("signature".into())) }) })
    };
    let authentication = Some(Authentication::new(Arc::new(review), Arc::new(|_: &str| None)));
    let options = XdsOptions { authentication, ..XdsOptions::default() };
    let (ledger, metrics) = (Ledger::new(), XdsMetrics::new(&mut Registry::default()));
    let server = XdsServer::new(SnapshotCache::new(), ledger.clone(), metrics, options);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(server.serve(listener, std::future::pending()));
    (Channel::from_shared(format!("http://{address}")).unwrap().connect().await.unwrap(), ledger)
}

fn node(ir_key: &str) -> Option<Node> {
    Some(Node { id: "edge-1".into(), cluster: ir_key.into(), ..Node::default() })
}

fn with_token<M>(message: M, token: Option<&str>) -> Request<tokio_stream::Iter<std::vec::IntoIter<M>>> {
    let mut request = Request::new(tokio_stream::iter(vec![message]));
    if let Some(token) = token {
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    }
    request
}

/// How the stream of each service and dialect ends.
async fn endings(channel: &Channel, token: Option<&str>, ir_key: &str) -> Vec<Result<(), Code>> {
    let type_url = ResourceType::Cluster.type_url().to_owned();
    let sotw = || DiscoveryRequest { node: node(ir_key), type_url: type_url.clone(), ..DiscoveryRequest::default() };
    let delta =
        || DeltaDiscoveryRequest { node: node(ir_key), type_url: type_url.clone(), ..DeltaDiscoveryRequest::default() };
    let ended = |message: Result<Option<()>, Status>| message.map(drop).map_err(|status| status.code());
    let mut ads = AggregatedDiscoveryServiceClient::new(channel.clone());
    let mut cds = ClusterDiscoveryServiceClient::new(channel.clone());
    let mut streams = Vec::new();
    let mut stream = ads.stream_aggregated_resources(with_token(sotw(), token)).await.unwrap().into_inner();
    streams.push(ended(stream.message().await.map(|it| it.map(drop))));
    let mut stream = ads.delta_aggregated_resources(with_token(delta(), token)).await.unwrap().into_inner();
    streams.push(ended(stream.message().await.map(|it| it.map(drop))));
    let mut stream = cds.stream_clusters(with_token(sotw(), token)).await.unwrap().into_inner();
    streams.push(ended(stream.message().await.map(|it| it.map(drop))));
    let mut stream = cds.delta_clusters(with_token(delta(), token)).await.unwrap().into_inner();
    streams.push(ended(stream.message().await.map(|it| it.map(drop))));
    streams
}

#[tokio::test]
async fn no_stream_of_any_service_gets_around_the_token() {
    let (channel, ledger) = server().await;
    let refused = vec![Err(Code::Unauthenticated); 4];
    assert_eq!(endings(&channel, None, "shop/edge").await, refused);
    assert_eq!(endings(&channel, Some("forged"), "shop/edge").await, refused);
    assert_eq!(endings(&channel, Some("good"), "bank/vault").await, refused);
    assert!(ledger.read().is_empty(), "who was refused was never connected");
    assert_eq!(endings(&channel, Some("good"), "shop/edge").await, vec![Ok(()); 4]);
}
