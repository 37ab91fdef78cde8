//! Watching what fleets are made of, and what their addresses are read off.

use std::collections::BTreeSet;
use std::pin::pin;
use std::time::Instant;

use gateway_shared::infra::object::InfraKind;
use gateway_shared::names::{FLEET_COMPONENT, FLEET_MANAGED_BY};
use kube::Client;
use kube::api::Api;
use kube::core::{ApiResource, DynamicObject};
use kube::runtime::watcher::{self, Event, watcher};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_stream::StreamExt as _;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::existing::Existing;
use super::kinds::{Id, KINDS, resource, word};
use super::nodes::{Endpoints, NodeAddresses};
use super::words;
use crate::watching::{self, Retries};

/// The Secret of our namespace that holds what proxies need for xDS, as `gateway-agent certgen` makes it.
const PROXY_SECRET: &str = "envoy";

/// Something that a watch saw.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Seen {
    /// Objects of fleets.
    Objects(Source, Change<Id, Existing>),
    /// The authority proxies trust (PEM).
    Authority(Change<(), String>),
    /// Nodes, by name.
    Nodes(Change<String, NodeAddresses>),
    /// EndpointSlices of fleets' Services.
    Endpoints(Source, Change<(String, String), Endpoints>),
}

/// One watch: a kind, in one namespace or in all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Source {
    /// The kind; none for what is no part of a fleet.
    pub(super) kind: Option<InfraKind>,
    /// The namespace.
    pub(super) namespace: Option<String>,
}

/// What changed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change<K, V> {
    /// This is all there is.
    All(Vec<(K, V)>),
    /// One is new or another.
    Set(K, V),
    /// One is gone.
    Gone(K),
    /// Nothing is seen at the moment, and why.
    Blind(String),
}

/// Where fleets are watched.
#[derive(Clone)]
pub(super) struct Watches {
    /// The API server.
    pub(super) client: Client,
    /// The namespaces; none means all of them.
    pub(super) namespaces: BTreeSet<String>,
    /// Who is told.
    pub(super) tell: mpsc::Sender<Seen>,
    /// Where watches run.
    pub(super) tasks: TaskTracker,
    /// When they end.
    pub(super) stop: CancellationToken,
}

impl Watches {
    /// Watches the objects of fleets. Gives the watches there are.
    pub(super) fn fleets(&self) -> Vec<Source> {
        let mut sources = Vec::new();
        for kind in KINDS {
            for namespace in self.scopes() {
                let source = Source { kind: Some(kind), namespace };
                sources.push(source.clone());
                self.follow(
                    &resource(kind),
                    source.namespace.clone().as_deref(),
                    ours(),
                    move |object| Existing::read(kind, object),
                    move |change| Seen::Objects(source.clone(), change),
                    word(kind),
                );
            }
        }
        sources
    }

    /// Watches the authority that proxies outside of our namespace need a copy of.
    pub(super) fn authority(&self, namespace: &str) {
        let only = watching::config().fields(&format!("metadata.name={PROXY_SECRET}"));
        let read = |object: DynamicObject| {
            let encoded = object.data.pointer("/data/ca.crt")?.as_str()?;
            let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, encoded).ok()?;
            Some(((), String::from_utf8(bytes).ok()?))
        };
        let secrets = core("Secret");
        self.follow(&secrets, Some(namespace), only, read, Seen::Authority, "the Secret envoy");
    }

    /// Watches what the addresses of NodePort Services are read off.
    pub(super) fn nodes(&self) {
        self.follow(&core("Node"), None, watching::config(), NodeAddresses::read, Seen::Nodes, "Nodes");
        let slices =
            ApiResource::from_gvk(&kube::core::GroupVersionKind::gvk("discovery.k8s.io", "v1", "EndpointSlice"));
        for namespace in self.scopes() {
            let source = Source { kind: None, namespace };
            // They carry the labels of their Service.
            self.follow(
                &slices,
                source.namespace.clone().as_deref(),
                ours(),
                Endpoints::read,
                move |change| Seen::Endpoints(source.clone(), change),
                "EndpointSlices",
            );
        }
    }

    fn scopes(&self) -> Vec<Option<String>> {
        if self.namespaces.is_empty() { vec![None] } else { self.namespaces.iter().cloned().map(Some).collect() }
    }

    fn follow<K: Send + 'static, V: Send + 'static>(
        &self,
        resource: &ApiResource,
        namespace: Option<&str>,
        config: watcher::Config,
        read: impl Fn(DynamicObject) -> Option<(K, V)> + Send + 'static,
        seen: impl Fn(Change<K, V>) -> Seen + Send + 'static,
        what: &'static str,
    ) {
        let api: Api<DynamicObject> = match namespace {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, resource),
            None => Api::all_with(self.client.clone(), resource),
        };
        let (tell, stop) = (self.tell.clone(), self.stop.clone());
        self.tasks.spawn(async move {
            let mut events = pin!(watcher(api, config));
            let mut retries = Retries::default();
            let mut listed = Vec::new();
            loop {
                let event = tokio::select! {
                    () = stop.cancelled() => return,
                    event = events.next() => event,
                };
                let change = match event {
                    None => return,
                    Some(Ok(Event::Init)) => {
                        listed.clear();
                        continue;
                    }
                    Some(Ok(Event::InitApply(object))) => {
                        listed.extend(read(trimmed(object)));
                        continue;
                    }
                    Some(Ok(Event::InitDone)) => Change::All(std::mem::take(&mut listed)),
                    Some(Ok(Event::Apply(object))) => match read(trimmed(object)) {
                        Some((key, value)) => Change::Set(key, value),
                        None => continue,
                    },
                    Some(Ok(Event::Delete(object))) => match read(trimmed(object)) {
                        Some((key, _)) => Change::Gone(key),
                        None => continue,
                    },
                    Some(Err(error)) => Change::Blind(words::unseen(what, &error)),
                };
                let failed = matches!(change, Change::Blind(_));
                if tell.send(seen(change)).await.is_err() {
                    return;
                }
                if failed && stop.run_until_cancelled(tokio::time::sleep(retries.wait(Instant::now()))).await.is_none()
                {
                    return;
                }
            }
        });
    }
}

/// The objects Envoy Gateway makes for proxies, whoever's they are.
fn ours() -> watcher::Config {
    let ((managed_by, us), (component, proxy)) = (FLEET_MANAGED_BY, FLEET_COMPONENT);
    watching::config().labels(&format!("{managed_by}={us},{component}={proxy}"))
}

fn core(kind: &str) -> ApiResource {
    ApiResource::from_gvk(&kube::core::GroupVersionKind::gvk("", "v1", kind))
}

/// Who set which field is half of an object, and nothing here asks for it.
fn trimmed(mut object: DynamicObject) -> DynamicObject {
    object.metadata.managed_fields = None;
    if object.data.is_null() {
        object.data = Value::Object(serde_json::Map::new());
    }
    object
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use hyper::{Request, Response, StatusCode};
    use kube::client::Body;

    use super::*;

    /// An API server that is away for so many lists and has nothing then. The queries of watches go to `asked`.
    fn away_for(lists: usize, asked: Arc<Mutex<Vec<String>>>) -> Client {
        let left = Arc::new(AtomicUsize::new(lists));
        let answer = move |request: Request<Body>| {
            let (left, asked) = (Arc::clone(&left), Arc::clone(&asked));
            async move {
                let query = request.uri().query().unwrap_or_default().to_owned();
                if query.contains("watch=") {
                    asked.lock().unwrap().push(query);
                    std::future::pending::<()>().await;
                }
                let away = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
                let list =
                    r#"{"apiVersion": "v1", "kind": "SecretList", "metadata": {"resourceVersion": "1"}, "items": []}"#;
                let mut response = Response::new(Body::from(list.as_bytes().to_vec()));
                if away {
                    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
                }
                Ok::<_, Infallible>(response)
            }
        };
        Client::new(tower::service_fn(answer), "default")
    }

    #[tokio::test]
    async fn after_an_outage_fleets_are_seen_as_soon_as_what_they_are_made_from() {
        let asked = Arc::default();
        let (tell, mut told) = mpsc::channel(16);
        let watches = Watches {
            client: away_for(4, Arc::clone(&asked)),
            namespaces: BTreeSet::new(),
            tell,
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        };
        watches.authority("gateway-system");
        let listed = async {
            while let Some(seen) = told.recv().await {
                if matches!(seen, Seen::Authority(Change::All(_))) {
                    return;
                }
            }
        };
        // Four waits: 0.1, 0.2, 0.4 and 0.8 s, each up to half as long again.
        tokio::time::timeout(Duration::from_secs(4), listed).await.expect("it isn't tried again soon");
        let watching = async {
            while asked.lock().unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(4), watching).await.expect("it isn't watched");
        let asked = asked.lock().unwrap();
        assert!(asked[0].contains("timeoutSeconds=120"), "{asked:?}");
    }
}
