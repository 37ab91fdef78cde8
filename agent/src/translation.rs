//! The loop in the middle: a set of objects in, an outcome out. The latest wins; nothing queues.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use arc_swap::ArcSwapOption;
use gateway_shared::config::Config;
use gateway_shared::pipeline::{self, Outcome};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tracing::{debug, error, info, warn};

use crate::metrics::Metrics;
use crate::provider::Loaded;
use crate::xds::cache::{Published, SnapshotCache};
use crate::xds::metrics::XdsMetrics;

/// A translation and what it was made from.
#[derive(Clone, Debug)]
pub struct Translated {
    /// What it gave.
    pub outcome: Arc<Outcome>,
    /// What the files said.
    pub loaded: Arc<Loaded>,
}

/// The latest translation, for whoever answers questions.
pub type Latest = Arc<ArcSwapOption<Translated>>;

/// Who is told of a translation.
#[derive(Clone, Debug)]
pub struct Readers {
    /// What proxies are served.
    pub snapshots: SnapshotCache,
    /// The latest translation.
    pub latest: Latest,
    /// The same, for those who wait for the next.
    pub changes: watch::Sender<()>,
    /// What is counted.
    pub metrics: Metrics,
    /// What is counted about xDS.
    pub xds_metrics: XdsMetrics,
}

/// Translates every set of objects that comes, and everything anew when the configuration changes, until `stop`.
pub async fn run(
    mut objects: watch::Receiver<Option<Arc<Loaded>>>,
    mut config: watch::Receiver<Arc<Config>>,
    readers: Readers,
    stop: CancellationToken,
) {
    let mut cache = pipeline::Cache::default();
    loop {
        let loaded = objects.borrow_and_update().clone();
        let configured = Arc::clone(&config.borrow_and_update());
        if let Some(loaded) = loaded {
            readers.metrics.loaded(loaded.origins.len(), loaded.errors.len(), loaded.warnings.len());
            let started = Instant::now();
            let input = Arc::clone(&loaded);
            let result = tokio::task::spawn_blocking(move || {
                let outcome = pipeline::run(&input.resources, &configured, &mut cache);
                (outcome, cache)
            })
            .await;
            match result {
                Ok((outcome, back)) => {
                    cache = back;
                    publish(outcome, loaded, started, &readers);
                }
                Err(broken) => {
                    // A fault of ours: the last good snapshots go on, and the next objects start from nothing kept.
                    cache = pipeline::Cache::default();
                    readers.metrics.panicked();
                    error!(%broken, "a translation broke off; what was served before goes on");
                }
            }
        }
        tokio::select! {
            () = stop.cancelled() => return,
            changed = objects.changed() => if changed.is_err() { return },
            changed = config.changed() => {
                if changed.is_err() {
                    return;
                }
                cache = pipeline::Cache::default();
            }
        }
    }
}

/// Tells everyone of an outcome.
fn publish(outcome: Outcome, loaded: Arc<Loaded>, started: Instant, readers: &Readers) {
    let now = SystemTime::now();
    let mut problems = 0_usize;
    let mut held = 0_usize;
    for (key, snapshot) in &outcome.snapshots {
        problems = problems.saturating_add(snapshot.problems.len());
        if let Some(reason) = &snapshot.held_back {
            held = held.saturating_add(1);
            let fault = reason.faults.first().map(ToString::to_string).unwrap_or_default();
            warn!(ir_key = %key, fault, "the new configuration of this fleet is invalid; it keeps the one before");
            readers.xds_metrics.snapshot_created(false);
        }
        match readers.snapshots.publish(key, Arc::clone(&snapshot.table), now) {
            Published::Unchanged => {}
            Published::Created | Published::Replaced => {
                info!(ir_key = %key, version = snapshot.table.version(), "published a snapshot");
                readers.xds_metrics.snapshot_created(true);
            }
        }
    }
    for key in readers.snapshots.keys() {
        if !outcome.snapshots.contains_key(&key) {
            info!(ir_key = %key, "this fleet is gone");
            readers.snapshots.remove(&key, now);
        }
    }
    readers.xds_metrics.snapshots(outcome.snapshots.len());
    readers.metrics.translated(started.elapsed(), problems, held);
    debug!(took = ?started.elapsed(), "translated");
    readers.latest.store(Some(Arc::new(Translated { outcome: Arc::new(outcome), loaded })));
    readers.changes.send_replace(());
}
