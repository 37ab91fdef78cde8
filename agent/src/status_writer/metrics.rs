//! What is counted about statuses, under Envoy Gateway's names.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;

use crate::metrics::Metrics;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Update {
    kind: &'static str,
    status: &'static str,
    reason: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfKind {
    kind: &'static str,
}

/// What became of one look at an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    /// It was written.
    Written,
    /// It was as it should be.
    NoAction,
    /// It was another by the time it was written; it is tried again.
    Conflict,
    /// It could not be written.
    Error,
}

/// All of it. Clones count together.
#[derive(Clone, Debug)]
pub(super) struct StatusMetrics {
    updates: Family<Update, Counter>,
    seconds: Family<OfKind, Histogram>,
}

impl StatusMetrics {
    /// Registers with `metrics`.
    pub(super) fn new(metrics: &Metrics) -> Self {
        let buckets = || Histogram::new([0.001, 0.01, 0.1, 1.0, 5.0, 10.0]);
        let this = Self { updates: Family::default(), seconds: Family::new_with_constructor(buckets) };
        metrics.with_registry(|registry| {
            // The encoder appends `_total` to the names of counters.
            let help = "Statuses that were looked at, by kind of object and by what became of them";
            registry.register("status_update", help, this.updates.clone());
            let help = "How long it took until a status was as it should be";
            registry.register("status_update_duration_seconds", help, this.seconds.clone());
        });
        this
    }

    /// One object of `kind` was looked at.
    pub(super) fn count(&self, kind: &'static str, counted: Counted) {
        let (status, reason) = match counted {
            Counted::Written => ("success", ""),
            Counted::NoAction => ("no_action", ""),
            Counted::Conflict => ("failure", "conflict"),
            Counted::Error => ("failure", "error"),
        };
        self.updates.get_or_create(&Update { kind, status, reason }).inc();
    }

    /// Looking at one object of `kind` took so long.
    pub(super) fn took(&self, kind: &'static str, took: Duration) {
        self.seconds.get_or_create(&OfKind { kind }).observe(took.as_secs_f64());
    }
}
