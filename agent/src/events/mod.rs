//! Events on objects whose configuration a proxy rejects or that can't be served: what a person sees in
//! `kubectl describe` (design §6 rules 14 and 20). Each replica tells of the proxies it serves itself.

mod complaint;

use std::sync::Arc;
use std::time::{Duration, Instant};

use kube::Client;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use tokio::sync::watch::Receiver;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::translation::Latest;
use crate::xds::ledger::Ledger;
use complaint::{Notice, Said, complaints};

/// How often it is looked whether there is something to be said.
const PERIOD: Duration = Duration::from_secs(2);
/// What is done when configuration goes to proxies, as Events name it.
const ACTION: &str = "Configure";

/// Everything one reads who writes Events.
pub struct Events {
    /// The API server.
    pub client: Client,
    /// The `controllerName` of our classes.
    pub controller: String,
    /// The name of our pod.
    pub pod: String,
    /// Whether we lead.
    pub leads: Receiver<bool>,
    /// The latest translation.
    pub latest: Latest,
    /// What was delivered to proxies.
    pub ledger: Ledger,
}

impl Events {
    /// Writes Events until `stop`.
    pub async fn run(self, stop: CancellationToken) {
        let Self { client, controller, pod, leads, latest, ledger } = self;
        let recorder = Recorder::new(client, Reporter { controller, instance: Some(pod) });
        let mut said = Said::default();
        let mut failed = false;
        while stop.run_until_cancelled(tokio::time::sleep(PERIOD)).await.is_some() {
            let Some(translated) = latest.load_full() else { continue };
            let complaints = complaints(&ledger.read(), &translated.outcome, *leads.borrow());
            for complaint in said.fresh(complaints, Instant::now()) {
                let outcome = Arc::clone(&translated.outcome);
                // Looking for who caused it reads every route.
                let notices = tokio::task::spawn_blocking(move || complaint.notices(&outcome)).await;
                for notice in notices.unwrap_or_default() {
                    say(&recorder, notice, &mut failed).await;
                }
            }
        }
    }
}

/// Writes one Event; says once when that isn't possible.
async fn say(recorder: &Recorder, notice: Notice, failed: &mut bool) {
    let Notice { on, reason, note } = notice;
    info!(kind = on.kind, namespace = on.namespace, name = on.name, reason, "{note}");
    let event = Event {
        type_: EventType::Warning,
        reason: reason.to_owned(),
        note: Some(note),
        action: ACTION.to_owned(),
        secondary: None,
    };
    let written = recorder.publish(&event, &on).await;
    if let Err(error) = &written
        && !*failed
    {
        warn!(%error, "an Event can't be written; what it says is in the log");
    }
    *failed = written.is_err();
}
