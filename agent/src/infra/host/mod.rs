//! Fleets on this host (standalone): one Envoy for each IR key, run and looked after.
//!
//! Each Envoy is the child of a [`guard`], a process of its own, that holds out when the agent is killed. An agent that
//! starts on the same state directory takes the running ones over; when none comes, the guard drains its Envoy and goes.

pub mod envoy_binary;
mod fleet;
pub mod guard;
mod instance;
pub mod launch;
pub mod lease;
mod log_file;
pub mod plan;
pub mod proxy;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinHandle, JoinSet};
use tracing::{info, warn};

use self::envoy_binary::EnvoyBinary;
pub use self::fleet::FleetStatus;
pub use self::instance::InstanceStatus;
use self::launch::{InstanceDir, Launch};
use self::lease::{Command, Lease};
pub use self::proxy::Proxy;

/// The hidden subcommand under which our program is a guard.
pub const GUARD_MODE: &str = "envoy-guard";
/// The hidden subcommand under which our program becomes an Envoy that ends with its guard.
pub const EXEC_MODE: &str = "envoy-exec";

/// Where and how Envoys run here.
#[derive(Clone, Debug)]
pub struct HostConfig {
    /// The directory of their files; one agent at a time uses it.
    pub state_dir: PathBuf,
    /// The Envoy program.
    pub envoy: EnvoyBinary,
    /// Our own program, to run guards with.
    pub guard_program: PathBuf,
    /// How long an Envoy goes on without an agent.
    pub grace: Duration,
}

/// The fleets that should run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Desired {
    /// Every fleet whose Envoy can be described.
    pub proxies: Vec<Proxy>,
    /// Fleets that can't be described now (invalid is not absent): what runs of them is left as it is.
    pub unknown: BTreeSet<String>,
    /// Whether this is everything there is. While part of the input can't be read, nothing is taken down.
    pub complete: bool,
}

/// What runs, by IR key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostStatus {
    /// The instances of each fleet.
    pub fleets: BTreeMap<String, FleetStatus>,
    /// Why a fleet doesn't run, by its key.
    pub problems: BTreeMap<String, String>,
}

/// A handle on the Envoys of this host.
#[derive(Debug)]
pub struct Host {
    desired: watch::Sender<Option<Desired>>,
    status: watch::Receiver<HostStatus>,
    stop: mpsc::Sender<()>,
    task: JoinHandle<()>,
}

impl Host {
    /// Takes the state directory and starts to look after its Envoys. Nothing is started or stopped before the first
    /// [`Host::apply`].
    ///
    /// # Errors
    /// When the state directory can't be used or another agent uses it.
    pub fn start(config: HostConfig) -> anyhow::Result<Self> {
        let path = &config.state_dir;
        std::fs::create_dir_all(path)
            .with_context(|| format!("can't create the state directory {}", path.display()))?;
        let lock = File::options().create(true).truncate(false).write(true).open(path.join("agent.lock"))?;
        lock.try_lock().map_err(|error| {
            anyhow::anyhow!(
                "another gateway-agent uses the state directory {} ({error}): stop it, or name another directory with \
                 --state-dir",
                path.display()
            )
        })?;
        let (desired, desired_seen) = watch::channel(None);
        let (status_sender, status) = watch::channel(HostStatus::default());
        let (stop, stopped) = mpsc::channel(1);
        let task = tokio::spawn(async move {
            Reconciler::new(config, status_sender).run(desired_seen, stopped).await;
            drop(lock);
        });
        Ok(Self { desired, status, stop, task })
    }

    /// Makes the host run these fleets and no others. Returns at once; the latest wins.
    pub fn apply(&self, desired: Desired) {
        self.desired.send_if_modified(|old| {
            let differs = old.as_ref() != Some(&desired);
            *old = Some(desired);
            differs
        });
    }

    /// What runs, kept up to date.
    #[must_use]
    pub fn status(&self) -> watch::Receiver<HostStatus> {
        self.status.clone()
    }

    /// Drains and stops every Envoy; returns when all are gone.
    pub async fn shut_down(self) {
        // An error means that the task has ended already.
        let _ = self.stop.send(()).await;
        drop(self.task.await);
    }
}

/// One fleet's task and what it is told.
struct FleetHandle {
    desired: watch::Sender<Option<Launch>>,
    status: watch::Receiver<FleetStatus>,
}

struct Reconciler {
    config: HostConfig,
    status: watch::Sender<HostStatus>,
    fleets: BTreeMap<String, FleetHandle>,
    tasks: JoinSet<String>,
    problems: BTreeMap<String, String>,
    /// Instances of an earlier agent that have not been looked at yet.
    strays: bool,
    changes: watch::Sender<()>,
}

impl Reconciler {
    fn new(config: HostConfig, status: watch::Sender<HostStatus>) -> Self {
        Self {
            config,
            status,
            fleets: BTreeMap::new(),
            tasks: JoinSet::new(),
            problems: BTreeMap::new(),
            strays: true,
            changes: watch::channel(()).0,
        }
    }

    async fn run(mut self, mut desired: watch::Receiver<Option<Desired>>, mut stopped: mpsc::Receiver<()>) {
        let mut changed = self.changes.subscribe();
        loop {
            tokio::select! {
                told = stopped.recv() => match told {
                    Some(()) => break,
                    None => return self.leave(),
                },
                result = desired.changed() => {
                    if result.is_err() {
                        return self.leave();
                    }
                    let latest = desired.borrow_and_update().clone();
                    if let Some(latest) = latest {
                        self.reconcile(&latest);
                    }
                }
                _ = changed.changed() => {}
                Some(ended) = self.tasks.join_next() => {
                    if let Ok(key) = ended {
                        self.fleets.remove(&key);
                    }
                    // A fleet may have come back while its last Envoy was on its way out.
                    let latest = desired.borrow().clone();
                    if let Some(latest) = latest {
                        self.reconcile(&latest);
                    }
                }
            }
            self.publish();
        }
        for fleet in self.fleets.values() {
            fleet.desired.send_replace(None);
        }
        while let Some(ended) = self.tasks.join_next().await {
            if let Ok(key) = ended {
                info!(ir_key = %key, "Envoy stopped");
            }
        }
        if self.strays {
            stop_strays(&self.config.state_dir, &BTreeSet::new()).await;
        }
    }

    /// The handle is gone and nobody said to stop: the Envoys are left to their guards, as after a kill.
    fn leave(mut self) {
        // Before the fleets' handles go, which would tell these tasks to stop their Envoys.
        self.tasks.abort_all();
    }

    fn reconcile(&mut self, desired: &Desired) {
        let Desired { proxies, unknown, complete } = desired;
        let problems = proxy::port_clashes(proxies, |key| self.fleets.contains_key(key));
        for (key, problem) in &problems {
            if self.problems.get(key) != Some(problem) {
                warn!(ir_key = %key, "{problem}");
            }
        }
        let mut wanted = BTreeSet::new();
        for proxy in proxies.iter().filter(|proxy| !problems.contains_key(&proxy.ir_key)) {
            wanted.insert(proxy.ir_key.as_str());
            let launch = proxy.launch(&self.config.envoy, self.config.grace);
            self.want(&proxy.ir_key, launch);
        }
        self.problems = problems;
        if *complete {
            for (key, fleet) in &self.fleets {
                if !wanted.contains(key.as_str()) && !unknown.contains(key) {
                    fleet.desired.send_if_modified(|launch| launch.take().is_some());
                }
            }
            if std::mem::take(&mut self.strays) {
                let state_dir = self.config.state_dir.clone();
                let keep = wanted.iter().map(|key| (*key).to_owned()).chain(unknown.iter().cloned()).collect();
                tokio::spawn(async move { stop_strays(&state_dir, &keep).await });
            }
        }
    }

    fn want(&mut self, ir_key: &str, launch: Launch) {
        if let Some(fleet) = self.fleets.get(ir_key)
            && !fleet.desired.is_closed()
        {
            fleet.desired.send_if_modified(|old| {
                let differs = old.as_ref() != Some(&launch);
                *old = Some(launch);
                differs
            });
            return;
        }
        let (desired, desired_seen) = watch::channel(Some(launch));
        let (sender, status) = watch::channel(FleetStatus::new());
        let (state_dir, program) = (self.config.state_dir.clone(), self.config.guard_program.clone());
        let key = ir_key.to_owned();
        self.tasks.spawn(async move {
            fleet::run(state_dir, program, desired_seen, sender).await;
            key
        });
        let changes = self.changes.clone();
        let mut watched = status.clone();
        tokio::spawn(async move {
            while watched.changed().await.is_ok() {
                changes.send_replace(());
            }
        });
        self.fleets.insert(ir_key.to_owned(), FleetHandle { desired, status });
    }

    fn publish(&self) {
        let now = HostStatus {
            fleets: self.fleets.iter().map(|(key, fleet)| (key.clone(), fleet.status.borrow().clone())).collect(),
            problems: self.problems.clone(),
        };
        self.status.send_if_modified(|old| {
            let differs = *old != now;
            *old = now;
            differs
        });
    }
}

/// Stops Envoys that an earlier agent left behind and that belong to no fleet of `keep`.
///
/// Those of a fleet in `keep` with another launch than now are stopped too, by their guards: no agent holds them.
async fn stop_strays(state_dir: &std::path::Path, keep: &BTreeSet<String>) {
    for dir in InstanceDir::all(state_dir) {
        let key = std::fs::read(dir.launch())
            .ok()
            .and_then(|text| serde_json::from_slice::<Launch>(&text).ok())
            .map(|launch| launch.ir_key);
        if key.as_ref().is_some_and(|key| keep.contains(key)) {
            continue;
        }
        match Lease::take(&dir.socket()).await {
            Ok(mut lease) => {
                info!(ir_key = key, "stopping an Envoy of an earlier agent that no Gateway asks for");
                drop(lease.say(Command::Stop).await);
                while lease.next().await.is_some() {}
            }
            Err(_) => info!(dir = %dir.path().display(), "clearing up after an Envoy that has ended"),
        }
        drop(std::fs::remove_dir_all(dir.path()));
    }
}
