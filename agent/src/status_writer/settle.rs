//! One object: what it should say and what it says are compared, and written where they differ.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use gateway_shared::api::metadata::{Object as _, Timestamp};
use gateway_shared::gatewayapi::classes::FINALIZER;
use gateway_shared::gatewayapi::subjects::{KindFacts, Subject, SubjectKind};
use gateway_shared::status::merge::merge;
use tracing::{debug, warn};

use super::inputs::Inputs;
use super::metrics::{Counted, StatusMetrics};
use super::queue::End;
use super::store::{Refusal, Store, Stored};
use crate::provider::kube::Seen;

/// How often a conflicting write is tried again at once.
const ATTEMPTS: usize = 5;

/// Everything one needs to settle an object.
#[derive(Clone)]
pub(super) struct Settler {
    pub(super) store: Store,
    pub(super) seen: Seen,
    pub(super) metrics: StatusMetrics,
    /// The versions our writes gave objects, until our watches bring them.
    pub(super) echoes: Arc<Mutex<HashMap<Subject, String>>>,
}

impl Settler {
    /// Whether the change our watches brought of an object is what we wrote ourselves.
    pub(super) fn is_echo(&self, subject: &Subject) -> bool {
        let Some(written) = self.echoes().remove(subject) else { return false };
        let seen = self.seen.get(subject.kind.facts().kind, &subject.key);
        seen.is_some_and(|seen| *seen.resource_version == *written)
    }

    fn echoes(&self) -> MutexGuard<'_, HashMap<Subject, String>> {
        self.echoes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes one object as `inputs` want it.
    pub(super) async fn settle(&self, subject: &Subject, inputs: &Arc<Inputs>) -> End {
        let kind = subject.kind.facts().kind;
        let started = std::time::Instant::now();
        let settled = match self.status(subject, inputs).await {
            Ok(counted) => {
                self.metrics.count(kind, counted);
                self.finalizer(subject, inputs).await.map(|()| counted)
            }
            Err(refusal) => Err(refusal),
        };
        self.metrics.took(kind, started.elapsed());
        match settled {
            Ok(Counted::Written) => End::Written,
            // An object that is gone needs nothing more.
            Ok(_) | Err(Refusal::Gone) => End::Settled,
            Err(refusal) => {
                self.metrics.count(kind, Counted::Error);
                end_of(subject, refusal)
            }
        }
    }

    async fn status(&self, subject: &Subject, inputs: &Arc<Inputs>) -> Result<Counted, Refusal> {
        let KindFacts { kind, claim, .. } = subject.kind.facts();
        let controller = &inputs.config.controller_name;
        let mut known = self.seen.get(kind, &subject.key).map(|seen| {
            let status = seen.status();
            (String::from(seen.resource_version), status)
        });
        for _ in 0..ATTEMPTS {
            let desired = inputs.statuses().said(subject);
            if known.is_none() && desired.status.is_none() {
                return Ok(Counted::NoAction);
            }
            // Our watches may be behind: only the API server knows that an object isn't there.
            let (version, current) = match known.take() {
                Some(known) => known,
                None => {
                    let Stored { metadata, status } = self.store.read(subject).await?;
                    (metadata.resource_version, status)
                }
            };
            let Some(status) = merge(claim, current.as_ref(), desired, controller, &now()) else {
                return Ok(Counted::NoAction);
            };
            match self.store.write(subject, &version, &status).await {
                Ok(version) => {
                    debug!(%subject, "wrote its status");
                    self.echoes().insert(subject.clone(), version);
                    return Ok(Counted::Written);
                }
                Err(Refusal::Conflict) => self.metrics.count(kind, Counted::Conflict),
                Err(refusal) => return Err(refusal),
            }
        }
        Err(Refusal::Conflict)
    }

    /// Holds a GatewayClass up while Gateways use it, and lets it go when none does.
    async fn finalizer(&self, subject: &Subject, inputs: &Arc<Inputs>) -> Result<(), Refusal> {
        if subject.kind != SubjectKind::GatewayClass {
            return Ok(());
        }
        let outcome = &inputs.translated.outcome;
        let Some(class) = outcome.translation.classes.get(&subject.key.name) else { return Ok(()) };
        let used = inputs.statuses().class_is_used(&subject.key.name);
        let has = |finalizers: &[String]| finalizers.iter().any(|name| name == FINALIZER);
        if has(&class.class.metadata().finalizers) == used {
            return Ok(());
        }
        for _ in 0..ATTEMPTS {
            let Stored { metadata, status: _ } = self.store.read(subject).await?;
            let mut finalizers = metadata.finalizers;
            if has(&finalizers) == used || (used && metadata.deletion_timestamp.is_some()) {
                return Ok(());
            }
            if used {
                finalizers.push(FINALIZER.to_owned());
            } else {
                finalizers.retain(|name| name != FINALIZER);
            }
            match self.store.write_finalizers(subject, &metadata.resource_version, &finalizers).await {
                Err(Refusal::Conflict) => {}
                written => return written,
            }
        }
        Err(Refusal::Conflict)
    }
}

/// Says what went wrong, and what that means for the rest.
fn end_of(subject: &Subject, refusal: Refusal) -> End {
    match refusal {
        Refusal::Gone => End::Settled,
        Refusal::Conflict => {
            debug!(%subject, "its status changes all the time; trying again later");
            End::Failed
        }
        Refusal::Refused(error) => {
            warn!(%subject, error, "the API server refuses its status; trying again later");
            End::Failed
        }
        Refusal::ServerTrouble(error) => {
            debug!(%subject, error, "the API server can't take its status now; trying again soon");
            End::ServerTrouble
        }
    }
}

/// The time as conditions have it.
fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    i64::try_from(seconds).ok().and_then(Timestamp::from_unix_seconds).map(|now| now.to_string()).unwrap_or_default()
}
