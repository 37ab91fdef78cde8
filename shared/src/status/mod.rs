//! Conditions as values: who may say what about an object, in a form the status writer can compare.

pub mod live;
pub mod merge;

use crate::api::condition::{Condition, ConditionStatus};

/// The longest message a condition may have, in bytes (the CRDs' limit).
const MESSAGE_LIMIT: usize = 32_768;
/// What a message that is cut short ends with.
const CUT: &str = " (cut short)";

/// A condition about generation `generation` of an object; without a time, which the writer of statuses adds.
///
/// An object that never met an API server has no generation (0), and its conditions observe none.
#[must_use]
pub fn condition(
    kind: &str,
    status: ConditionStatus,
    reason: &str,
    message: impl Into<String>,
    generation: i64,
) -> Condition {
    Condition {
        r#type: kind.to_owned(),
        status,
        observed_generation: (generation != 0).then_some(generation),
        last_transition_time: None,
        reason: reason.to_owned(),
        message: within_limit(message.into()),
    }
}

/// A condition that holds.
#[must_use]
pub fn holds(kind: &str, reason: &str, message: impl Into<String>, generation: i64) -> Condition {
    condition(kind, ConditionStatus::True, reason, message, generation)
}

/// A condition that doesn't hold.
#[must_use]
pub fn fails(kind: &str, reason: &str, message: impl Into<String>, generation: i64) -> Condition {
    condition(kind, ConditionStatus::False, reason, message, generation)
}

/// Puts `new` in the place of the condition of its type, or behind all others.
pub fn set(conditions: &mut Vec<Condition>, new: Condition) {
    match conditions.iter_mut().find(|condition| condition.r#type == new.r#type) {
        Some(old) => *old = new,
        None => conditions.push(new),
    }
}

/// The condition of this type.
#[must_use]
pub fn find<'a>(conditions: &'a [Condition], kind: &str) -> Option<&'a Condition> {
    conditions.iter().find(|condition| condition.r#type == kind)
}

/// Whether the condition of this type is there and true.
#[must_use]
pub fn is_true(conditions: &[Condition], kind: &str) -> bool {
    find(conditions, kind).is_some_and(|condition| condition.status == ConditionStatus::True)
}

fn within_limit(mut message: String) -> String {
    if message.len() > MESSAGE_LIMIT {
        let mut end = MESSAGE_LIMIT - CUT.len();
        while !message.is_char_boundary(end) {
            end -= 1;
        }
        message.truncate(end);
        message.push_str(CUT);
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_is_cut_between_characters() {
        let cut = within_limit("ü".repeat(MESSAGE_LIMIT));
        assert!(cut.len() <= MESSAGE_LIMIT && cut.ends_with("ü (cut short)"), "{}", cut.len());
        assert_eq!(within_limit("short".into()), "short");
    }

    #[test]
    fn a_condition_takes_the_place_of_the_one_of_its_type() {
        let mut conditions = vec![holds("Accepted", "Accepted", "", 1), holds("Programmed", "Programmed", "", 1)];
        set(&mut conditions, fails("Accepted", "Invalid", "no", 2));
        assert_eq!(conditions.len(), 2);
        assert!(!is_true(&conditions, "Accepted"));
        assert_eq!(find(&conditions, "Accepted").and_then(|condition| condition.observed_generation), Some(2));
    }

    #[test]
    fn without_a_generation_none_is_observed() {
        assert_eq!(holds("Accepted", "Accepted", "", 0).observed_generation, None);
    }
}
