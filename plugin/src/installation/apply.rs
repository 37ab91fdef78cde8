//! Doing it: step by step, each with a line that says how it went.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine as _;
use gateway_shared::install::{InstallKind, InstallObject, NAME, SECRETS, Step, valid_until};
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
        self.created + self.changed == 0
    }

    fn add(&mut self, other: Self) {
        self.created += other.created;
        self.changed += other.changed;
        self.unchanged += other.unchanged;
    }

    /// `8 created, 1 unchanged`.
    #[must_use]
    pub fn words(self) -> String {
        let Self { created, changed, unchanged } = self;
        if created + changed == 0 {
            return "unchanged".to_owned();
        }
        let words = [(created, "created"), (changed, "changed"), (unchanged, "unchanged")];
        words
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect::<Vec<_>>()
            .join(", ")
    }
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
                Ok((done, words)) => {
                    tally.add(done);
                    running.end(Mark::Yes, &words, printer);
                }
                Err(failure) => {
                    running.end(Mark::No, "failed", printer);
                    return Err(failure);
                }
            }
        }
        Ok(tally)
    }

    /// One step: what was done, and how it went in words.
    async fn step(
        &self,
        step: Step,
        objects: &[&InstallObject],
        deadline: Instant,
        running: &mut Running,
        printer: &mut Printer<'_>,
    ) -> Result<(Tally, String), Failure> {
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
        Ok((tally, words))
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
    ) -> Result<(Tally, String), Failure> {
        let mut tally = Tally::default();
        let webhook = self.objects.iter().any(|object| object.kind == InstallKind::MutatingWebhookConfiguration);
        if !certificates_needed(self.facts, webhook) {
            return Ok((tally, format!("unchanged{}", self.validity().await)));
        }
        for job in objects {
            // A Job can't be changed: one that ended is made anew.
            if live::delete(self.cluster, job.kind, job.namespace.as_deref(), &job.name).await? {
                self.gone(&key(job), deadline).await?;
            }
            tally.count(live::apply(self.cluster, job, None, false).await?.0);
            waiting::certificates(self.cluster, job, deadline, running, printer).await?;
        }
        Ok((tally, format!("made{}", self.validity().await)))
    }

    /// How long the agent's certificate is valid, if that can be known.
    async fn validity(&self) -> String {
        let secret = live::get(self.cluster, InstallKind::Secret, Some(self.namespace), NAME).await;
        let encoded =
            secret.ok().flatten().and_then(|secret| Some(secret.pointer("/data/tls.crt")?.as_str()?.to_owned()));
        let pem = encoded.and_then(|text| base64::engine::general_purpose::STANDARD.decode(text).ok());
        pem.and_then(|pem| valid_until(&pem)).map(|day| format!(", valid until {day}")).unwrap_or_default()
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

/// Whether a Secret is missing, or a webhook that is wanted doesn't know the authority yet.
fn certificates_needed(facts: &Facts, webhook_wanted: bool) -> bool {
    let webhook = facts.there.iter().find(|((kind, ..), _)| *kind == InstallKind::MutatingWebhookConfiguration);
    let bundle = webhook.and_then(|(_, webhook)| webhook.pointer("/webhooks/0/clientConfig/caBundle"));
    let known = bundle.and_then(Value::as_str).is_some_and(|bundle| !bundle.is_empty());
    SECRETS.iter().any(|name| !facts.secrets.contains(*name)) || (webhook_wanted && !known)
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
        assert!(!certificates_needed(&facts, true));
        facts.there.insert(key, webhook(""));
        assert!(certificates_needed(&facts, true) && !certificates_needed(&facts, false));
    }

    #[test]
    fn a_tally_says_what_happened() {
        let tally = Tally { created: 2, changed: 0, unchanged: 1 };
        assert_eq!(tally.words(), "2 created, 1 unchanged");
        assert_eq!(Tally { unchanged: 3, ..Tally::default() }.words(), "unchanged");
    }
}
