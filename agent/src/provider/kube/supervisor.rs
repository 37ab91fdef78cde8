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
use super::health::{Health, cause};
use super::registry::WATCHED;
use super::store::{Event, Source};
use super::watch::Watch;

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

/// Who keeps the watches running.
pub(super) struct Supervisor {
    /// The API server.
    pub(super) client: Client,
    /// The namespaces to watch; all of them if none is named.
    pub(super) namespaces: Vec<Arc<str>>,
    /// The store.
    pub(super) events: mpsc::Sender<Event>,
    running: BTreeMap<Source, Running>,
    streaming: Arc<AtomicBool>,
    health: Health,
    discover: Arc<Notify>,
}

struct Running {
    version: &'static str,
    task: JoinHandle<()>,
}

impl Supervisor {
    pub(super) fn new(client: Client, namespaces: Vec<Arc<str>>, events: mpsc::Sender<Event>) -> Self {
        Self {
            client,
            namespaces,
            events,
            running: BTreeMap::new(),
            streaming: Arc::default(),
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
                    self.health.unreachable(&cause(&error));
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
            self.streaming.store(digits.parse().is_ok_and(|minor: u32| minor >= STREAMS_LISTS), Ordering::Relaxed);
            *known_version = true;
        }
        let served = discovery::served(&self.client).await?;
        self.health.reached();
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
        for (source, Running { version, task }) in stopped {
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
            let watch = Watch {
                client: self.client.clone(),
                watched,
                version,
                source: source.clone(),
                streaming: Arc::clone(&self.streaming),
                health: self.health.clone(),
                discover: Arc::clone(&self.discover),
                events: self.events.clone(),
            };
            self.running.insert(source, Running { version, task: tokio::spawn(watch.run()) });
        }
    }
}

/// Asks to look again whenever one of our CRDs changes. `seen` says whether changes are seen.
async fn watch_crds(client: Client, discover: Arc<Notify>, seen: Arc<AtomicBool>) {
    let ours: Vec<String> = WATCHED.iter().map(super::registry::Watched::crd).collect();
    let api: Api<PartialObjectMeta<CustomResourceDefinition>> = Api::all(client);
    let mut stream = pin!(watcher(api, watcher::Config::default().timeout(120)));
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
