//! What is to be said of fleets, and on which object: pure, but for the time that callers bring.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gateway_shared::api::gateway::Gateway;
use gateway_shared::api::metadata::{Object, ObjectKey, api_version};
use gateway_shared::explain::facts::{Facts, Sources};
use gateway_shared::explain::nack::culprit;
use gateway_shared::explain::question::Kind;
use gateway_shared::gatewayapi::decision::RouteKind;
use gateway_shared::gatewayapi::subjects::{KindFacts, SubjectKind};
use gateway_shared::pipeline::Outcome;
use gateway_shared::xds::table::ResourceType;
use k8s_openapi::api::core::v1::ObjectReference;

use crate::xds::ledger::NodeDelivery;

/// The longest note of an Event, in bytes (the API's limit is 1024).
const NOTE_LIMIT: usize = 1000;
/// When the same is said again, should it still be so: Events are kept for an hour.
const AGAIN: Duration = Duration::from_mins(50);
/// How long something that is over is remembered, so that what comes and goes isn't said each time.
const REMEMBERED: Duration = Duration::from_mins(10);
/// How much is said in one [`WINDOW`].
const AT_MOST: usize = 20;
const WINDOW: Duration = Duration::from_mins(1);

/// Something about a fleet that its owners should hear of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Complaint {
    /// A proxy rejected what it was sent.
    Rejected {
        ir_key: Arc<str>,
        kind: ResourceType,
        /// The resource; `None` when Envoy didn't name one.
        resource: Option<Arc<str>>,
        /// Envoy's words.
        text: Arc<str>,
    },
    /// The newer configuration isn't served at all.
    HeldBack {
        ir_key: Arc<str>,
        /// What is wrong with it.
        text: Arc<str>,
    },
}

/// All there is to complain of. What is held back is the same for every replica: only one of them, `leads`, says it.
pub(super) fn complaints(nodes: &[NodeDelivery], outcome: &Outcome, leads: bool) -> BTreeSet<Complaint> {
    let mut complaints = BTreeSet::new();
    for node in nodes {
        for (kind, delivery) in &node.types {
            let Some(rejection) = &delivery.rejected else { continue };
            let complaint = |resource, text: &str| Complaint::Rejected {
                ir_key: Arc::clone(&node.node.ir_key),
                kind: *kind,
                resource,
                text: text.into(),
            };
            if rejection.resources.is_empty() {
                complaints.insert(complaint(None, &rejection.text));
            }
            let each = rejection.resources.iter();
            complaints.extend(each.map(|it| complaint(Some(Arc::clone(&it.name)), &it.text)));
        }
    }
    for (key, snapshot) in outcome.snapshots.iter().filter(|_| leads) {
        if let Some(held) = &snapshot.held_back {
            let text = held.faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            complaints.insert(Complaint::HeldBack { ir_key: Arc::clone(key), text: text.into() });
        }
    }
    complaints
}

/// What is to be said on one object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Notice {
    pub(super) on: ObjectReference,
    pub(super) reason: &'static str,
    pub(super) note: String,
}

impl Complaint {
    /// Where it is said: on the route that caused it, if that can be proven, else on the Gateways of the fleet.
    pub(super) fn notices(&self, outcome: &Outcome) -> Vec<Notice> {
        let (ir_key, reason, note) = match self {
            Self::Rejected { ir_key, kind, resource, text } => {
                let what = match resource {
                    Some(name) => format!("{kind:?} {name}"),
                    None => format!("resources of type {kind:?}"),
                };
                let note = format!("Proxies of {ir_key} reject {what} and go on with what they had: {text}");
                (ir_key, "ConfigurationRejected", note)
            }
            Self::HeldBack { ir_key, text } => {
                let note = format!("The newer configuration can't be served, so the one before goes on: {text}");
                (ir_key, "ConfigurationHeldBack", note)
            }
        };
        let note = within_limit(note);
        let route = match self {
            Self::Rejected { text, .. } => cause(outcome, ir_key, text),
            Self::HeldBack { .. } => None,
        };
        let on = route.map_or_else(|| gateways(outcome, ir_key), |route| vec![route]);
        on.into_iter().map(|on| Notice { on, reason, note: note.clone() }).collect()
    }
}

/// The route whose words Envoy repeats.
fn cause(outcome: &Outcome, ir_key: &str, text: &str) -> Option<ObjectReference> {
    let sources = Sources::default();
    let facts = Facts::new(outcome, &sources, None);
    let culprit = culprit(&facts, ir_key, text).filter(|culprit| culprit.proven)?;
    let kind = Kind::parse(&culprit.object.kind)?.route()?;
    let key = ObjectKey::new(&culprit.object.namespace, &culprit.object.name);
    let uid = facts.route_metadata(kind, &key).and_then(|metadata| metadata.uid.as_deref());
    Some(on_route(kind, &key, uid))
}

fn on_route(kind: RouteKind, key: &ObjectKey, uid: Option<&str>) -> ObjectReference {
    let KindFacts { group, version, kind, plural: _, claim: _ } = SubjectKind::Route(kind).facts();
    reference(&format!("{group}/{version}"), kind, key, uid)
}

fn gateways(outcome: &Outcome, ir_key: &str) -> Vec<ObjectReference> {
    let fleet = outcome.translation.fleets.get(ir_key);
    let gateways = fleet.into_iter().flat_map(|fleet| &fleet.gateways).map(|context| &context.gateway);
    gateways
        .map(|gateway| {
            reference(&api_version::<Gateway>(), Gateway::KIND, &gateway.key(), gateway.metadata.uid.as_deref())
        })
        .collect()
}

fn reference(api_version: &str, kind: &str, key: &ObjectKey, uid: Option<&str>) -> ObjectReference {
    ObjectReference {
        api_version: Some(api_version.to_owned()),
        kind: Some(kind.to_owned()),
        namespace: Some(key.namespace.to_string()),
        name: Some(key.name.to_string()),
        uid: uid.map(str::to_owned),
        ..ObjectReference::default()
    }
}

fn within_limit(mut note: String) -> String {
    if note.len() > NOTE_LIMIT {
        let end = (0..=NOTE_LIMIT).rev().find(|end| note.is_char_boundary(*end)).unwrap_or(0);
        note.truncate(end);
        note.push('…');
    }
    note
}

/// What was said, so that it isn't said all the time.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// When it was said, and when it was last so.
    said: BTreeMap<Complaint, (Instant, Instant)>,
    window: Option<(Instant, usize)>,
}

impl Said {
    /// What is new among what there is to complain of at `now`; the rest of too much comes later.
    pub(super) fn fresh(&mut self, complaints: BTreeSet<Complaint>, now: Instant) -> Vec<Complaint> {
        let mut fresh = Vec::new();
        for complaint in complaints {
            if let Some((said, last)) = self.said.get_mut(&complaint)
                && now.duration_since(*said) < AGAIN
            {
                *last = now;
            } else if self.may_speak(now) {
                self.said.insert(complaint.clone(), (now, now));
                fresh.push(complaint);
            }
        }
        self.said.retain(|_, (_, last)| now.duration_since(*last) < REMEMBERED);
        fresh
    }

    fn may_speak(&mut self, now: Instant) -> bool {
        let (start, count) = self.window.filter(|(start, _)| now.duration_since(*start) < WINDOW).unwrap_or((now, 0));
        self.window = Some((start, count + 1));
        count < AT_MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(text: &str) -> Complaint {
        Complaint::HeldBack { ir_key: "infra/edge".into(), text: text.into() }
    }

    fn all(texts: &[&str]) -> BTreeSet<Complaint> {
        texts.iter().map(|text| complaint(text)).collect()
    }

    #[test]
    fn what_goes_on_is_said_once_an_hour() {
        let (mut said, start) = (Said::default(), Instant::now());
        assert_eq!(said.fresh(all(&["a"]), start), [complaint("a")]);
        let mut times = 0;
        for minute in 1..=100 {
            times += said.fresh(all(&["a"]), start + Duration::from_mins(minute)).len();
        }
        assert_eq!(times, 2);
    }

    #[test]
    fn what_comes_and_goes_is_not_said_each_time_and_what_comes_back_late_is() {
        let (mut said, start) = (Said::default(), Instant::now());
        said.fresh(all(&["a"]), start);
        said.fresh(all(&[]), start + Duration::from_mins(1));
        assert!(said.fresh(all(&["a"]), start + Duration::from_mins(2)).is_empty());
        said.fresh(all(&[]), start + Duration::from_mins(13));
        assert_eq!(said.fresh(all(&["a"]), start + Duration::from_mins(14)).len(), 1);
    }

    #[test]
    fn of_too_much_the_rest_is_said_later() {
        let (mut said, start) = (Said::default(), Instant::now());
        let many: Vec<String> = (0..30).map(|n| n.to_string()).collect();
        let many: BTreeSet<Complaint> = many.iter().map(|text| complaint(text)).collect();
        assert_eq!(said.fresh(many.clone(), start).len(), AT_MOST);
        assert_eq!(said.fresh(many.clone(), start + WINDOW / 2).len(), 0);
        assert_eq!(said.fresh(many, start + WINDOW).len(), 10);
    }

    #[test]
    fn a_long_note_is_cut_between_characters() {
        assert_eq!(within_limit("ü".repeat(600)), format!("{}…", "ü".repeat(500)));
        assert_eq!(within_limit("short".to_owned()), "short");
    }
}
