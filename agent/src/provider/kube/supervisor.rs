//! Keeps one watch running for every kind there is, and notices kinds that come and go.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::core::PartialObjectMeta;
use kube::runtime::watcher::{self, watcher};
use kube::{Api, Client, ResourceExt as _};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio_stream::StreamExt as _;
use tokio_util::sync::CancellationToken;
use tracing::{debug, info};

use super::discovery::{self, Plan};
use super::health::{Health, Trouble};
use super::registry::{WATCHED, Watched};
use super::seen::Seen;
use super::store::{Event, Source};
use super::watch::Watch;
use crate::watching;

/// How often it is asked which kinds there are, while changes of CRDs are seen.
const SELDOM: Duration = Duration::from_mins(1);
/// How often, while they aren't, because we may not watch CRDs.
const OFTEN: Duration = Duration::from_secs(5);
/// How often after a CRD has changed, or without an answer: what the API server says about kinds lags behind its CRDs.
const SOON: Duration = Duration::from_secs(1);
/// How many times it is asked soon after a CRD has changed.
const TIMES: u32 = 5;
/// From this minor version on API servers stream lists, unless it is switched off.
const STREAMS_LISTS: u32 = 32;

/// Asking which kinds there are fares like a watch of their definitions.
const KINDS: Source = Source { kind: "CustomResourceDefinition", namespace: None };

/// Who keeps the watches running.
pub(super) struct Supervisor {
    /// The API server.
    pub(super) client: Client,
    /// The namespaces to watch; all of them if none is named.
    pub(super) namespaces: Vec<Arc<str>>,
    /// Where it is noted which versions are watched.
    pub(super) seen: Seen,
    /// The store.
    pub(super) events: mpsc::Sender<Event>,
    running: BTreeMap<Source, Running>,
    streaming: bool,
    health: Health,
    discover: Arc<Notify>,
}

struct Running {
    watched: &'static Watched,
    version: &'static str,
    task: JoinHandle<()>,
}

impl Supervisor {
    pub(super) fn new(client: Client, namespaces: Vec<Arc<str>>, seen: Seen, events: mpsc::Sender<Event>) -> Self {
        Self {
            client,
            namespaces,
            seen,
            events,
            running: BTreeMap::new(),
            streaming: false,
            health: Health::default(),
            discover: Arc::default(),
        }
    }

    /// Runs the watches until `stop`.
    pub(super) async fn run(mut self, stop: CancellationToken) {
        let sees_crds = Arc::new(AtomicBool::new(false));
        let crds = tokio::spawn(watch_crds(self.client.clone(), Arc::clone(&self.discover), Arc::clone(&sees_crds)));
        tokio::select! {
            () = stop.cancelled() => {}
            () = self.keep(&sees_crds) => {}
        }
        crds.abort();
        for (_, Running { task, .. }) in std::mem::take(&mut self.running) {
            task.abort();
        }
    }

    /// Asks again and again which kinds there are, and watches those.
    async fn keep(&mut self, sees_crds: &AtomicBool) {
        let mut soon = 0_u32;
        let mut known_version = false;
        loop {
            let wait = match self.look(&mut known_version).await {
                Ok(()) if soon > 0 => SOON,
                Ok(()) if sees_crds.load(Ordering::Relaxed) => SELDOM,
                Ok(()) => OFTEN,
                Err(error) => {
                    self.health.trouble(&KINDS, Trouble::of_answer(&error, false));
                    SOON
                }
            };
            soon = soon.saturating_sub(1);
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.discover.notified() => soon = TIMES,
                () = self.events.closed() => return,
            }
        }
    }

    async fn look(&mut self, known_version: &mut bool) -> Result<(), kube::Error> {
        if !*known_version {
            let version = self.client.apiserver_version().await?;
            // Some providers write "32+".
            let digits: String = version.minor.chars().take_while(char::is_ascii_digit).collect();
            self.streaming = digits.parse().is_ok_and(|minor: u32| minor >= STREAMS_LISTS);
            *known_version = true;
        }
        let mut served = discovery::served(&self.client).await?;
        let running = self.running.iter().map(|(source, running)| (source, running.watched, running.version));
        discovery::keep_those_that_answer(&self.client, &mut served, running).await?;
        self.health.well(&KINDS);
        self.adjust(discovery::plan(&served, &self.namespaces)).await;
        Ok(())
    }

    /// Stops the watches that aren't in the plan, and starts those that are new in it.
    async fn adjust(&mut self, plan: Plan) {
        let Plan { watches, missing } = plan;
        let stays = |source: &Source, running: &Running| {
            watches.get(source).is_some_and(|(_, version)| *version == running.version) && !running.task.is_finished()
        };
        let (stay, stopped): (BTreeMap<_, _>, BTreeMap<_, _>) =
            std::mem::take(&mut self.running).into_iter().partition(|(source, running)| stays(source, running));
        let unchanged = stopped.is_empty() && watches.len() == stay.len();
        self.running = stay;
        for (source, Running { watched: _, version, task }) in stopped {
            info!(kind = source.kind, version, "this kind is no longer watched in this version");
            task.abort();
            // Nothing it still says may come after what is said now.
            drop(task.await);
        }
        // The first time there is something to say even if there is nothing to watch.
        if !unchanged || self.running.is_empty() {
            for finding in &missing {
                info!("{}", finding.message);
            }
            let planned = Event::Planned(watches.keys().cloned().collect(), missing);
            if self.events.send(planned).await.is_err() {
                return;
            }
        }
        for (source, (watched, version)) in watches {
            if self.running.contains_key(&source) {
                continue;
            }
            debug!(kind = source.kind, namespace = source.namespace.as_deref(), version, "watching");
            self.seen.watched_in(source.kind, version);
            let watch = Watch {
                client: self.client.clone(),
                watched,
                version,
                source: source.clone(),
                streaming: self.streaming,
                health: self.health.clone(),
                discover: Arc::clone(&self.discover),
                events: self.events.clone(),
            };
            self.running.insert(source, Running { watched, version, task: tokio::spawn(watch.run()) });
        }
    }
}

/// Asks to look again whenever one of our CRDs changes. `seen` says whether changes are seen.
async fn watch_crds(client: Client, discover: Arc<Notify>, seen: Arc<AtomicBool>) {
    let ours: Vec<String> = WATCHED.iter().map(Watched::crd).collect();
    let api: Api<PartialObjectMeta<CustomResourceDefinition>> = Api::all(client);
    let mut stream = pin!(watcher(api, watching::config()));
    while let Some(event) = stream.next().await {
        match event {
            Ok(watcher::Event::Apply(crd) | watcher::Event::Delete(crd)) => {
                seen.store(true, Ordering::Relaxed);
                if ours.contains(&crd.name_any()) {
                    discover.notify_one();
                }
            }
            Ok(watcher::Event::InitDone) => {
                seen.store(true, Ordering::Relaxed);
                discover.notify_one();
            }
            Ok(watcher::Event::Init | watcher::Event::InitApply(_)) => {}
            Err(error) => {
                seen.store(false, Ordering::Relaxed);
                debug!(%error, "changes of CRDs aren't seen; it is asked every few seconds which kinds there are");
                tokio::time::sleep(SOON).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::convert::Infallible;
    use std::sync::Mutex;

    use hyper::{Request, Response, StatusCode};
    use kube::client::Body;
    use serde_json::{Value, json};

    use super::*;

    /// What an API server knows: the kinds it lists, and the kinds whose objects it has.
    #[derive(Clone, Default)]
    struct Server {
        lists: Arc<Mutex<BTreeSet<&'static str>>>,
        has: Arc<Mutex<BTreeSet<&'static str>>>,
    }

    const PATH: &str = "/apis/gateway.networking.k8s.io/v1";

    impl Server {
        fn client(&self) -> Client {
            let server = self.clone();
            let answer = move |request: Request<Body>| {
                let server = server.clone();
                async move {
                    let path = request.uri().path();
                    if request.uri().query().is_some_and(|query| query.contains("watch=")) {
                        std::future::pending::<()>().await;
                    }
                    let mut response = Response::new(Body::empty());
                    match server.answer(path) {
                        Some(body) => *response.body_mut() = Body::from(body.to_string().into_bytes()),
                        None => *response.status_mut() = StatusCode::NOT_FOUND,
                    }
                    Ok::<_, Infallible>(response)
                }
            };
            Client::new(tower::service_fn(answer), "default")
        }

        fn answer(&self, path: &str) -> Option<Value> {
            let list = json!({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": "1"}, "items": []});
            match path.strip_prefix(PATH) {
                None if path == "/version" => Some(json!({
                    "major": "1", "minor": "31", "gitVersion": "v1.31.0", "gitCommit": "", "gitTreeState": "",
                    "buildDate": "", "goVersion": "", "compiler": "", "platform": "",
                })),
                None => path.starts_with("/api/").then_some(list),
                Some("") => {
                    let lists = self.lists.lock().unwrap();
                    let resource = |plural: &&str| json!({"name": plural, "singularName": "", "namespaced": true, "kind": "", "verbs": []});
                    let resources: Vec<Value> = lists.iter().map(resource).collect();
                    (!resources.is_empty()).then(|| json!({"groupVersion": "g/v1", "resources": resources}))
                }
                Some(rest) => self.has.lock().unwrap().contains(rest.trim_start_matches('/')).then_some(list),
            }
        }
    }

    /// The kinds that are planned in each of the plans that were told.
    fn plans(events: &mut mpsc::Receiver<Event>) -> Vec<BTreeSet<&'static str>> {
        std::iter::from_fn(|| events.try_recv().ok())
            .filter_map(|event| match event {
                Event::Planned(sources, _) => Some(sources.into_iter().map(|source| source.kind).collect()),
                _ => None,
            })
            .collect()
    }

    #[tokio::test]
    async fn a_kind_is_gone_when_its_objects_are_and_not_when_a_server_that_starts_has_not_listed_it_yet() {
        let server = Server::default();
        let both = BTreeSet::from(["gateways", "httproutes"]);
        *server.lists.lock().unwrap() = both.clone();
        *server.has.lock().unwrap() = both;
        let (events, mut told) = mpsc::channel(256);
        let mut supervisor = Supervisor::new(server.client(), Vec::new(), Seen::default(), events);
        let mut known_version = false;

        supervisor.look(&mut known_version).await.unwrap();
        let planned = plans(&mut told);
        assert!(planned.iter().any(|kinds| kinds.is_superset(&["Gateway", "HTTPRoute"].into())), "{planned:?}");

        server.lists.lock().unwrap().clear();
        supervisor.look(&mut known_version).await.unwrap();
        assert_eq!(plans(&mut told), [], "nothing has changed");

        server.has.lock().unwrap().remove("httproutes");
        supervisor.look(&mut known_version).await.unwrap();
        let planned = plans(&mut told);
        assert_eq!(planned.len(), 1);
        assert!(planned[0].contains("Gateway") && !planned[0].contains("HTTPRoute"), "{planned:?}");
    }

    #[tokio::test]
    async fn it_is_noted_in_which_version_a_kind_is_watched() {
        let server = Server::default();
        let seen = Seen::default();
        let (events, _told) = mpsc::channel(256);
        let mut supervisor = Supervisor::new(server.client(), Vec::new(), seen.clone(), events);
        let served = discovery::Served::from([(
            ("gateway.networking.k8s.io", "v1alpha2"),
            BTreeSet::from(["tcproutes".to_owned()]),
        )]);
        supervisor.adjust(discovery::plan(&served, &[])).await;
        assert_eq!((seen.version("TCPRoute"), seen.version("HTTPRoute")), (Some("v1alpha2"), None));
    }
}
