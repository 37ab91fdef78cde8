//! What statuses are read off, as one value that doesn't change while it is worked with.

use std::sync::Arc;

use gateway_shared::config::Config;
use gateway_shared::gatewayapi::object_status::{HeldFleets, Statuses};
use gateway_shared::gatewayapi::subjects::{Subject, SubjectKind};
use gateway_shared::status::live::LiveFleets;

use crate::translation::Translated;

/// One translation, and what is known of running fleets.
#[derive(Clone)]
pub(super) struct Inputs {
    pub(super) config: Arc<Config>,
    pub(super) translated: Arc<Translated>,
    /// `None` until it is known.
    pub(super) live: Option<Arc<LiveFleets>>,
    held: HeldFleets,
}

impl Inputs {
    /// What is to be said of `translated`.
    pub(super) fn new(config: Arc<Config>, translated: Arc<Translated>, live: Option<Arc<LiveFleets>>) -> Self {
        let snapshots = translated.outcome.snapshots.iter();
        let held = snapshots.filter_map(|(key, snapshot)| {
            let faults = &snapshot.held_back.as_ref()?.faults;
            Some((Arc::clone(key), faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")))
        });
        Self { held: held.collect(), config, translated: Arc::clone(&translated), live }
    }

    /// What is to be said.
    pub(super) fn statuses(&self) -> Statuses<'_> {
        let outcome = &self.translated.outcome;
        Statuses {
            resources: &outcome.resources,
            config: &self.config,
            translation: &outcome.translation,
            live: self.live.as_deref(),
            held: &self.held,
        }
    }

    /// Whether they were made from these very values.
    pub(super) fn are(
        &self,
        config: &Arc<Config>,
        translated: &Arc<Translated>,
        live: Option<&Arc<LiveFleets>>,
    ) -> bool {
        let same_live = match (&self.live, live) {
            (Some(ours), Some(theirs)) => Arc::ptr_eq(ours, theirs),
            (ours, theirs) => ours.is_none() && theirs.is_none(),
        };
        same_live && Arc::ptr_eq(&self.translated, translated) && Arc::ptr_eq(&self.config, config)
    }

    /// Whether enough is known to speak of an object. Of a Gateway it isn't, as long as nothing is known of running
    /// fleets: an agent that starts must not take back what another one said.
    pub(super) fn can_speak_of(&self, subject: &Subject) -> bool {
        self.live.is_some() || !matches!(subject.kind, SubjectKind::Gateway | SubjectKind::GatewayClass)
    }

    /// The objects to look at, where `before` was looked at before.
    pub(super) fn to_look_at(&self, before: Option<&Self>) -> Vec<Subject> {
        let mut subjects: Vec<Subject> = match before {
            None => self.statuses().subjects(),
            Some(before) => self.statuses().changed_since(&before.statuses()).into_iter().collect(),
        };
        subjects.retain(|subject| self.can_speak_of(subject));
        subjects
    }
}
