//! One fleet on this host: the Envoy it should be, and those it was until that one is ready (make before break).

use std::collections::BTreeMap;
use std::path::PathBuf;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::info;

use super::instance::{self, InstanceStatus};
use super::launch::{InstanceDir, Launch};

/// The instances of a fleet, by digest.
pub type FleetStatus = BTreeMap<String, InstanceStatus>;

/// Keeps a fleet as `desired` says until that is `None` or its sender is gone; returns when no Envoy is left.
pub(super) async fn run(
    state_dir: PathBuf,
    guard_program: PathBuf,
    mut desired: watch::Receiver<Option<Launch>>,
    status: watch::Sender<FleetStatus>,
) {
    let mut running: BTreeMap<String, (CancellationToken, watch::Receiver<InstanceStatus>)> = BTreeMap::new();
    let mut tasks: JoinSet<String> = JoinSet::new();
    let (changes, mut changed) = watch::channel(());
    let mut open = true;
    loop {
        let wanted = if open { desired.borrow_and_update().clone() } else { None };
        let wanted_digest = wanted.as_ref().map(Launch::digest);
        if let (Some(launch), Some(digest)) = (wanted, wanted_digest.clone())
            // One of the same digest that is still draining is waited for: two can't share a directory.
            && !running.contains_key(&digest)
        {
            let stop = CancellationToken::new();
            let (sender, receiver) = watch::channel(InstanceStatus::default());
            running.insert(digest.clone(), (stop.clone(), receiver.clone()));
            let dir = InstanceDir::of(&state_dir, &launch.ir_key, &digest);
            let program = guard_program.clone();
            tasks.spawn(async move {
                instance::run(program, dir, launch, sender, stop).await;
                digest
            });
            tokio::spawn(notify(receiver, changes.clone()));
        }
        // The one that is wanted takes over once it is ready; until then those before it go on.
        let successor_ready = match &wanted_digest {
            Some(digest) => running.get(digest).is_some_and(|(_, status)| status.borrow().ready),
            None => true,
        };
        if successor_ready {
            for (digest, (stop, _)) in &running {
                if Some(digest) != wanted_digest.as_ref() && !stop.is_cancelled() {
                    info!(instance = %digest, "draining an Envoy that is no longer wanted");
                    stop.cancel();
                }
            }
        }
        let now: FleetStatus =
            running.iter().map(|(digest, (_, status))| (digest.clone(), status.borrow().clone())).collect();
        status.send_if_modified(|old| {
            let differs = *old != now;
            *old = now;
            differs
        });
        if wanted_digest.is_none() && running.is_empty() {
            return;
        }
        tokio::select! {
            result = desired.changed(), if open => open = result.is_ok(),
            _ = changed.changed() => {}
            Some(ended) = tasks.join_next() => {
                if let Ok(digest) = ended {
                    running.remove(&digest);
                }
            }
        }
    }
}

/// Passes on that a status changed, until its instance is gone.
async fn notify(mut status: watch::Receiver<InstanceStatus>, changes: watch::Sender<()>) {
    while status.changed().await.is_ok() {
        changes.send_replace(());
    }
}
