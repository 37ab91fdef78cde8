//! Requests that go on while something happens, each of them counted.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::task::JoinHandle;

use crate::client::{Ask, Connection, loopback};

/// The pause of one worker between two requests: the machine is small, and what is tested needs the processor too.
const PAUSE: Duration = Duration::from_millis(2);

/// Workers that ask one question again and again, each on a connection it keeps.
#[derive(Debug)]
pub struct Load {
    stop: Arc<AtomicBool>,
    answered: Arc<AtomicUsize>,
    workers: Vec<JoinHandle<Tally>>,
}

/// What became of all requests.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Answered with 200, by the backend that answered.
    pub answered: BTreeMap<String, usize>,
    /// Everything else, in words.
    pub failed: Vec<String>,
}

impl Load {
    /// Starts `workers` that ask the Envoy on `port` of loopback.
    #[must_use]
    pub fn start(workers: usize, port: u16, ask: &Ask) -> Self {
        Self::on(workers, loopback(port), ask)
    }

    /// Starts `workers` that ask whoever is at `address`.
    #[must_use]
    pub fn on(workers: usize, address: SocketAddr, ask: &Ask) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let answered = Arc::new(AtomicUsize::new(0));
        let workers = (0..workers)
            .map(|_| tokio::spawn(work(address, ask.clone(), Arc::clone(&stop), Arc::clone(&answered))))
            .collect();
        Self { stop, answered, workers }
    }

    /// How many requests have been answered with 200 so far.
    #[must_use]
    pub fn answered(&self) -> usize {
        self.answered.load(Ordering::SeqCst)
    }

    /// Ends the requests and counts.
    ///
    /// # Panics
    /// When a worker panicked.
    pub async fn stop(self) -> Tally {
        self.stop.store(true, Ordering::SeqCst);
        let mut sum = Tally::default();
        for worker in self.workers {
            let tally = worker.await.expect("a worker doesn't panic");
            for (backend, count) in tally.answered {
                *sum.answered.entry(backend).or_default() += count;
            }
            sum.failed.extend(tally.failed);
        }
        sum
    }
}

impl Tally {
    /// How many requests were sent.
    #[must_use]
    pub fn total(&self) -> usize {
        self.answered.values().sum::<usize>() + self.failed.len()
    }
}

async fn work(address: SocketAddr, ask: Ask, stop: Arc<AtomicBool>, answered: Arc<AtomicUsize>) -> Tally {
    let mut tally = Tally::default();
    let mut kept: Option<Connection> = None;
    while !stop.load(Ordering::SeqCst) {
        // Only a connection that is known to be closed is replaced; a request lost on an open one is a failure.
        let connection = match kept.take().filter(|connection| !connection.is_closed()) {
            Some(connection) => Ok(connection),
            None => Connection::open(address).await,
        };
        match connection {
            Ok(mut connection) => match connection.send(&ask).await {
                Ok(answer) => {
                    if answer.status == 200 {
                        answered.fetch_add(1, Ordering::SeqCst);
                        *tally.answered.entry(answer.backend()).or_default() += 1;
                    } else {
                        tally.failed.push(format!("{}: {}", answer.status, answer.body));
                    }
                    // Envoy says so when it is about to close.
                    if answer.header("connection") != Some("close") {
                        kept = Some(connection);
                    }
                }
                Err(error) => tally.failed.push(format!("{error:#}")),
            },
            Err(error) => tally.failed.push(format!("{error:#}")),
        }
        tokio::time::sleep(PAUSE).await;
    }
    tally
}
