//! Doing it: step by step, each with a line that says how it went.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use gateway_shared::install::{InstallKind, InstallObject, NAME, SECRETS, Step, Validity, validity};
use serde_json::Value;
use tokio::time::Instant;

use super::facts::{Facts, Key, key};
use super::live::{self, Applied};
use super::progress::Running;
use super::waiting;
use crate::cluster::Cluster;
use crate::exit::{Exit, Failure};
use crate::render::printer::Printer;
use crate::render::style::Mark;

/// What is done.
pub struct Work<'a> {
    /// The cluster.
    pub cluster: &'a Cluster,
    /// The namespace of the control plane.
    pub namespace: &'a str,
    /// The objects, in order.
    pub objects: Vec<InstallObject>,
    /// What was known before.
    pub facts: &'a Facts,
    /// How long to wait.
    pub timeout: Duration,
}

/// How many objects became what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    created: usize,
    changed: usize,
    unchanged: usize,
    removed: usize,
}

impl Tally {
    fn count(&mut self, applied: Applied) {
        match applied {
            Applied::Created => self.created += 1,
            Applied::Changed => self.changed += 1,
            Applied::Unchanged => self.unchanged += 1,
        }
    }

    /// Whether nothing was done.
    #[must_use]
    pub fn is_nothing(self) -> bool {
        self.created + self.changed + self.removed == 0
    }

    fn add(&mut self, other: Self) {
        self.created += other.created;
        self.changed += other.changed;
        self.unchanged += other.unchanged;
        self.removed += other.removed;
    }

    /// `8 created, 1 unchanged`.
    #[must_use]
    pub fn words(self) -> String {
        let Self { created, changed, unchanged, removed } = self;
        if self.is_nothing() {
            return "unchanged".to_owned();
        }
        let words = [(created, "created"), (changed, "changed"), (unchanged, "unchanged"), (removed, "removed")];
        words
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// What a step did, and how it is told.
struct Done {
    tally: Tally,
    mark: Mark,
    words: String,
}

impl Work<'_> {
    /// Does everything, and ends when the agent is ready.
    ///
    /// # Errors
    /// With the first thing that couldn't be done.
    pub async fn run(&self, printer: &mut Printer<'_>) -> Result<Tally, Failure> {
        let deadline = Instant::now() + self.timeout;
        let mut steps: BTreeMap<Step, Vec<&InstallObject>> = BTreeMap::new();
        for object in &self.objects {
            steps.entry(object.step).or_default().push(object);
        }
        let mut tally = Tally::default();
        for (step, objects) in steps {
            let mut running = Running::start(step.words());
            match self.step(step, &objects, deadline, &mut running, printer).await {
                Ok(Done { tally: done, mark, words }) => {
                    tally.add(done);
                    running.end(mark, &words, printer);
                }
                Err(failure) => {
                    running.end(Mark::No, "failed", printer);
                    return Err(failure);
                }
            }
            // Only now nobody uses it any more.
            if step == Step::Agent {
                tally.add(self.remove_stale(printer).await?);
            }
        }
        Ok(tally)
    }

    /// Removes what an earlier installation made and nobody needs any more.
    async fn remove_stale(&self, printer: &mut Printer<'_>) -> Result<Tally, Failure> {
        let mut tally = Tally::default();
        if self.facts.stale.is_empty() {
            return Ok(tally);
        }
        let running = Running::start("what isn't needed any more");
        for (kind, namespace, name) in &self.facts.stale {
            if live::delete(self.cluster, *kind, namespace.as_deref(), name).await? {
                tally.removed += 1;
            }
        }
        running.end(Mark::Yes, &tally.words(), printer);
        Ok(tally)
    }

    /// One step.
    async fn step(
        &self,
        step: Step,
        objects: &[&InstallObject],
        deadline: Instant,
        running: &mut Running,
        printer: &mut Printer<'_>,
    ) -> Result<Done, Failure> {
        let tally = match step {
            Step::Certificates => return self.certificates(objects, deadline, running, printer).await,
            _ => self.apply(objects, running).await?,
        };
        let words = match step {
            Step::Definitions => {
                let definitions = objects.iter().filter(|object| object.kind == InstallKind::CustomResourceDefinition);
                let names: Vec<String> = definitions.map(|object| object.name.clone()).collect();
                waiting::established(self.cluster, &names, deadline, running, printer).await?;
                tally.words()
            }
            Step::Agent => waiting::agent(self.cluster, self.namespace, deadline, running, printer).await?,
            _ => tally.words(),
        };
        Ok(Done { tally, mark: Mark::Yes, words })
    }

    async fn apply(&self, objects: &[&InstallObject], running: &Running) -> Result<Tally, Failure> {
        let mut tally = Tally::default();
        for (done, object) in objects.iter().enumerate() {
            running.count(done, objects.len());
            let before = self.facts.there.get(&key(object));
            tally.count(live::apply(self.cluster, object, before, false).await?.0);
        }
        Ok(tally)
    }

    /// Runs the Job, unless what it makes is there.
    async fn certificates(
        &self,
        objects: &[&InstallObject],
        deadline: Instant,
        running: &mut Running,
        printer: &mut Printer<'_>,
    ) -> Result<Done, Failure> {
        let mut tally = Tally::default();
        let webhook = self.objects.iter().any(|object| object.kind == InstallKind::MutatingWebhookConfiguration);
        if !certificates_needed(self.facts, webhook) {
            return Ok(self.certificates_done(tally, "unchanged").await);
        }
        for job in objects {
            // A Job can't be changed: one that ended is made anew.
            if self.facts.there.contains_key(&key(job)) {
                live::delete(self.cluster, job.kind, job.namespace.as_deref(), &job.name).await?;
                self.gone(&key(job), deadline).await?;
            }
            tally.count(live::apply(self.cluster, job, None, false).await?.0);
            waiting::certificates(self.cluster, job, deadline, running, printer).await?;
        }
        Ok(self.certificates_done(tally, "made").await)
    }

    /// What became of the certificates, and how long the agent's is valid if that can be known.
    async fn certificates_done(&self, tally: Tally, words: &str) -> Done {
        let secret = live::get(self.cluster, InstallKind::Secret, Some(self.namespace), NAME).await;
        let encoded =
            secret.ok().flatten().and_then(|secret| Some(secret.pointer("/data/tls.crt")?.as_str()?.to_owned()));
        let pem = encoded.and_then(|text| base64::engine::general_purpose::STANDARD.decode(text).ok());
        let (mark, words) = told(words, pem.and_then(|pem| validity(&pem)), SystemTime::now());
        Done { tally, mark, words }
    }

    async fn gone(&self, (kind, namespace, name): &Key, deadline: Instant) -> Result<(), Failure> {
        while live::get(self.cluster, *kind, namespace.as_deref(), name).await?.is_some() {
            if Instant::now() >= deadline {
                return Err(Failure::new(Exit::TimedOut, format!("{} {name} doesn't go away", kind.kind())));
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        Ok(())
    }
}

/// How the certificates are told, by how long the agent's is valid.
fn told(words: &str, validity: Option<Validity>, now: SystemTime) -> (Mark, String) {
    let Some(Validity { day, ends }) = validity else { return (Mark::Yes, words.to_owned()) };
    if SystemTime::UNIX_EPOCH + Duration::from_secs(ends) > now {
        return (Mark::Yes, format!("{words}, valid until {day}"));
    }
    let fix = "replace them with a Job that runs `certgen --overwrite` (docs/security.md)";
    (Mark::Warning, format!("expired on {day}: {fix}"))
}

/// Whether a Secret is missing, or somebody who has to know the authority doesn't yet: whoever asks the agent, and a
/// webhook that is wanted.
fn certificates_needed(facts: &Facts, webhook_wanted: bool) -> bool {
    let webhook = facts.there.iter().find(|((kind, ..), _)| *kind == InstallKind::MutatingWebhookConfiguration);
    let bundle = webhook.and_then(|(_, webhook)| webhook.pointer("/webhooks/0/clientConfig/caBundle"));
    let known = bundle.and_then(Value::as_str).is_some_and(|bundle| !bundle.is_empty());
    SECRETS.iter().any(|name| !facts.secrets.contains(*name)) || !facts.authority || (webhook_wanted && !known)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn certificates_are_made_once() {
        let webhook = |bundle: &str| json!({ "webhooks": [{ "clientConfig": { "caBundle": bundle } }] });
        let mut facts = Facts::default();
        let key = (InstallKind::MutatingWebhookConfiguration, None, "w".to_owned());
        facts.there.insert(key.clone(), webhook("QQ=="));
        assert!(certificates_needed(&facts, true));
        facts.secrets = SECRETS.iter().map(|name| (*name).to_owned()).collect();
        assert!(certificates_needed(&facts, true), "Envoy Gateway makes them, and tells nobody the authority");
        facts.authority = true;
        assert!(!certificates_needed(&facts, true));
        facts.there.insert(key, webhook(""));
        assert!(certificates_needed(&facts, true) && !certificates_needed(&facts, false));
    }

    #[test]
    fn what_has_expired_is_not_called_valid() {
        let day = || Some(Validity { day: "2031-11-08".to_owned(), ends: 1_000 });
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(told("made", day(), at(999)), (Mark::Yes, "made, valid until 2031-11-08".to_owned()));
        let (mark, words) = told("unchanged", day(), at(1_000));
        assert!(mark == Mark::Warning && words.starts_with("expired on 2031-11-08: replace them"), "{words}");
        assert_eq!(told("made", None, at(0)), (Mark::Yes, "made".to_owned()));
    }

    #[test]
    fn a_tally_says_what_happened() {
        let tally = Tally { created: 2, changed: 0, unchanged: 1, removed: 0 };
        assert_eq!(tally.words(), "2 created, 1 unchanged");
        let removed = Tally { removed: 2, ..Tally::default() };
        assert!(removed.words() == "2 removed" && !removed.is_nothing());
        assert_eq!(Tally { unchanged: 3, ..Tally::default() }.words(), "unchanged");
    }
}
