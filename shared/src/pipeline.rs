//! The whole way from inputs to snapshots, as one call.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::Config;
use crate::diagnostic::Diagnostic;
use crate::gatewayapi::translate::{self, Translation};
use crate::ir;
use crate::resources::Resources;
use crate::xds;
use crate::xds::table::Table;

/// Everything one translation gave. Consumers read it and never speak to each other.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What it was made from.
    pub resources: Resources,
    /// The decisions and the IR.
    pub translation: Translation,
    /// What each fleet is served, by IR key.
    pub snapshots: BTreeMap<Arc<str>, Snapshot>,
}

/// What one fleet is served.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The resources.
    pub table: Arc<Table>,
    /// Parts of the IR that could not be made into resources and were left out; everything else is in the table.
    pub problems: Arc<[xds::Problem]>,
    /// Why this is still the table of an earlier translation, where it is.
    pub held_back: Option<HeldBack>,
}

/// Why a fleet is still served what an earlier translation gave ("conditions green, data plane old").
#[derive(Clone, Debug, PartialEq)]
pub struct HeldBack {
    /// What is wrong with the newer IR.
    pub faults: Vec<Diagnostic>,
}

/// What is kept between runs, for one [`Config`].
#[derive(Debug, Default)]
pub struct Cache {
    translation: translate::Cache,
    fleets: BTreeMap<Arc<str>, FleetCache>,
}

/// What is kept for one fleet.
#[derive(Debug)]
struct FleetCache {
    ir: Arc<ir::xds::Xds>,
    xds: xds::Cache,
    snapshot: Snapshot,
}

/// Translates `resources` and encodes what changed. The result is the same as with an empty cache, but for snapshots
/// that are held back: those depend on what was served before.
pub fn run(resources: &Resources, config: &Config, cache: &mut Cache) -> Outcome {
    let translation = translate::translate(resources, config, &mut cache.translation);
    let options = xds::Options::from(config);
    cache.fleets.retain(|key, _| translation.xds.contains_key(key));
    for (key, ir) in &translation.xds {
        update_snapshot(key, ir, &options, cache);
    }
    let snapshots = cache.fleets.iter().map(|(key, fleet)| (Arc::clone(key), fleet.snapshot.clone())).collect();
    Outcome { resources: resources.clone(), translation, snapshots }
}

/// Brings the snapshot of one fleet up to date with its IR.
fn update_snapshot(key: &Arc<str>, ir: &Arc<ir::xds::Xds>, options: &xds::Options, cache: &mut Cache) {
    let fleet = cache.fleets.entry(Arc::clone(key)).or_insert_with(|| FleetCache {
        ir: Arc::default(),
        xds: xds::Cache::default(),
        snapshot: Snapshot { table: Arc::default(), problems: Arc::from([]), held_back: None },
    });
    if Arc::ptr_eq(&fleet.ir, ir) {
        return;
    }
    fleet.ir = Arc::clone(ir);
    match xds::translate(ir, options, &mut fleet.xds) {
        Ok(xds::Translated { table, problems }) => {
            fleet.snapshot = Snapshot { table: Arc::new(table), problems: problems.into(), held_back: None };
        }
        Err(faults) => fleet.snapshot.held_back = Some(HeldBack { faults }),
    }
}
