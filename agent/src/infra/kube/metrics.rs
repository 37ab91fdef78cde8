//! What is counted of the work on fleets, under Envoy Gateway's names.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::kinds::{Id, word};

/// One object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Object {
    kind: &'static str,
    namespace: String,
    name: String,
}

/// One object and how it went.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Outcome {
    kind: &'static str,
    namespace: String,
    name: String,
    status: &'static str,
}

/// What is counted of the work on fleets. Clones count together.
#[derive(Clone, Debug)]
pub(super) struct InfraMetrics {
    applied: Family<Outcome, Counter>,
    apply_seconds: Family<Object, Histogram>,
    deleted: Family<Outcome, Counter>,
    delete_seconds: Family<Object, Histogram>,
}

impl InfraMetrics {
    /// Counts, shown by `registry`.
    pub(super) fn new(registry: &mut Registry) -> Self {
        let buckets = || Histogram::new([0.001, 0.01, 0.1, 1.0, 5.0, 10.0]);
        let metrics = Self {
            applied: Family::default(),
            apply_seconds: Family::new_with_constructor(buckets),
            deleted: Family::default(),
            delete_seconds: Family::new_with_constructor(buckets),
        };
        registry.register("resource_apply", "Objects of fleets that were applied", metrics.applied.clone());
        registry.register(
            "resource_apply_duration_seconds",
            "How long it took to apply an object",
            metrics.apply_seconds.clone(),
        );
        registry.register("resource_delete", "Objects of fleets that were deleted", metrics.deleted.clone());
        registry.register(
            "resource_delete_duration_seconds",
            "How long it took to delete an object",
            metrics.delete_seconds.clone(),
        );
        metrics
    }

    /// An object was applied, or not.
    pub(super) fn applied(&self, id: &Id, took: Duration, well: bool) {
        self.applied.get_or_create(&outcome(id, well)).inc();
        if well {
            self.apply_seconds.get_or_create(&object(id)).observe(took.as_secs_f64());
        }
    }

    /// An object was deleted, or not.
    pub(super) fn deleted(&self, id: &Id, took: Duration, well: bool) {
        self.deleted.get_or_create(&outcome(id, well)).inc();
        if well {
            self.delete_seconds.get_or_create(&object(id)).observe(took.as_secs_f64());
        }
    }
}

fn object(id: &Id) -> Object {
    Object { kind: word(id.kind), namespace: id.namespace.to_string(), name: id.name.to_string() }
}

fn outcome(id: &Id, well: bool) -> Outcome {
    let Object { kind, namespace, name } = object(id);
    Outcome { kind, namespace, name, status: if well { "success" } else { "failure" } }
}
