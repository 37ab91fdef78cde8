//! The loop in the middle: a set of objects in, an outcome out. The latest wins; nothing queues.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use arc_swap::ArcSwapOption;
use gateway_shared::api::metadata::Timestamp;
use gateway_shared::config::Config;
use gateway_shared::gatewayapi::translate::Translation;
use gateway_shared::pipeline::{self, Outcome};
use gateway_shared::resources::Resources;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tracing::{debug, error, info, warn};

use crate::metrics::Metrics;
use crate::provider::Loaded;
use crate::xds::cache::{Published, SnapshotCache};
use crate::xds::metrics::XdsMetrics;

/// However long a translation holds, the clock is looked at that often: somebody may set it.
const LONGEST: Duration = Duration::from_mins(10);

/// The longest rest between two translations.
const LONGEST_REST: Duration = Duration::from_millis(100);

/// A translation and what it was made from.
#[derive(Clone, Debug)]
pub struct Translated {
    /// What it gave.
    pub outcome: Arc<Outcome>,
    /// What the files said.
    pub loaded: Arc<Loaded>,
}

/// The latest translation, for whoever answers questions.
pub type Latest = Arc<ArcSwapOption<Translated>>;

/// Who is told of a translation.
#[derive(Clone, Debug)]
pub struct Readers {
    /// What proxies are served.
    pub snapshots: SnapshotCache,
    /// The latest translation.
    pub latest: Latest,
    /// The same, for those who wait for the next.
    pub changes: watch::Sender<()>,
    /// What is counted.
    pub metrics: Metrics,
    /// What is counted about xDS.
    pub xds_metrics: XdsMetrics,
}

/// Translates every set of objects that comes, and everything anew when the configuration changes, until `stop`.
pub async fn run(
    mut objects: watch::Receiver<Option<Arc<Loaded>>>,
    mut config: watch::Receiver<Arc<Config>>,
    readers: Readers,
    stop: CancellationToken,
) {
    let mut cache = pipeline::Cache::default();
    loop {
        let loaded = objects.borrow_and_update().clone();
        let configured = Arc::clone(&config.borrow_and_update());
        let (mut holds_for, mut rest) = (LONGEST, Duration::ZERO);
        if let Some(loaded) = loaded {
            readers.metrics.loaded(loaded.resources.len(), loaded.errors.len(), loaded.warnings.len());
            let started = Instant::now();
            let now = now();
            let mut resources = Resources::clone(&loaded.resources);
            if let Some(now) = now {
                resources.set_now(now);
            }
            let result = tokio::task::spawn_blocking(move || {
                let outcome = pipeline::run(&resources, &configured, &mut cache);
                (outcome, cache)
            })
            .await;
            match result {
                Ok((outcome, back)) => {
                    cache = back;
                    holds_for = holds_until(&outcome.translation, now);
                    publish(outcome, loaded, started, &readers);
                    rest = rest_after(started.elapsed());
                }
                Err(broken) => {
                    // A fault of ours: the last good snapshots go on, and the next objects start from nothing kept.
                    cache = pipeline::Cache::default();
                    readers.metrics.panicked();
                    error!(%broken, "a translation broke off; what was served before goes on");
                }
            }
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(rest) => {}
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(holds_for) => {}
            changed = objects.changed() => if changed.is_err() { return },
            changed = config.changed() => {
                if changed.is_err() {
                    return;
                }
                cache = pipeline::Cache::default();
            }
        }
    }
}

/// How long to rest after a translation that took so long. A change after a quiet time is translated at once; of a stream
/// of changes each translation takes in what came meanwhile, so that thousands of new objects don't cost thousands of
/// translations of everything before them.
fn rest_after(took: Duration) -> Duration {
    took.saturating_mul(3).min(LONGEST_REST)
}

/// The time, by which certificates are judged.
fn now() -> Option<Timestamp> {
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs();
    Timestamp::from_unix_seconds(i64::try_from(seconds).ok()?)
}

/// How long a translation made at `now` holds if nothing changes: until a certificate expires or becomes valid.
fn holds_until(translation: &Translation, now: Option<Timestamp>) -> Duration {
    let until = translation.fleets.values().filter_map(|fleet| fleet.holds_until).min();
    let seconds = until.zip(now).map(|(until, now)| until.saturating_sub(now.unix_seconds()).max(1));
    seconds.and_then(|seconds| u64::try_from(seconds).ok()).map_or(LONGEST, |it| Duration::from_secs(it).min(LONGEST))
}

/// Tells everyone of an outcome. A fleet of which nothing usable is said keeps its snapshot.
fn publish(outcome: Outcome, loaded: Arc<Loaded>, started: Instant, readers: &Readers) {
    let now = SystemTime::now();
    let mut problems = 0_usize;
    let mut held = 0_usize;
    for (key, snapshot) in &outcome.snapshots {
        problems = problems.saturating_add(snapshot.problems.len());
        if let Some(reason) = &snapshot.held_back {
            held = held.saturating_add(1);
            let fault = reason.faults.first().map(ToString::to_string).unwrap_or_default();
            warn!(ir_key = %key, fault, "the new configuration of this fleet is invalid; it keeps the one before");
            readers.xds_metrics.snapshot_created(false);
            // An agent that has none from before leaves proxies with what another one gave them.
            continue;
        }
        if outcome.translation.keeps(key) {
            continue;
        }
        match readers.snapshots.publish(key, Arc::clone(&snapshot.table), now) {
            Published::Unchanged => {}
            Published::Created | Published::Replaced => {
                info!(ir_key = %key, version = snapshot.table.version(), "published a snapshot");
                readers.xds_metrics.snapshot_created(true);
            }
        }
    }
    for key in readers.snapshots.keys() {
        if !outcome.snapshots.contains_key(&key) && !outcome.translation.keeps(&key) {
            info!(ir_key = %key, "this fleet is gone");
            readers.snapshots.remove(&key, now);
        }
    }
    readers.xds_metrics.snapshots(outcome.snapshots.len());
    readers.metrics.translated(started.elapsed(), problems, held);
    debug!(took = ?started.elapsed(), "translated");
    readers.latest.store(Some(Arc::new(Translated { outcome: Arc::new(outcome), loaded })));
    readers.changes.send_replace(());
}

#[cfg(test)]
mod tests {
    use gateway_shared::api::any_object::AnyObject;
    use gateway_shared::api::envoy_gateway_defaults::CONTROLLER_NAME;
    use gateway_shared::api::envoy_proxy::EnvoyProxy;
    use gateway_shared::api::gateway::Gateway;
    use gateway_shared::api::gateway_class::GatewayClass;
    use gateway_shared::gatewayapi::fleet::Fleet;
    use gateway_shared::pipeline::HeldBack;
    use gateway_shared::xds::table::Table;
    use serde_json::json;

    use super::*;

    /// A class that names an EnvoyProxy, one Gateway of it, and `more`.
    fn outcome(more: Option<AnyObject>, cache: &mut pipeline::Cache) -> Outcome {
        let class = json!({"metadata": {"name": "eg"}, "spec": {
            "controllerName": CONTROLLER_NAME,
            "parametersRef": {"group": "gateway.envoyproxy.io", "kind": "EnvoyProxy", "name": "p", "namespace": "n"},
        }});
        let gateway = json!({"metadata": {"name": "g", "namespace": "n"}, "spec": {
            "gatewayClassName": "eg", "listeners": [{"name": "http", "port": 80, "protocol": "HTTP"}],
        }});
        let mut objects: Vec<AnyObject> = vec![
            serde_json::from_value::<GatewayClass>(class).unwrap().into(),
            serde_json::from_value::<Gateway>(gateway).unwrap().into(),
        ];
        objects.extend(more);
        pipeline::run(&objects.into_iter().collect(), &Config::default(), cache)
    }

    fn parameters(spec: serde_json::Value) -> AnyObject {
        let json = json!({"metadata": {"name": "p", "namespace": "n"}, "spec": spec});
        serde_json::from_value::<EnvoyProxy>(json).unwrap().into()
    }

    fn readers() -> Readers {
        let metrics = Metrics::default();
        let xds_metrics = metrics.with_registry(XdsMetrics::new);
        let (snapshots, latest, changes) = (SnapshotCache::new(), Latest::default(), watch::channel(()).0);
        Readers { snapshots, latest, changes, metrics, xds_metrics }
    }

    #[test]
    fn fleets_keep_their_snapshots_while_the_parameters_of_their_class_are_missing() {
        for (spec, key) in [(json!({"mergeGateways": true}), "eg"), (json!({}), "n/g")] {
            let (readers, mut cache) = (readers(), pipeline::Cache::default());
            let published = |outcome| {
                publish(outcome, Arc::default(), Instant::now(), &readers);
                let keys = readers.snapshots.keys();
                assert_eq!(keys.iter().map(|key| &**key).collect::<Vec<_>>(), [key]);
                readers.snapshots.get(key).unwrap()
            };
            let before = published(outcome(Some(parameters(spec)), &mut cache));
            assert_ne!(Table::clone(&before.table), Table::default());
            let after = published(outcome(None, &mut cache));
            assert!(Arc::ptr_eq(&before, &after), "{key}");
        }
    }

    #[test]
    fn a_fleet_of_which_nothing_was_ever_published_is_not_emptied() {
        let readers = readers();
        publish(outcome(None, &mut pipeline::Cache::default()), Arc::default(), Instant::now(), &readers);
        assert!(readers.snapshots.keys().is_empty());

        let mut held = outcome(Some(parameters(json!({}))), &mut pipeline::Cache::default());
        for snapshot in held.snapshots.values_mut() {
            snapshot.held_back = Some(HeldBack { faults: Vec::new() });
            snapshot.table = Arc::default();
        }
        publish(held, Arc::default(), Instant::now(), &readers);
        assert!(readers.snapshots.keys().is_empty());
    }

    #[test]
    fn a_short_translation_is_followed_by_a_short_rest_and_none_is_long() {
        assert_eq!(rest_after(Duration::from_millis(1)), Duration::from_millis(3));
        assert_eq!(rest_after(Duration::from_secs(1)), LONGEST_REST);
    }

    #[test]
    fn a_translation_holds_until_the_first_certificate_ages() {
        let fleet = |until| Fleet {
            ir_key: "a".into(),
            class: "c".into(),
            gateways: Vec::new(),
            frame: Arc::default(),
            infra: Arc::default(),
            holds_until: until,
        };
        let of = |moments: &[Option<i64>]| Translation {
            fleets: moments
                .iter()
                .map(|until| (until.unwrap_or(0).to_string().into(), Arc::new(fleet(*until))))
                .collect(),
            ..Translation::default()
        };
        let now = Timestamp::from_unix_seconds(1000);
        assert_eq!(holds_until(&of(&[None, Some(1070), Some(1030)]), now), Duration::from_secs(30));
        assert_eq!(holds_until(&of(&[Some(990)]), now), Duration::from_secs(1));
        assert_eq!(holds_until(&of(&[Some(999_999)]), now), LONGEST);
        assert_eq!(holds_until(&of(&[None]), now), LONGEST);
    }
}
