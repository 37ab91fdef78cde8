//! The status of a route, read off what was decided about it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::api::condition::{Condition, ConditionStatus};
use crate::api::references::ParentReference;
use crate::api::route_status::{RouteParentStatus, RouteStatus};
use crate::gatewayapi::assembly::{ListenerSummary, RouteId};
use crate::gatewayapi::decision::{
    FaultCondition, ListenerOutcome, ParentDecision, ParentOutcome, RouteFault, RouteFragment,
};
use crate::status::{fails, holds, set};

/// The most parents a status can have (the CRDs' limit).
const MAX_PARENTS: usize = 32;

/// The status of a route under our Gateways; parents of others have no part in it. `listeners` is what assembly found
/// out about each listener, by IR name.
#[must_use]
pub fn route_status(
    fragment: &RouteFragment,
    listeners: &BTreeMap<Arc<str>, ListenerSummary>,
    controller_name: &str,
) -> RouteStatus {
    let owner = RouteId { kind: fragment.kind, key: fragment.key.clone() };
    let parents = fragment
        .parents
        .iter()
        .filter_map(|parent| {
            let conditions = conditions(fragment, parent, listeners, &owner)?;
            Some(RouteParentStatus {
                parent_ref: parent.parent.clone(),
                controller_name: controller_name.to_owned(),
                conditions,
            })
        })
        .collect();
    RouteStatus { parents: at_most(parents, fragment.generation) }
}

/// The conditions under one parent, if it is ours.
fn conditions(
    fragment: &RouteFragment,
    parent: &ParentDecision,
    listeners: &BTreeMap<Arc<str>, ListenerSummary>,
    owner: &RouteId,
) -> Option<Vec<Condition>> {
    let ParentOutcome::Ours { listeners: decisions, .. } = &parent.outcome else { return None };
    let generation = fragment.generation;
    let faults = Faults::of(&parent.faults);
    let mut conditions = Vec::new();
    let refusal = decisions_refusal(decisions.iter().map(|decision| &decision.outcome));
    let looked_into = !decisions.iter().any(|decision| matches!(decision.outcome, ListenerOutcome::NotOneRule { .. }));
    let all_dropped = !parent.dropped_rules.is_empty() && parent.dropped_rules.len() == parent.rules;
    match refusal {
        Some((reason, message)) => set(&mut conditions, fails("Accepted", reason, message, generation)),
        None => match faults.get(FaultCondition::Accepted) {
            Some((reason, message)) if all_dropped => {
                set(&mut conditions, fails("Accepted", &reason, message, generation));
            }
            _ => set(&mut conditions, holds("Accepted", "Accepted", "The route is attached", generation)),
        },
    }
    if !looked_into {
        return Some(conditions);
    }
    if let Some((reason, message)) = faults.get(FaultCondition::Accepted).filter(|_| !all_dropped) {
        let message = format!("Rules {:?} are dropped. {message}", parent.dropped_rules);
        set(&mut conditions, holds("PartiallyInvalid", &reason, message, generation));
    }
    match faults.get(FaultCondition::ResolvedRefs) {
        Some((reason, message)) => set(&mut conditions, fails("ResolvedRefs", &reason, message, generation)),
        None => {
            let message = "Everything the route refers to is there and may be referred to";
            set(&mut conditions, holds("ResolvedRefs", "ResolvedRefs", message, generation));
        }
    }
    if let Some((reason, message)) = faults.get(FaultCondition::BackendsAvailable) {
        set(&mut conditions, fails("BackendsAvailable", &reason, message, generation));
    }
    if let Some(message) = overlaps(parent, listeners, owner) {
        set(&mut conditions, holds("RouteRulesOverlap", "RouteRulesOverlap", message, generation));
    }
    Some(conditions)
}

/// Why no listener has the route, if none does: the reason of the listeners that came furthest.
fn decisions_refusal<'d>(outcomes: impl Iterator<Item = &'d ListenerOutcome>) -> Option<(&'static str, String)> {
    let mut refusal: Option<(u8, &'static str, String)> = None;
    for outcome in outcomes {
        let (rank, reason, message) = match outcome {
            ListenerOutcome::Attached { .. } => return None,
            ListenerOutcome::NotOneRule { rules } => (
                4,
                "InvalidRule",
                format!(
                    "The route must have one rule and has {rules}, and nothing says which is for what: make a route of \
                     each, on a listener of its own"
                ),
            ),
            ListenerOutcome::NoHostname { listener } => (
                3,
                "NoMatchingListenerHostname",
                format!(
                    "No hostname of the route is one that the listener serves ({})",
                    listener.as_deref().unwrap_or("every name, but for those of other listeners")
                ),
            ),
            ListenerOutcome::NamespaceNotAllowed { allowed } => (
                2,
                "NotAllowedByListeners",
                format!(
                    "The listener doesn't take routes of this namespace: its allowedRoutes.namespaces says {allowed}"
                ),
            ),
            ListenerOutcome::KindNotAllowed { allowed } => (
                2,
                "NotAllowedByListeners",
                format!("The listener doesn't take routes of this kind; it takes {}", allowed.join(", ")),
            ),
            ListenerOutcome::OtherSection | ListenerOutcome::OtherPort => {
                (1, "NoMatchingParent", "The Gateway has no listener with this sectionName and port".to_owned())
            }
        };
        if refusal.as_ref().is_none_or(|(best, ..)| rank > *best) {
            refusal = Some((rank, reason, message));
        }
    }
    let none = || ("NoMatchingParent", "The Gateway has no listeners".to_owned());
    Some(refusal.map_or_else(none, |(_, reason, message)| (reason, message)))
}

/// Faults by the condition they speak through: reasons, each once and in order, and the words of all.
struct Faults<'f>(BTreeMap<FaultCondition, Vec<&'f RouteFault>>);

impl<'f> Faults<'f> {
    fn of(faults: &'f [RouteFault]) -> Self {
        let mut by_condition: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for fault in faults {
            by_condition.entry(fault.condition).or_default().push(fault);
        }
        Self(by_condition)
    }

    fn get(&self, condition: FaultCondition) -> Option<(String, String)> {
        let faults = self.0.get(&condition)?;
        let reasons: BTreeSet<&str> = faults.iter().map(|fault| fault.diagnostic.reason).collect();
        let words: Vec<String> = faults.iter().map(|fault| fault.diagnostic.to_string()).collect();
        Some((reasons.into_iter().collect::<Vec<_>>().join(","), words.join("\n")))
    }
}

/// The other routes that match exactly what this one matches, on a listener this parentRef leads to.
fn overlaps(
    parent: &ParentDecision,
    listeners: &BTreeMap<Arc<str>, ListenerSummary>,
    owner: &RouteId,
) -> Option<String> {
    let mut others = BTreeSet::new();
    for (decision, _, routes) in parent.attachments() {
        if let Some(summary) = listeners.get(&decision.ir_name) {
            for route in routes {
                others.extend(
                    summary.conflicts(owner, route).map(|other| format!("{} {}", other.kind.kind(), other.key)),
                );
            }
        }
    }
    (!others.is_empty()).then(|| {
        let others = others.into_iter().collect::<Vec<_>>().join(", ");
        format!("Some requests are matched just the same by {others}: the oldest of these routes gets them")
    })
}

/// The parents, or where there are too many of them those with the worst news, the last one marked.
fn at_most(mut parents: Vec<RouteParentStatus>, generation: i64) -> Vec<RouteParentStatus> {
    if parents.len() <= MAX_PARENTS {
        return parents;
    }
    parents.sort_by(|a, b| (rank(a), order(&a.parent_ref)).cmp(&(rank(b), order(&b.parent_ref))));
    parents.truncate(MAX_PARENTS);
    if let Some(last) = parents.last_mut() {
        let message = format!("The route has more than {MAX_PARENTS} parents, and only so many can be shown");
        set(&mut last.conditions, holds("Aggregated", "Aggregated", message, generation));
    }
    parents
}

/// Parents that don't accept the route first, then those with broken references.
fn rank(parent: &RouteParentStatus) -> u8 {
    let is_false = |kind: &str| {
        parent.conditions.iter().any(|condition| condition.r#type == kind && condition.status == ConditionStatus::False)
    };
    if is_false("Accepted") {
        0
    } else if is_false("ResolvedRefs") {
        1
    } else {
        2
    }
}

/// A total order of parent references.
fn order(parent: &ParentReference) -> (&str, &str, &str, i32, &str, &str) {
    let ParentReference { group, kind, namespace, name, section_name, port } = parent;
    (
        namespace.as_deref().unwrap_or_default(),
        name,
        section_name.as_deref().unwrap_or_default(),
        port.unwrap_or(0),
        kind.as_deref().unwrap_or_default(),
        group.as_deref().unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::metadata::ObjectKey;
    use crate::diagnostic::FieldPath;
    use crate::gatewayapi::decision::{ListenerDecision, RouteKind};

    fn parent(
        index: usize,
        outcomes: Vec<ListenerOutcome>,
        faults: Vec<RouteFault>,
        dropped: &[usize],
    ) -> ParentDecision {
        let listeners = outcomes
            .into_iter()
            .map(|outcome| ListenerDecision { listener: "l".to_owned(), port: 80, ir_name: "g/l".into(), outcome })
            .collect();
        ParentDecision {
            parent: ParentReference { name: format!("gateway-{index}"), ..ParentReference::default() },
            index,
            outcome: ParentOutcome::Ours { gateway: ObjectKey::new("infra", "g"), ir_key: "infra/g".into(), listeners },
            faults,
            dropped_rules: dropped.to_vec(),
            rules: 2,
        }
    }

    fn attached() -> ListenerOutcome {
        ListenerOutcome::Attached {
            hostnames: vec!["*".to_owned()],
            listener_ready: true,
            routes: Vec::new(),
            layer4: None,
        }
    }

    fn status(parents: Vec<ParentDecision>) -> RouteStatus {
        let key = ObjectKey::new("shop", "cart");
        let fragment = RouteFragment { kind: RouteKind::Http, key, generation: 7, created: None, parents };
        route_status(&fragment, &BTreeMap::new(), "us")
    }

    fn shown(parent: ParentDecision) -> Vec<(String, &'static str, String)> {
        status(vec![parent]).parents[0]
            .conditions
            .iter()
            .map(|condition| (condition.r#type.clone(), condition.status.as_str(), condition.reason.clone()))
            .collect()
    }

    fn is(found: &[(String, &'static str, String)], wanted: &[(&str, &str, &str)]) {
        let found: Vec<_> =
            found.iter().map(|(kind, status, reason)| (kind.as_str(), *status, reason.as_str())).collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn the_listener_that_came_furthest_gives_the_reason() {
        let other = ListenerOutcome::OtherPort;
        let no_name = ListenerOutcome::NoHostname { listener: None };
        let no_namespace = ListenerOutcome::NamespaceNotAllowed { allowed: "Same".to_owned() };
        let resolved = ("ResolvedRefs", "True", "ResolvedRefs");
        for (outcomes, status, reason) in [
            (vec![attached()], "True", "Accepted"),
            (vec![other.clone(), attached()], "True", "Accepted"),
            (vec![other.clone()], "False", "NoMatchingParent"),
            (vec![], "False", "NoMatchingParent"),
            (vec![other, no_namespace.clone()], "False", "NotAllowedByListeners"),
            (vec![no_namespace, no_name], "False", "NoMatchingListenerHostname"),
        ] {
            is(&shown(parent(0, outcomes, vec![], &[])), &[("Accepted", status, reason), resolved]);
        }
    }

    #[test]
    fn faults_make_the_conditions_they_speak_through() {
        let root = FieldPath::root;
        let accepted = RouteFault::accepted(root(), "UnsupportedValue", "x");
        let missing = RouteFault::reference(root(), "BackendNotFound", "y");
        let denied = RouteFault::reference(root(), "RefNotPermitted", "z");
        let empty = RouteFault::no_endpoints(root(), "e");
        is(
            &shown(parent(0, vec![attached()], vec![accepted.clone(), denied, missing, empty], &[1])),
            &[
                ("Accepted", "True", "Accepted"),
                ("PartiallyInvalid", "True", "UnsupportedValue"),
                ("ResolvedRefs", "False", "BackendNotFound,RefNotPermitted"),
                ("BackendsAvailable", "False", "EndpointsNotFound"),
            ],
        );
        is(
            &shown(parent(0, vec![attached()], vec![accepted], &[0, 1])),
            &[("Accepted", "False", "UnsupportedValue"), ("ResolvedRefs", "True", "ResolvedRefs")],
        );
    }

    #[test]
    fn of_too_many_parents_the_worst_are_shown() {
        let mut parents: Vec<_> = (0..40).map(|index| parent(index, vec![attached()], vec![], &[])).collect();
        parents.push(parent(99, vec![], vec![], &[]));
        let status = status(parents);
        assert_eq!(status.parents.len(), 32);
        assert_eq!(status.parents[0].parent_ref.name, "gateway-99");
        assert_eq!(status.parents[31].conditions.last().unwrap().r#type, "Aggregated");
        assert!(status.parents.iter().all(|parent| parent.conditions[0].observed_generation == Some(7)));
    }

    #[test]
    fn parents_of_others_get_no_status() {
        let mut foreign = parent(0, vec![], vec![], &[]);
        foreign.outcome = ParentOutcome::ForeignKind;
        assert!(status(vec![foreign]).parents.is_empty());
    }
}
