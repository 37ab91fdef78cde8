//! Writes statuses to the cluster: the leader only, what differs only, and never over anybody else's words.
//!
//! What is queued are objects, not statuses: what an object should say is read off the latest translation when its turn
//! comes, so the latest wins and nothing is written twice.

mod inputs;
mod metrics;
mod queue;
mod settle;
mod store;

use std::sync::Arc;
use std::time::Instant;

use gateway_shared::config::Config;
use gateway_shared::gatewayapi::subjects::{Subject, SubjectKind};
use gateway_shared::status::live::LiveFleets;
use kube::Client;
use tokio::sync::watch::Receiver;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::{error, info};

use crate::metrics::Metrics;
use crate::provider::kube::Seen;
use crate::translation::Latest;
use crate::waiting::{changed, sleep_until};
use inputs::Inputs;
use metrics::StatusMetrics;
use queue::{End, Queue};
use settle::Settler;
use store::Store;

/// How many objects are worked on at once.
const AT_ONCE: usize = 16;

/// Everything a writer reads.
#[derive(Clone)]
pub struct StatusWriter {
    /// The API server.
    pub client: Client,
    /// Whether we lead.
    pub leads: Receiver<bool>,
    /// What decisions were made with.
    pub config: Receiver<Arc<Config>>,
    /// The latest translation.
    pub latest: Latest,
    /// Says when there is another.
    pub changes: Receiver<()>,
    /// What is known of running fleets.
    pub live: Receiver<Option<Arc<LiveFleets>>>,
    /// The statuses objects have in the cluster, as our watches know them.
    pub seen: Seen,
    /// What is counted.
    pub metrics: Metrics,
}

impl StatusWriter {
    /// Writes until `stop`, as long as we lead.
    pub async fn run(mut self, stop: CancellationToken) {
        let settler = Settler {
            store: Store { client: self.client.clone(), seen: self.seen.clone() },
            seen: self.seen.clone(),
            metrics: StatusMetrics::new(&self.metrics),
            echoes: Arc::default(),
        };
        let writing = async {
            while self.leads.wait_for(|leads| *leads).await.is_ok() {
                info!("statuses are written by this replica");
                self.lead(&settler).await;
                info!("statuses are no longer written by this replica");
            }
        };
        stop.run_until_cancelled(writing).await;
    }

    /// Writes until we no longer lead. What is on its way then is broken off.
    async fn lead(&mut self, settler: &Settler) {
        let mut queue = Queue::default();
        let mut work: JoinSet<(Subject, End)> = JoinSet::new();
        let mut inputs: Option<Arc<Inputs>> = None;
        let mut edited = self.seen.changes();
        loop {
            if !*self.leads.borrow_and_update() {
                return;
            }
            if let Some(latest) = self.inputs(inputs.as_deref()) {
                latest.to_look_at(inputs.as_deref()).into_iter().for_each(|subject| queue.push_anew(subject));
                inputs = Some(Arc::new(latest));
            }
            while let Some(inputs) = &inputs
                && work.len() < AT_ONCE
                && let Some(subject) = queue.next(Instant::now())
            {
                let (settler, inputs) = (settler.clone(), Arc::clone(inputs));
                work.spawn(async move {
                    let end = settler.settle(&subject, &inputs).await;
                    (subject, end)
                });
            }
            // As long as nobody is free, what is due waits for somebody who is.
            let wake_at = queue.wake_at().filter(|_| work.len() < AT_ONCE);
            tokio::select! {
                () = changed(&mut self.leads) => {}
                () = changed(&mut self.changes) => {}
                () = changed(&mut self.live) => {}
                // Whoever changed a status: what isn't as it should be is put right, and what is costs a comparison.
                objects = edited.next() => objects
                    .into_iter()
                    .filter_map(|(kind, key)| Some(Subject::new(SubjectKind::named(kind)?, key)))
                    .filter(|subject| inputs.as_ref().is_some_and(|inputs| inputs.can_speak_of(subject)))
                    .filter(|subject| !settler.is_echo(subject))
                    .for_each(|subject| queue.push(subject)),
                Some(done) = work.join_next() => match done {
                    Ok((subject, end)) => queue.done(subject, end, Instant::now()),
                    Err(broken) => error!(%broken, "writing a status broke off"),
                },
                () = sleep_until(wake_at) => {}
            }
        }
    }

    /// What statuses are read off now, if it is something else than `before`; nothing is before the first translation.
    fn inputs(&mut self, before: Option<&Inputs>) -> Option<Inputs> {
        self.changes.borrow_and_update();
        let live = self.live.borrow_and_update().clone();
        let config = Arc::clone(&self.config.borrow());
        let translated = self.latest.load_full()?;
        let same = before.is_some_and(|before| before.are(&config, &translated, live.as_ref()));
        (!same).then(|| Inputs::new(config, translated, live))
    }
}
