//! A client that asks for configuration as Envoy does: one delta stream, clusters and listeners all, everything else by
//! the names these mention, each response acknowledged.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use envoy_types::pb::envoy::config::core::v3::Node;
use envoy_types::pb::envoy::service::discovery::v3::aggregated_discovery_service_client::AggregatedDiscoveryServiceClient;
use envoy_types::pb::envoy::service::discovery::v3::{DeltaDiscoveryRequest, DeltaDiscoveryResponse};
use envoy_types::pb::google::rpc::Status;
use gateway_shared::xds::json::to_json;
use gateway_shared::xds::table::{Resource, ResourceType, Table};
use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;

use crate::wait::PATIENCE;

/// A connected client. The stream ends when it is dropped.
#[derive(Debug)]
pub struct XdsClient {
    received: watch::Receiver<Received>,
    task: JoinHandle<()>,
}

/// What a client has.
#[derive(Clone, Debug, Default)]
pub struct Received {
    resources: BTreeMap<ResourceType, BTreeMap<String, (String, Arc<Value>)>>,
    /// Every response so far, in order.
    pub responses: Vec<Delivered>,
    /// Why the stream ended, where it has.
    pub ended: Option<String>,
}

/// One response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// The type.
    pub kind: ResourceType,
    /// New and changed resources.
    pub updated: Vec<String>,
    /// Removed ones.
    pub removed: Vec<String>,
}

impl Received {
    /// All resources of one type, by name, in the JSON form of their messages.
    pub fn of(&self, kind: ResourceType) -> impl Iterator<Item = (&str, &Value)> {
        self.resources.get(&kind).into_iter().flatten().map(|(name, (_, value))| (name.as_str(), &**value))
    }

    /// One resource.
    #[must_use]
    pub fn get(&self, kind: ResourceType, name: &str) -> Option<&Value> {
        self.resources.get(&kind)?.get(name).map(|(_, value)| &**value)
    }

    /// Whether this is all of `table`, and nothing else.
    #[must_use]
    pub fn is(&self, table: &Table) -> bool {
        ResourceType::ALL.iter().all(|kind| {
            let has = self.resources.get(kind).into_iter().flatten();
            let has: BTreeSet<_> = has.map(|(name, (version, _))| (name.clone(), version.clone())).collect();
            let should: BTreeSet<_> =
                table.of(*kind).iter().map(|resource| (resource.name.to_string(), resource.version_info())).collect();
            has == should
        })
    }
}

impl XdsClient {
    /// Connects as a proxy of the fleet `ir_key`.
    #[must_use]
    pub fn connect(server: SocketAddr, ir_key: &str) -> Self {
        let (sender, received) = watch::channel(Received::default());
        let cluster = ir_key.to_owned();
        let task = tokio::spawn(async move {
            if let Err(error) = converse(server, cluster, &sender).await {
                sender.send_modify(|received| received.ended = Some(format!("{error:#}")));
            }
        });
        Self { received, task }
    }

    /// What it has, once `holds` says so of it.
    ///
    /// # Panics
    /// When that never comes.
    pub async fn until(&mut self, what: &str, mut holds: impl FnMut(&Received) -> bool) -> Received {
        let waited = tokio::time::timeout(PATIENCE, self.received.wait_for(|received| holds(received))).await;
        let found = waited.ok().and_then(Result::ok).map(|found| found.clone());
        if let Some(found) = found {
            return found;
        }
        panic!("{what}: never came to that: {:#?}", *self.received.borrow())
    }
}

impl Drop for XdsClient {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The conversation on one stream.
struct Conversation<'a> {
    requests: mpsc::Sender<DeltaDiscoveryRequest>,
    node: Option<Node>,
    subscribed: BTreeMap<ResourceType, BTreeSet<String>>,
    received: &'a watch::Sender<Received>,
}

async fn converse(server: SocketAddr, cluster: String, received: &watch::Sender<Received>) -> anyhow::Result<()> {
    let mut client = AggregatedDiscoveryServiceClient::connect(format!("http://{server}"))
        .await?
        .max_decoding_message_size(256 << 20);
    let (requests, receiver) = mpsc::channel(64);
    let node = Some(Node { id: "client-under-test".to_owned(), cluster, ..Node::default() });
    let mut conversation = Conversation { requests, node, subscribed: BTreeMap::new(), received };
    for kind in [ResourceType::Cluster, ResourceType::Listener] {
        conversation.send(kind, DeltaDiscoveryRequest::default()).await?;
    }
    let mut responses = client.delta_aggregated_resources(ReceiverStream::new(receiver)).await?.into_inner();
    while let Some(response) = responses.message().await? {
        conversation.response(response).await?;
    }
    Err(anyhow!("the server ended the stream"))
}

impl Conversation<'_> {
    async fn send(&mut self, kind: ResourceType, request: DeltaDiscoveryRequest) -> anyhow::Result<()> {
        let request = DeltaDiscoveryRequest { type_url: kind.type_url().to_owned(), node: self.node.take(), ..request };
        self.requests.send(request).await.context("the stream is closed")
    }

    /// Takes a response in, subscribes to what it mentions, and acknowledges it.
    async fn response(&mut self, response: DeltaDiscoveryResponse) -> anyhow::Result<()> {
        let kind = ResourceType::from_type_url(&response.type_url).context("a type nobody asked for")?;
        let mut decoded = Vec::new();
        let mut faults = Vec::new();
        for resource in &response.resources {
            let body = resource.resource.as_ref().map(|any| any.value.clone()).unwrap_or_default();
            match to_json(kind, &Resource::new(resource.name.as_str(), body)) {
                Ok(value) => decoded.push((resource.name.clone(), resource.version.clone(), value)),
                Err(error) => faults.push(format!("{}: {error}", resource.name)),
            }
        }
        let error_detail =
            (!faults.is_empty()).then(|| Status { code: 13, message: faults.join("; "), details: vec![] });
        let delivered = Delivered {
            kind,
            updated: response.resources.iter().map(|resource| resource.name.clone()).collect(),
            removed: response.removed_resources.clone(),
        };
        let wanted = {
            let mut wanted = BTreeMap::new();
            self.received.send_modify(|received| {
                received.responses.push(delivered);
                let has = received.resources.entry(kind).or_default();
                for (name, version, value) in decoded {
                    has.insert(name, (version, Arc::new(value)));
                }
                for name in &response.removed_resources {
                    has.remove(name);
                }
                wanted = mentioned(received);
                // What nothing mentions any more is forgotten, as Envoy does.
                for (kind, names) in &wanted {
                    if let Some(has) = received.resources.get_mut(kind) {
                        has.retain(|name, _| names.contains(name));
                    }
                }
            });
            wanted
        };
        for (kind, names) in wanted {
            let before = self.subscribed.insert(kind, names.clone()).unwrap_or_default();
            let resource_names_subscribe: Vec<String> = names.difference(&before).cloned().collect();
            let resource_names_unsubscribe: Vec<String> = before.difference(&names).cloned().collect();
            if !resource_names_subscribe.is_empty() || !resource_names_unsubscribe.is_empty() {
                let request = DeltaDiscoveryRequest {
                    resource_names_subscribe,
                    resource_names_unsubscribe,
                    ..DeltaDiscoveryRequest::default()
                };
                self.send(kind, request).await?;
            }
        }
        let answer =
            DeltaDiscoveryRequest { response_nonce: response.nonce, error_detail, ..DeltaDiscoveryRequest::default() };
        self.send(kind, answer).await
    }
}

/// The names of endpoints, route configurations and secrets that clusters and listeners mention.
fn mentioned(received: &Received) -> BTreeMap<ResourceType, BTreeSet<String>> {
    let mut names: BTreeMap<ResourceType, BTreeSet<String>> = BTreeMap::new();
    for (name, cluster) in received.of(ResourceType::Cluster) {
        if cluster.get("type").and_then(Value::as_str) == Some("EDS") {
            let service = cluster.pointer("/edsClusterConfig/serviceName").and_then(Value::as_str).unwrap_or(name);
            names.entry(ResourceType::Endpoints).or_default().insert(service.to_owned());
        }
        names_in(cluster, &mut names);
    }
    for (_, listener) in received.of(ResourceType::Listener) {
        names_in(listener, &mut names);
    }
    for kind in [ResourceType::Endpoints, ResourceType::Route, ResourceType::Secret] {
        names.entry(kind).or_default();
    }
    names
}

/// Collects, at any depth, `sdsConfig` beside `name` and `rds.routeConfigName`.
fn names_in(value: &Value, names: &mut BTreeMap<ResourceType, BTreeSet<String>>) {
    match value {
        Value::Object(members) => {
            if members.contains_key("sdsConfig")
                && let Some(name) = members.get("name").and_then(Value::as_str)
            {
                names.entry(ResourceType::Secret).or_default().insert(name.to_owned());
            }
            if let Some(name) = members.get("rds").and_then(|rds| rds.get("routeConfigName")).and_then(Value::as_str) {
                names.entry(ResourceType::Route).or_default().insert(name.to_owned());
            }
            for member in members.values() {
                names_in(member, names);
            }
        }
        Value::Array(entries) => {
            for entry in entries {
                names_in(entry, names);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
