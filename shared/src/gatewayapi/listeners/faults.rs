//! What is wrong with a listener, and what its conditions say about that.

use crate::api::condition::Condition;
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::status;

/// The reason of a listener that serves with those of its certificates that are fit.
pub(super) const PARTIALLY_INVALID_CERTIFICATE_REF: &str = "PartiallyInvalidCertificateRef";
/// The reason of a listener none of whose certificates is fit.
pub(super) const INVALID_CERTIFICATE_REF: &str = "InvalidCertificateRef";
/// The reason of a reference that no ReferenceGrant allows.
pub(super) const REF_NOT_PERMITTED: &str = "RefNotPermitted";
/// The reason of a listener that is wrong in itself.
pub(super) const INVALID: &str = "Invalid";

/// The condition of a listener that a fault speaks through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListenerCondition {
    Accepted,
    Programmed,
    ResolvedRefs,
    Conflicted,
}

impl ListenerCondition {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "Accepted",
            Self::Programmed => "Programmed",
            Self::ResolvedRefs => "ResolvedRefs",
            Self::Conflicted => "Conflicted",
        }
    }
}

/// One thing that is wrong with a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListenerFault {
    pub(super) condition: ListenerCondition,
    /// With the path inside the listener.
    pub(super) diagnostic: Diagnostic,
}

impl ListenerFault {
    pub(super) fn new(
        condition: ListenerCondition,
        path: FieldPath,
        reason: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self { condition, diagnostic: Diagnostic::new(path, reason, message) }
    }

    /// The listener is wrong in itself.
    pub(super) fn invalid(path: FieldPath, message: impl Into<String>) -> Self {
        Self::new(ListenerCondition::Programmed, path, INVALID, message)
    }
}

/// For each condition the fault that speaks through it: the last one found.
fn speaking(faults: &[ListenerFault]) -> impl Iterator<Item = &ListenerFault> {
    faults
        .iter()
        .enumerate()
        .filter(|(index, fault)| !faults.iter().skip(index + 1).any(|later| later.condition == fault.condition))
        .map(|(_, fault)| fault)
}

/// Whether a listener with these faults of its own takes part in conflicts with others: one that is wrong in itself
/// must not stand in the way of one that is right.
pub(super) fn takes_part(faults: &[ListenerFault]) -> bool {
    speaking(faults).all(|fault| fault.diagnostic.reason == PARTIALLY_INVALID_CERTIFICATE_REF)
}

/// The conditions of a listener with these faults, and whether it is fit to serve.
pub(super) fn conditions(faults: &[ListenerFault], generation: i64) -> (Vec<Condition>, bool) {
    let speaking: Vec<&ListenerFault> = speaking(faults).collect();
    let certificates_only = match speaking.as_slice() {
        [fault] if fault.condition == ListenerCondition::ResolvedRefs => Some(fault.diagnostic.reason),
        _ => None,
    };
    let ready = faults.is_empty() || certificates_only == Some(PARTIALLY_INVALID_CERTIFICATE_REF);
    let accepted = ready || certificates_only == Some(INVALID_CERTIFICATE_REF);
    let mut conditions = Vec::new();
    for ListenerFault { condition, diagnostic } in speaking {
        let kind = condition.as_str();
        let message = diagnostic.to_string();
        status::set(
            &mut conditions,
            match condition {
                ListenerCondition::Conflicted => status::holds(kind, diagnostic.reason, message, generation),
                _ => status::fails(kind, diagnostic.reason, message, generation),
            },
        );
    }
    if accepted {
        let message = "the listener is right";
        status::set(&mut conditions, status::holds("Accepted", "Accepted", message, generation));
    }
    if ready {
        let message = "the listener is on its way to the proxies";
        status::set(&mut conditions, status::holds("Programmed", "Programmed", message, generation));
    } else if status::find(&conditions, "Programmed").is_none() {
        let message = "the listener isn't given to the proxies; its other conditions say why";
        status::set(&mut conditions, status::fails("Programmed", INVALID, message, generation));
    }
    if status::find(&conditions, "ResolvedRefs").is_none() {
        let message = "everything the listener refers to is there";
        status::set(&mut conditions, status::holds("ResolvedRefs", "ResolvedRefs", message, generation));
    }
    (conditions, ready)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(condition: ListenerCondition, reason: &'static str) -> ListenerFault {
        ListenerFault::new(condition, FieldPath::root(), reason, "because")
    }

    fn shown(faults: &[ListenerFault]) -> (Vec<String>, bool) {
        let (conditions, ready) = conditions(faults, 1);
        (conditions.iter().map(|c| format!("{}={}/{}", c.r#type, c.status, c.reason)).collect(), ready)
    }

    #[test]
    fn a_listener_without_faults_is_ready() {
        let (conditions, ready) = shown(&[]);
        assert!(ready);
        assert_eq!(
            conditions,
            ["Accepted=True/Accepted", "Programmed=True/Programmed", "ResolvedRefs=True/ResolvedRefs"]
        );
    }

    #[test]
    fn a_listener_with_one_fit_certificate_serves() {
        let faults = [fault(ListenerCondition::ResolvedRefs, PARTIALLY_INVALID_CERTIFICATE_REF)];
        let (conditions, ready) = shown(&faults);
        assert!(ready && takes_part(&faults));
        assert_eq!(conditions[0], "ResolvedRefs=False/PartiallyInvalidCertificateRef");
        assert!(conditions.contains(&"Programmed=True/Programmed".to_owned()));
    }

    #[test]
    fn a_listener_without_its_certificate_is_accepted_and_not_programmed() {
        let faults = [fault(ListenerCondition::ResolvedRefs, INVALID_CERTIFICATE_REF)];
        let (conditions, ready) = shown(&faults);
        assert!(!ready && !takes_part(&faults));
        assert_eq!(
            conditions,
            ["ResolvedRefs=False/InvalidCertificateRef", "Accepted=True/Accepted", "Programmed=False/Invalid"]
        );
    }

    #[test]
    fn a_conflict_is_told_and_leaves_references_resolved() {
        let (conditions, ready) = shown(&[fault(ListenerCondition::Conflicted, "HostnameConflict")]);
        assert!(!ready);
        assert_eq!(
            conditions,
            ["Conflicted=True/HostnameConflict", "Programmed=False/Invalid", "ResolvedRefs=True/ResolvedRefs"]
        );
    }

    #[test]
    fn the_last_fault_of_a_condition_speaks() {
        let faults = [
            fault(ListenerCondition::Conflicted, "HostnameConflict"),
            fault(ListenerCondition::Conflicted, "ProtocolConflict"),
        ];
        assert_eq!(shown(&faults).0[0], "Conflicted=True/ProtocolConflict");
    }
}
