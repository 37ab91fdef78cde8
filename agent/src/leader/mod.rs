//! Which of several replicas writes: the one that holds the Lease.

mod elector;

use std::sync::atomic::AtomicI64;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::jiff::Timestamp;
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Client};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::watch::{Receiver, Sender, channel};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{debug, info, warn};

use crate::metrics::Metrics;
use elector::{Elector, Record, Step};

/// How long giving the lease back may take.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(2);

/// How the leader is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Election {
    /// The namespace of the Lease.
    pub namespace: String,
    /// Its name.
    pub lease: String,
    /// Who we are: the pod's name and something that no other process has.
    pub identity: String,
    /// For how long a lease is good.
    pub lease_duration: Duration,
    /// For how long a leader goes on trying to renew before it gives up.
    pub renew_deadline: Duration,
    /// How long is waited between tries.
    pub retry_period: Duration,
    /// Whether every replica leads: there is only one.
    pub disabled: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Named {
    name: String,
}

/// Takes part until `stop`, and then gives the lease back. The value is whether we lead.
pub fn start(
    client: Client,
    election: Election,
    metrics: &Metrics,
    tasks: &TaskTracker,
    stop: CancellationToken,
) -> Receiver<bool> {
    let (leads, receiver) = channel(false);
    let status = Family::<Named, Gauge<i64, AtomicI64>>::default();
    metrics.with_registry(|registry| {
        let help = "Whether this replica is the leader: 1 if it is, 0 if not";
        registry.register("leader_election_master_status", help, status.clone());
    });
    let gauge = status.get_or_create_owned(&Named { name: election.lease.clone() });
    gauge.set(0);
    let voice = Voice { leads, gauge };
    tasks.spawn(async move {
        if election.disabled {
            voice.say(true);
            stop.cancelled().await;
            voice.say(false);
        } else {
            Candidate::new(client, election, voice).run(&stop).await;
        }
    });
    receiver
}

/// Tells everyone whether we lead.
struct Voice {
    leads: Sender<bool>,
    gauge: Gauge<i64, AtomicI64>,
}

impl Voice {
    fn say(&self, leads: bool) {
        self.gauge.set(i64::from(leads));
        self.leads.send_replace(leads);
    }
}

/// One who would lead.
struct Candidate {
    leases: Api<Lease>,
    election: Election,
    elector: Elector,
    /// The Lease as we last read or wrote it.
    lease: Option<Lease>,
    /// What went wrong the last time, so that it is said once.
    trouble: Option<String>,
    voice: Voice,
}

impl Candidate {
    fn new(client: Client, election: Election, voice: Voice) -> Self {
        Self {
            leases: Api::namespaced(client, &election.namespace),
            elector: Elector::new(&election.identity, election.lease_duration),
            election,
            lease: None,
            trouble: None,
            voice,
        }
    }

    /// Waits for the lease, keeps it, and waits again when it is lost.
    async fn run(mut self, stop: &CancellationToken) {
        while stop.run_until_cancelled(self.acquire()).await.is_some() {
            info!(lease = self.election.lease, identity = self.election.identity, "this replica leads");
            self.voice.say(true);
            let kept = stop.run_until_cancelled(self.keep()).await;
            self.voice.say(false);
            if kept.is_none() {
                break;
            }
        }
        self.release().await;
    }

    /// Returns when the lease is ours.
    async fn acquire(&mut self) {
        let mut told = None;
        loop {
            let attempt = tokio::time::timeout(self.election.renew_deadline, self.attempt()).await;
            self.report(attempt.unwrap_or_else(|_| Err("the API server doesn't answer".to_owned())));
            if self.elector.holds() {
                return;
            }
            let holder = self.elector.holder().map(str::to_owned);
            if told != holder {
                info!(lease = self.election.lease, ?holder, "another replica leads; this one serves and doesn't write");
                told = holder;
            }
            tokio::time::sleep(with_jitter(self.election.retry_period)).await;
        }
    }

    /// Returns when the lease is lost: somebody else has it, or it couldn't be renewed for too long.
    async fn keep(&mut self) {
        let mut renewed = Instant::now();
        loop {
            let deadline = renewed + self.election.renew_deadline;
            tokio::time::sleep_until((Instant::now() + self.election.retry_period).min(deadline).into()).await;
            let started = Instant::now();
            let attempt = tokio::time::timeout_at(deadline.into(), self.attempt()).await;
            let result = attempt.unwrap_or_else(|_| Err("the API server doesn't answer".to_owned()));
            let fine = result.is_ok();
            self.report(result);
            if !self.elector.holds() {
                warn!(holder = self.elector.holder(), "the lease is somebody else's: this replica no longer writes");
                return;
            }
            if fine {
                renewed = started;
            } else if Instant::now() >= deadline {
                warn!(
                    for_ = ?self.election.renew_deadline,
                    "the lease could not be renewed for too long: this replica no longer writes"
                );
                // Whoever takes it now is right; we start from nothing known.
                self.elector = Elector::new(&self.election.identity, self.election.lease_duration);
                self.lease = None;
                return;
            }
        }
    }

    /// Looks at the lease, and takes or renews it where that is right.
    async fn attempt(&mut self) -> Result<(), String> {
        // Whoever leads needn't look: if the Lease is another by now, the write fails.
        if let (Some(record), Some(lease)) = (self.elector.renewal(Timestamp::now()), self.lease.clone())
            && self.write(lease, record).await?
        {
            return Ok(());
        }
        self.lease = self.leases.get_opt(&self.election.lease).await.map_err(|error| error.to_string())?;
        let found = self.lease.as_ref().map(|lease| lease.spec.as_ref().map(Record::read).unwrap_or_default());
        match (self.elector.next(found, Instant::now(), Timestamp::now()), self.lease.clone()) {
            (Step::Wait, _) => Ok(()),
            (Step::Create(record), _) => self.create(record).await,
            (Step::Update(record), lease) => self.write(lease.unwrap_or_default(), record).await.map(|_| ()),
        }
    }

    async fn create(&mut self, record: Record) -> Result<(), String> {
        let metadata = ObjectMeta { name: Some(self.election.lease.clone()), ..ObjectMeta::default() };
        let lease = Lease { metadata, spec: Some(record.spec()) };
        match self.leases.create(&PostParams::default(), &lease).await {
            Ok(made) => {
                self.lease = Some(made);
                self.elector.wrote(record, Instant::now());
                Ok(())
            }
            // Somebody was faster.
            Err(kube::Error::Api(status)) if status.code == 409 => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Writes `record` into `lease`, if that is still what the cluster has; says whether it was.
    async fn write(&mut self, lease: Lease, record: Record) -> Result<bool, String> {
        let Lease { metadata, spec } = lease;
        let said = spec.unwrap_or_default();
        let spec = LeaseSpec { strategy: said.strategy, preferred_holder: said.preferred_holder, ..record.spec() };
        let lease = Lease { metadata, spec: Some(spec) };
        match self.leases.replace(&self.election.lease, &PostParams::default(), &lease).await {
            Ok(written) => {
                // What the API server has counts: it keeps times to the microsecond.
                let record = written.spec.as_ref().map_or(record, Record::read);
                self.lease = Some(written);
                self.elector.wrote(record, Instant::now());
                Ok(true)
            }
            Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => Ok(false),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Gives the lease back, so that nobody has to wait for its end.
    async fn release(&mut self) {
        match tokio::time::timeout(RELEASE_TIMEOUT, self.give_back()).await {
            Ok(Ok(true)) => info!(lease = self.election.lease, "gave the lease back"),
            Ok(Ok(false)) => {}
            given => debug!(?given, "the lease was not given back: others take it when it is over"),
        }
    }

    async fn give_back(&mut self) -> Result<bool, String> {
        let (Some(record), Some(lease)) = (self.elector.release(Timestamp::now()), self.lease.clone()) else {
            return Ok(false);
        };
        if self.write(lease, record).await? {
            return Ok(true);
        }
        // A renewal may have been on its way when we were told to stop.
        let lease = self.leases.get(&self.election.lease).await.map_err(|error| error.to_string())?;
        let found = lease.spec.as_ref().map(Record::read);
        self.elector.next(found, Instant::now(), Timestamp::now());
        match self.elector.release(Timestamp::now()) {
            Some(record) => self.write(lease, record).await,
            None => Ok(false),
        }
    }

    /// Says what is wrong once, and when it no longer is.
    fn report(&mut self, result: Result<(), String>) {
        let trouble = result.err();
        if trouble != self.trouble {
            match &trouble {
                Some(error) => warn!(
                    lease = format!("{}/{}", self.election.namespace, self.election.lease),
                    error, "the Lease that says who leads can't be read or written; trying on"
                ),
                None => info!(lease = self.election.lease, "the Lease can be read and written again"),
            }
            self.trouble = trouble;
        }
    }
}

/// Up to a fifth more, so that replicas that start together don't ask together for ever.
fn with_jitter(period: Duration) -> Duration {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.subsec_nanos());
    period + period.mul_f64(f64::from(nanos % 1_000) / 5_000.0)
}
