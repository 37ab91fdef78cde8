//! The agent's metrics, under Envoy Gateway's names where it has them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// The stage of the pipeline a number is about, as Envoy Gateway labels it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Stage {
    runner: &'static str,
    message: &'static str,
}

/// The only stage there is: objects in, snapshots out.
const TRANSLATION: Stage = Stage { runner: "gateway-api", message: "provider-resources" };

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Severity {
    severity: &'static str,
}

/// All metrics. Clones count together.
#[derive(Clone, Debug)]
pub struct Metrics {
    registry: Arc<Mutex<Registry>>,
    published: Family<Stage, Counter>,
    translated: Family<Stage, Counter>,
    translation_seconds: Family<Stage, Histogram>,
    panics: Family<Stage, Counter>,
    objects: Gauge,
    file_findings: Family<Severity, Gauge>,
    snapshot_problems: Gauge,
    snapshots_held: Gauge,
    envoys: Gauge,
    envoys_ready: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        let buckets = || Histogram::new([0.001, 0.01, 0.1, 1.0, 5.0, 10.0]);
        let metrics = Self {
            registry: Arc::default(),
            published: Family::default(),
            translated: Family::default(),
            translation_seconds: Family::new_with_constructor(buckets),
            panics: Family::default(),
            objects: Gauge::default(),
            file_findings: Family::default(),
            snapshot_problems: Gauge::default(),
            snapshots_held: Gauge::default(),
            envoys: Gauge::default(),
            envoys_ready: Gauge::default(),
        };
        metrics.register();
        metrics
    }
}

impl Metrics {
    fn register(&self) {
        self.with_registry(|registry| {
            // The encoder appends `_total` to the names of counters.
            registry.register("watchable_publish", "Sets of objects that were handed on", self.published.clone());
            registry.register("watchable_subscribe", "Sets of objects that were translated", self.translated.clone());
            registry.register(
                "watchable_subscribe_duration_seconds",
                "How long a translation took",
                self.translation_seconds.clone(),
            );
            registry.register(
                "watchable_panics_recovered",
                "Translations that broke off through a fault of ours; the last good one goes on",
                self.panics.clone(),
            );
            registry.register("gateway_objects", "Objects that are translated", self.objects.clone());
            registry.register(
                "gateway_file_findings",
                "Errors and warnings about the files or the cluster that objects are read from",
                self.file_findings.clone(),
            );
            registry.register(
                "gateway_snapshot_problems",
                "Parts of fleets' configuration that were left out of their snapshots",
                self.snapshot_problems.clone(),
            );
            registry.register(
                "gateway_snapshots_held",
                "Fleets that are served an older snapshot because the newer one is invalid",
                self.snapshots_held.clone(),
            );
            registry.register("gateway_host_envoys", "Envoys that run on this host", self.envoys.clone());
            registry.register(
                "gateway_host_envoys_ready",
                "Envoys that run on this host and are ready for traffic",
                self.envoys_ready.clone(),
            );
        });
    }

    /// Does something with the registry, such as registering more.
    pub fn with_registry<T>(&self, work: impl FnOnce(&mut Registry) -> T) -> T {
        work(&mut self.registry.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The text Prometheus reads.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.with_registry(|registry| prometheus_client::encoding::text::encode(&mut text, registry));
        text
    }

    /// A set of objects came from the provider.
    pub fn loaded(&self, objects: usize, errors: usize, warnings: usize) {
        self.published.get_or_create(&TRANSLATION).inc();
        self.objects.set(count(objects));
        self.file_findings.get_or_create(&Severity { severity: "error" }).set(count(errors));
        self.file_findings.get_or_create(&Severity { severity: "warning" }).set(count(warnings));
    }

    /// A translation took this long, left this much out, and held this many snapshots back.
    pub fn translated(&self, took: Duration, problems: usize, held: usize) {
        self.translated.get_or_create(&TRANSLATION).inc();
        self.translation_seconds.get_or_create(&TRANSLATION).observe(took.as_secs_f64());
        self.snapshot_problems.set(count(problems));
        self.snapshots_held.set(count(held));
    }

    /// A translation panicked.
    pub fn panicked(&self) {
        self.panics.get_or_create(&TRANSLATION).inc();
    }

    /// So many Envoys run here, and so many of them are ready.
    pub fn envoys(&self, running: usize, ready: usize) {
        self.envoys.set(count(running));
        self.envoys_ready.set(count(ready));
    }
}

fn count(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_dashboards_know() {
        let metrics = Metrics::default();
        metrics.loaded(3, 1, 0);
        metrics.translated(Duration::from_millis(5), 0, 1);
        let text = metrics.encode();
        for line in [
            r#"watchable_publish_total{runner="gateway-api",message="provider-resources"} 1"#,
            r#"watchable_subscribe_duration_seconds_count{runner="gateway-api",message="provider-resources"} 1"#,
            "gateway_snapshots_held 1",
            "gateway_objects 3",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }
}
