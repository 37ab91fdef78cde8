//! What has to be done to one fleet: what is wanted against what is there. Pure: it decides, and does nothing.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gateway_shared::infra::object::InfraKind;
use serde_json::Value;

use super::covers::{self, Mismatches};
use super::desired::{Rendered, Wanted};
use super::existing::{Existing, Facts, Store};
use super::kinds::Id;

/// How long a workload that another one replaces is kept while the other has no pod that can serve.
pub(super) const RETIREMENT: Duration = Duration::from_mins(1);
/// How long after it was put right an object is put right again, when somebody changes it anew; twice as long each time.
const DRIFT_PAUSE: Duration = Duration::from_millis(200);
/// The longest of these pauses.
const DRIFT_LIMIT: Duration = Duration::from_mins(1);
/// After so many times in a row somebody is said to work against us.
const FIGHT: u32 = 5;

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Action {
    /// Make sure that nobody asks for the fleet any more, and do nothing else when somebody does.
    Confirm {
        /// Whether we served it before.
        known: bool,
    },
    /// Apply an object.
    Apply(Apply),
    /// Delete an object, if it is still the one with this uid.
    Delete {
        /// Its name.
        id: Id,
        /// Its identity.
        uid: Box<str>,
    },
}

/// How an object is applied.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Apply {
    /// Its name.
    pub(super) id: Id,
    /// What is applied.
    pub(super) content: Arc<Value>,
    /// A hash of what was rendered.
    pub(super) hash: u64,
    /// Why.
    pub(super) why: Why,
    /// The uid of the object in its place that has to go first, since what differs can't be changed.
    pub(super) instead_of: Option<Box<str>>,
    /// Whether it is a Deployment that doesn't say how many replicas it has: then somebody else does.
    pub(super) leaves_replicas_open: bool,
}

/// Why an object is applied.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Why {
    /// The watch doesn't show it. It may be there all the same, made by somebody else.
    Missing,
    /// It was not applied by us since we lead, or not as it is rendered now.
    Changed,
    /// Somebody changed it: these fields.
    Drifted(Mismatches),
}

/// What is remembered of an object that was applied.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Applied {
    /// The uid it has.
    pub(super) uid: Box<str>,
    /// A hash of what was rendered.
    pub(super) hash: u64,
    /// Where the API server writes things in another way than they were rendered: no reason to apply again.
    pub(super) rewritten: Mismatches,
    /// How often in a row it was put right.
    pub(super) repairs: u32,
    /// When it was applied.
    pub(super) at: Instant,
}

/// Everything a decision about one fleet is made from.
pub(super) struct Situation<'a> {
    /// Its IR key.
    pub(super) fleet: &'a str,
    /// What is wanted of it.
    pub(super) wanted: &'a Wanted,
    /// What there is.
    pub(super) store: &'a Store,
    /// What was applied.
    pub(super) applied: &'a BTreeMap<Id, Applied>,
    /// Which fleet wants which object, of all fleets.
    pub(super) claims: &'a BTreeMap<Id, Arc<str>>,
    /// Whether anything may be deleted: not before everything was read once.
    pub(super) complete: bool,
    /// The time.
    pub(super) now: Instant,
}

/// What has to be done to a fleet.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Decision {
    /// In this order.
    pub(super) actions: Vec<Action>,
    /// What stands in the way of the rest.
    pub(super) problem: Option<String>,
    /// When to decide again although nothing changes.
    pub(super) again_at: Option<Instant>,
}

/// Decides about one fleet.
pub(super) fn decide(situation: &Situation<'_>) -> Decision {
    let mut decision = Decision::default();
    match situation.wanted {
        Wanted::Keep(problem) => decision.problem.clone_from(problem),
        Wanted::Objects(rendered) => {
            for object in rendered.iter() {
                apply(situation, object, &mut decision);
            }
            // What takes the place of something else has to be there first.
            if decision.problem.is_none() && situation.complete {
                retire(situation, rendered, &mut decision);
            }
        }
    }
    decision
}

/// What has to be done to a fleet that nobody asks for any more: all of it goes, what clients see first.
/// What has a name that another fleet waits for goes with the rest, for the other makes its own.
pub(super) fn tear_down(fleet: &str, store: &Store) -> Vec<Action> {
    store
        .of_fleet(fleet)
        .rev()
        .filter(|(_, existing)| !existing.deleting)
        .map(|(id, existing)| Action::Delete { id: id.clone(), uid: existing.uid.clone() })
        .collect()
}

fn apply(situation: &Situation<'_>, object: &Rendered, decision: &mut Decision) {
    let Rendered { id, content, hash } = object;
    if let Some(other) = situation.claims.get(id).filter(|claimed| ***claimed != *situation.fleet) {
        return problem(decision, format!("{id} belongs to the fleet {other}: give one of the two another name"));
    }
    let Some(existing) = situation.store.get(id) else {
        let (content, hash, leaves_replicas_open) = (Arc::clone(content), *hash, leaves_replicas_open(object));
        return decision.actions.push(Action::Apply(Apply {
            id: id.clone(),
            content,
            hash,
            why: Why::Missing,
            instead_of: None,
            leaves_replicas_open,
        }));
    };
    if existing.fleet.as_deref() != Some(situation.fleet) {
        return problem(decision, foreign(id, existing.fleet.as_deref()));
    }
    // When it is gone, the watch says so.
    if existing.deleting {
        return;
    }
    let Some(why) = reason(situation, object, existing, decision) else { return };
    let live = existing.document();
    let (content, instead_of) = with_selector(id, content, existing, &live);
    decision.actions.push(Action::Apply(Apply {
        id: id.clone(),
        leaves_replicas_open: leaves_replicas_open(object),
        content,
        hash: *hash,
        why,
        instead_of,
    }));
}

fn leaves_replicas_open(object: &Rendered) -> bool {
    object.id.kind == InfraKind::Deployment && object.content.pointer("/spec/replicas").is_none()
}

/// Why an object that is there has to be applied; `None` when it hasn't.
fn reason(situation: &Situation<'_>, object: &Rendered, existing: &Existing, decision: &mut Decision) -> Option<Why> {
    let Some(applied) = situation.applied.get(&object.id).filter(|applied| applied.uid == existing.uid) else {
        return Some(Why::Changed);
    };
    if applied.hash != object.hash {
        return Some(Why::Changed);
    }
    let mut drift = covers::mismatches(&object.content, &existing.document());
    drift.retain(|path, live| applied.rewritten.get(path) != Some(live));
    if drift.is_empty() {
        return None;
    }
    if applied.repairs >= FIGHT {
        let fields: Vec<&str> = drift.keys().map(String::as_str).collect();
        problem(
            decision,
            format!(
                "somebody keeps changing {} of {}, which is put right each time: find out who (kubectl get -o yaml \
                 --show-managed-fields), or ask for the change in the EnvoyProxy",
                fields.join(", "),
                object.id
            ),
        );
    }
    let pause = match applied.repairs {
        0 => Duration::ZERO,
        repairs => DRIFT_PAUSE.saturating_mul(1_u32.checked_shl(repairs).unwrap_or(u32::MAX)).min(DRIFT_LIMIT),
    };
    let due = applied.at.checked_add(pause).unwrap_or(situation.now);
    if due > situation.now {
        again_at(decision, due);
        return None;
    }
    Some(Why::Drifted(drift))
}

/// How often in a row an object was put right, when it is again at `now`.
pub(super) fn repairs(before: Option<&Applied>, why: &Why, now: Instant) -> u32 {
    match (before, why) {
        (Some(applied), Why::Drifted(_)) if now.duration_since(applied.at) < DRIFT_LIMIT.saturating_mul(2) => {
            applied.repairs.saturating_add(1)
        }
        _ => 0,
    }
}

/// A workload's selector can't be changed: the one that is there is kept where it finds the new pods too, else the
/// workload is made anew.
fn with_selector(id: &Id, content: &Arc<Value>, existing: &Existing, live: &Value) -> (Arc<Value>, Option<Box<str>>) {
    let same = || (Arc::clone(content), None);
    if !is_workload(id.kind) {
        return same();
    }
    let (Some(wanted), Some(there)) = (content.pointer("/spec/selector"), live.pointer("/spec/selector")) else {
        return same();
    };
    if wanted == there {
        return same();
    }
    let labels = content.pointer("/spec/template/metadata/labels").unwrap_or(&Value::Null);
    if !covers::selector_matches(there, labels) {
        return (Arc::clone(content), Some(existing.uid.clone()));
    }
    let mut content = Value::clone(content);
    if let Some(selector) = content.pointer_mut("/spec/selector") {
        *selector = there.clone();
    }
    (Arc::new(content), None)
}

/// Deletes what the fleet no longer has. A workload that another one replaces stays until that serves, and so does what
/// its pods start from and are reached by.
fn retire(situation: &Situation<'_>, rendered: &[Rendered], decision: &mut Decision) {
    let retired = || {
        let of_fleet = situation.store.of_fleet(situation.fleet);
        of_fleet.filter(|(id, existing)| !existing.deleting && rendered.iter().all(|object| object.id != **id))
    };
    let replaced = retired().any(|(id, _)| is_workload(id.kind));
    let stays_until = replaced.then(|| replaced_until(situation, rendered)).flatten();
    for (id, existing) in retired() {
        if let Some(until) = stays_until.filter(|_| is_workload(id.kind) || pods_need(id.kind)) {
            again_at(decision, until);
            continue;
        }
        decision.actions.push(Action::Delete { id: id.clone(), uid: existing.uid.clone() });
    }
}

/// Until when the workload that another one replaces stays, while the other can't serve yet.
fn replaced_until(situation: &Situation<'_>, rendered: &[Rendered]) -> Option<Instant> {
    let newer = rendered.iter().find(|object| is_workload(object.id.kind))?;
    let serves = situation.store.get(&newer.id).is_some_and(|existing| match existing.facts {
        Facts::Workload(workload) => {
            workload.available > 0 || (newer.id.kind == InfraKind::Deployment && workload.desired == 0)
        }
        Facts::Nothing | Facts::Service(_) => true,
    });
    if serves {
        return None;
    }
    // Not applied yet: then it is soon.
    let since = situation.applied.get(&newer.id).map_or(situation.now, |applied| applied.at);
    since.checked_add(RETIREMENT).filter(|until| *until > situation.now)
}

/// Whether the pods of a workload start from objects of this kind, or are reached by them.
const fn pods_need(kind: InfraKind) -> bool {
    matches!(kind, InfraKind::ServiceAccount | InfraKind::ConfigMap | InfraKind::Service)
}

const fn is_workload(kind: InfraKind) -> bool {
    matches!(kind, InfraKind::Deployment | InfraKind::DaemonSet)
}

/// The words for an object that is in the way.
pub(super) fn foreign(id: &Id, fleet: Option<&str>) -> String {
    let whose = fleet.map_or_else(|| "was not made by this gateway".to_owned(), |fleet| format!("belongs to {fleet}"));
    format!(
        "{id} exists and {whose}, so it is left alone: rename or delete it, or give the fleet's object another name in \
         an EnvoyProxy (spec.provider.kubernetes)"
    )
}

fn problem(decision: &mut Decision, words: String) {
    decision.problem.get_or_insert(words);
}

fn again_at(decision: &mut Decision, at: Instant) {
    decision.again_at = Some(decision.again_at.map_or(at, |earlier| earlier.min(at)));
}
