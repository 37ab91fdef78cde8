//! The webhook that tells proxies the zone of their node: when a pod of a fleet is bound to a node, the binding gets the
//! zone as an annotation, which the API server hands on to the pod, where the proxy's environment takes it from.
//!
//! It never refuses anything: a proxy without its zone is better than none.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

use anyhow::Context as _;
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::post;
use axum::serve::Listener;
use bytes::Bytes;
use gateway_shared::names::{FLEET_LABELS, OWNING_GATEWAY_CLASS, OWNING_GATEWAY_NAME};
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::Client;
use kube::api::Api;
use kube::core::DynamicObject;
use kube::core::admission::{AdmissionRequest, AdmissionResponse, AdmissionReview};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::metrics::Metrics;
use crate::tls::connection::Connection;
use crate::tls::incoming::{incoming, open};
use crate::tls::material::{Peers, keep_fresh};

/// The port it listens on, as the webhook's configuration says.
const PORT: u16 = 9443;
/// The path it is asked at.
const PATH: &str = "/inject-pod-topology";
/// The label of nodes, and the annotation of pods.
const ZONE: &str = "topology.kubernetes.io/zone";

/// How one binding went.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Event {
    status: &'static str,
}

/// The webhook.
#[derive(Clone)]
pub struct TopologyWebhook {
    client: Client,
    events: Family<Event, Counter>,
}

impl TopologyWebhook {
    /// Serves until `stop`, with the certificate in a directory. What keeps it from doing so is said and no more: fleets
    /// come up all the same.
    pub fn start(
        client: Client,
        certificates: PathBuf,
        metrics: &Metrics,
        tasks: &TaskTracker,
        stop: &CancellationToken,
    ) {
        let events = Family::default();
        metrics.with_registry(|registry| {
            let help = "Bindings of pods the topology webhook was asked about";
            registry.register("topology_injector_webhook_events", help, events.clone());
        });
        let (webhook, tracker, stop) = (Self { client, events }, tasks.clone(), stop.clone());
        tasks.spawn(async move {
            if let Err(error) = webhook.serve(certificates, &tracker, stop).await {
                tracing::warn!("the topology webhook isn't served, so proxies don't know their zone: {error:#}");
            }
        });
    }

    async fn serve(self, certificates: PathBuf, tasks: &TaskTracker, stop: CancellationToken) -> anyhow::Result<()> {
        let any = [IpAddr::V6(Ipv6Addr::UNSPECIFIED), IpAddr::V4(Ipv4Addr::UNSPECIFIED)];
        let listener = TcpListener::bind(&any.map(|ip| SocketAddr::new(ip, PORT))[..])
            .await
            .with_context(|| format!("can't listen on port {PORT}"))?;
        let address = listener.local_addr()?;
        // The API server shows no certificate: what it asks is no secret, and what it is told it may have.
        let (current, refresh) = keep_fresh(certificates, watch::channel(Peers::Anyone).1, stop.clone())?;
        tasks.spawn(refresh);
        let connections = incoming(listener, open(current), || {}, stop.clone());
        let router = Router::new().route(PATH, post(inject)).with_state(self);
        let encrypted = Encrypted { address, connections };
        axum::serve(encrypted, router).with_graceful_shutdown(stop.cancelled_owned()).await?;
        Ok(())
    }

    /// The zone of the node that `binding` names, if it is about a proxy; otherwise why not.
    async fn zone(&self, request: &AdmissionRequest<DynamicObject>) -> Result<String, Skipped> {
        let binding = request.object.as_ref().ok_or(Skipped::NoAction)?;
        let node = binding.data.pointer("/target/name").and_then(Value::as_str).filter(|node| !node.is_empty());
        let (Some(node), Some(namespace)) = (node, &request.namespace) else { return Err(Skipped::NoAction) };
        let failed = |what: &str, error: &kube::Error| {
            tracing::warn!(pod = request.name, node, %error, "a proxy won't know its zone: {what} can't be looked up");
            Skipped::Failed
        };
        let pods = Api::<Pod>::namespaced(self.client.clone(), namespace);
        let pod = pods.get_metadata(&request.name).await.map_err(|error| failed("its pod", &error))?;
        let label = |name: &str| pod.metadata.labels.as_ref()?.get(name).map(String::as_str);
        if !is_proxy(label) {
            return Err(Skipped::NoAction);
        }
        let nodes = Api::<Node>::all(self.client.clone());
        let node = nodes.get_metadata(node).await.map_err(|error| failed("its node", &error))?;
        node.metadata.labels.and_then(|mut labels| labels.remove(ZONE)).ok_or(Skipped::NoAction)
    }
}

/// Why nothing is injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Skipped {
    /// There is nothing to do.
    NoAction,
    /// Something could not be looked up.
    Failed,
}

async fn inject(State(webhook): State<TopologyWebhook>, body: Bytes) -> Result<impl IntoResponse, StatusCode> {
    let review: AdmissionReview<DynamicObject> =
        serde_json::from_slice(&body).map_err(|_| StatusCode::UNPROCESSABLE_ENTITY)?;
    let request: AdmissionRequest<DynamicObject> = review.try_into().map_err(|_| StatusCode::BAD_REQUEST)?;
    let mut response = AdmissionResponse::from(&request);
    let status = match webhook.zone(&request).await {
        Ok(zone) => {
            let annotated = request.object.as_ref().is_some_and(|binding| binding.metadata.annotations.is_some());
            let patch =
                serde_json::from_value(patch(annotated, &zone)).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
            response = response.with_patch(patch).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
            "success"
        }
        Err(Skipped::NoAction) => "no_action",
        Err(Skipped::Failed) => "failure",
    };
    webhook.events.get_or_create(&Event { status }).inc();
    let answer = serde_json::to_vec(&response.into_review()).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], answer))
}

/// Whether a pod is a proxy of some fleet.
fn is_proxy<'a>(label: impl Fn(&str) -> Option<&'a str>) -> bool {
    let owned = |name| label(name).is_some_and(|value| !value.is_empty());
    FLEET_LABELS.iter().all(|(name, value)| label(name) == Some(*value))
        && (owned(OWNING_GATEWAY_NAME) || owned(OWNING_GATEWAY_CLASS))
}

/// What is done to a binding. The zone is quoted: it becomes part of a document.
fn patch(annotated: bool, zone: &str) -> Value {
    let zone = Value::from(zone).to_string();
    if annotated {
        json!([{ "op": "add", "path": format!("/metadata/annotations/{}", ZONE.replace('/', "~1")), "value": zone }])
    } else {
        json!([{ "op": "add", "path": "/metadata/annotations", "value": { ZONE: zone } }])
    }
}

/// Connections whose handshake is done, as a listener.
struct Encrypted {
    address: SocketAddr,
    connections: ReceiverStream<io::Result<Connection<TcpStream>>>,
}

impl Listener for Encrypted {
    type Io = Connection<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            match self.connections.next().await {
                Some(Ok(connection)) => return (connection, self.address),
                Some(Err(_)) => {}
                None => std::future::pending().await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        Ok(self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_that_are_there_stay() {
        assert_eq!(
            patch(true, "a"),
            json!([{"op": "add", "path": "/metadata/annotations/topology.kubernetes.io~1zone", "value": "\"a\""}])
        );
        assert_eq!(
            patch(false, "a"),
            json!([{"op": "add", "path": "/metadata/annotations", "value": {"topology.kubernetes.io/zone": "\"a\""}}])
        );
    }

    #[test]
    fn only_proxies_are_told() {
        let pod = |owner: &'static str| {
            move |name: &str| match name {
                "app.kubernetes.io/component" => Some("proxy"),
                "app.kubernetes.io/managed-by" => Some("envoy-gateway"),
                "app.kubernetes.io/name" => Some("envoy"),
                name if name == owner => Some("x"),
                _ => None,
            }
        };
        assert!(is_proxy(pod("gateway.envoyproxy.io/owning-gateway-name")));
        assert!(is_proxy(pod("gateway.envoyproxy.io/owning-gatewayclass")));
        assert!(!is_proxy(pod("app")));
        assert!(!is_proxy(|name| pod("gateway.envoyproxy.io/owning-gateway-name")(name).filter(|it| *it != "envoy")));
    }
}
