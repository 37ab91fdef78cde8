//! Fleets in a cluster: renders what a translation asks for, and makes the cluster's objects so.
//!
//! Every replica watches the objects of fleets and tells what it sees; only the leader writes. What is seen and done goes
//! into a state machine without IO ([`state`]), which says what to do next.

mod carry_out;
mod covers;
mod desired;
mod diff;
mod existing;
mod kinds;
mod live;
mod metrics;
mod nodes;
mod owner;
#[cfg(test)]
mod rights;
mod state;
#[cfg(test)]
mod state_tests;
#[cfg(test)]
mod tests;
mod watches;
mod words;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use gateway_shared::infra::settings::Settings;
use gateway_shared::status::live::LiveFleets;
use kube::Client;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::carry_out::{Hands, carry_out};
use self::desired::Surroundings;
use self::owner::Scope;
use self::state::State;
use self::watches::Watches;
use crate::metrics::Metrics;
use crate::translation::Latest;
use crate::waiting::{changed, sleep_until};

/// Who applies a fleet's objects: the name Envoy Gateway uses, so that either may go on with what the other made.
const FIELD_MANAGER: &str = "envoy-gateway";
/// How many fleets are worked on at the same time.
const AT_ONCE: usize = 8;

/// Everything the reconciler reads.
#[derive(Clone)]
pub struct Reconciler {
    /// The API server.
    pub client: Client,
    /// What rendering needs to know.
    pub settings: Settings,
    /// Whether we lead: only the leader writes, every replica watches.
    pub leads: watch::Receiver<bool>,
    /// The latest translation.
    pub latest: Latest,
    /// Says when there is another.
    pub changes: watch::Receiver<()>,
    /// Where it is counted what is done.
    pub metrics: Metrics,
}

impl Reconciler {
    /// Reconciles until `stop`. The value is what is known of the fleets' objects, from our own watches; `None` until
    /// every kind has been listed once, so that nobody says of a fleet that it is gone before it was seen.
    pub fn start(self, tasks: &TaskTracker, stop: CancellationToken) -> watch::Receiver<Option<Arc<LiveFleets>>> {
        let (publish, receiver) = watch::channel(None);
        let (tell, seen) = mpsc::channel(256);
        let watches = Watches {
            client: self.client.clone(),
            namespaces: namespaces(&self.settings),
            tell,
            tasks: tasks.clone(),
            stop: stop.clone(),
        };
        tasks.spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = self.run(watches, seen, publish) => {}
            }
        });
        receiver
    }

    async fn run(
        mut self,
        watches: Watches,
        mut seen: mpsc::Receiver<watches::Seen>,
        publish: watch::Sender<Option<Arc<LiveFleets>>>,
    ) {
        let gateway_namespace_mode = self.settings.file.gateway_namespace_mode();
        let sources = watches.fleets();
        if gateway_namespace_mode {
            watches.authority(&self.settings.controller_namespace);
        }
        let surroundings = Surroundings { settings: self.settings.clone(), gateway_namespace_mode };
        let mut state = State::new(surroundings, sources);
        let (mut sees_nodes, mut led) = (false, false);
        let hands = Hands {
            client: self.client.clone(),
            scope: Arc::new(Scope {
                controller: self.settings.file.controller_name().to_owned(),
                labels: self.settings.file.watched_labels().cloned(),
            }),
            leads: self.leads.clone(),
            metrics: self.metrics.with_registry(metrics::InfraMetrics::new),
        };
        let mut work = JoinSet::new();
        self.changes.mark_changed();
        loop {
            if !sees_nodes && state.needs_nodes() {
                sees_nodes = true;
                watches.nodes();
            }
            let leads = *self.leads.borrow_and_update();
            if leads && !led {
                state.lead();
            }
            led = leads;
            if leads {
                let free = AT_ONCE.saturating_sub(work.len());
                for (fleet, actions) in state.next(Instant::now(), free) {
                    work.spawn(carry_out(hands.clone(), fleet, actions));
                }
            }
            if let Some(news) = state.news() {
                publish.send_replace(Some(Arc::new(news)));
            }
            let wake_at = state.wake_at().filter(|_| leads && work.len() < AT_ONCE);
            tokio::select! {
                Some(event) = seen.recv() => {
                    state.see(event);
                    while let Ok(event) = seen.try_recv() {
                        state.see(event);
                    }
                }
                () = changed(&mut self.changes) => {
                    if let Some(translated) = self.latest.load_full() {
                        state.translated(&translated.outcome.translation, translated.loaded.complete);
                    }
                }
                () = changed(&mut self.leads) => {}
                Some(ended) = work.join_next() => match ended {
                    Ok(report) => state.done(report, Instant::now()),
                    // A fault of ours, or the end of the program.
                    Err(broken) => tracing::error!(%broken, "work on a fleet broke off"),
                },
                () = sleep_until(wake_at) => {}
            }
        }
    }
}

/// The namespaces in which fleets run; none means any.
fn namespaces(settings: &Settings) -> BTreeSet<String> {
    if !settings.file.gateway_namespace_mode() {
        return [settings.controller_namespace.clone()].into();
    }
    settings.file.watched_namespaces().iter().cloned().collect()
}
