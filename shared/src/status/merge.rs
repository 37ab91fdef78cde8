//! Putting what we say into the status an object has: our words in the place of our older ones, everybody else's
//! untouched and where they were (design §6 rules 2 and 9).

use serde_json::{Map, Value, json};

/// Which part of the statuses of a kind is ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// All of it: an object has one controller.
    All,
    /// All of it but conditions of types that we say nothing about.
    Conditions,
    /// Entries of `parents` with our name as `controllerName`.
    Parents,
    /// Entries of `ancestors` with our name as `controllerName`.
    Ancestors,
}

/// A list in a status that controllers share.
struct SharedList {
    name: &'static str,
    /// The field that says what an entry is about.
    reference: &'static str,
    /// The most entries it can have (the CRDs' limits).
    most: usize,
}

const PARENTS: SharedList = SharedList { name: "parents", reference: "parentRef", most: 32 };
const ANCESTORS: SharedList = SharedList { name: "ancestors", reference: "ancestorRef", most: 16 };

/// What the API server fills into a reference that says nothing of it.
const DEFAULT_GROUP: &str = "gateway.networking.k8s.io";
const DEFAULT_KIND: &str = "Gateway";

/// What we say about an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    /// The status; `None` when we say nothing.
    pub status: Option<Value>,
    /// References to parents of which we say nothing now, and don't take back what we said either.
    pub left_alone: Vec<Value>,
}

/// The status to write in the place of `current`, where we, `controller`, say `desired`; `None` when nothing but times
/// would change. Conditions that hold, or don't, as before keep their `lastTransitionTime`; others get `now` (RFC 3339).
#[must_use]
pub fn merge(claim: Claim, current: Option<&Value>, desired: Said, controller: &str, now: &str) -> Option<Value> {
    let merged = match claim {
        Claim::All => keep_times(desired.status?, current, now),
        Claim::Conditions => with_foreign_conditions(keep_times(desired.status?, current, now), current),
        Claim::Parents => with_our_entries(&PARENTS, current, desired, controller, now)?,
        Claim::Ancestors => with_our_entries(&ANCESTORS, current, desired, controller, now)?,
    };
    (current != Some(&merged)).then_some(merged)
}

/// Takes times over from `old`: of conditions by type, and of those in entries by name or reference.
fn keep_times(mut new: Value, old: Option<&Value>, now: &str) -> Value {
    for condition in elements(&mut new, "conditions") {
        let earlier = list(old, "conditions").iter().find(|old| old.get("type") == condition.get("type"));
        let same = earlier.filter(|old| old.get("status") == condition.get("status"));
        let time = same.and_then(|old| old.get("lastTransitionTime")).cloned().unwrap_or_else(|| json!(now));
        if let Some(condition) = condition.as_object_mut() {
            condition.insert("lastTransitionTime".to_owned(), time);
        }
    }
    for name in ["listeners", "ancestors"] {
        for entry in elements(&mut new, name) {
            let earlier = list(old, name).iter().find(|old| same_entry(entry, old));
            if let (Some(reference), Some(earlier)) = (entry.get_mut("ancestorRef"), earlier) {
                *reference = earlier.get("ancestorRef").cloned().unwrap_or_default();
            }
            *entry = keep_times(entry.take(), earlier, now);
        }
    }
    new
}

/// Whether two entries of a list of ours are about the same: a listener's name, or an object.
fn same_entry(a: &Value, b: &Value) -> bool {
    a.get("name") == b.get("name") && about(a, "ancestorRef") == about(b, "ancestorRef")
}

/// Puts the conditions of `current` that are not ours where they were.
fn with_foreign_conditions(mut new: Value, current: Option<&Value>) -> Value {
    let mut ours = take_list(&mut new, "conditions");
    let mut all = Vec::new();
    for old in list(current, "conditions") {
        match ours.iter().position(|ours| ours.get("type") == old.get("type")) {
            Some(at) => all.push(ours.remove(at)),
            None => all.push(old.clone()),
        }
    }
    all.append(&mut ours);
    if let Some(status) = new.as_object_mut() {
        status.insert("conditions".to_owned(), Value::Array(all));
    }
    new
}

/// The status with our entries of a shared list as `desired` has them; `None` when there is nothing of ours and nothing
/// was.
fn with_our_entries(
    shared: &SharedList,
    current: Option<&Value>,
    desired: Said,
    controller: &str,
    now: &str,
) -> Option<Value> {
    let Said { status, left_alone } = desired;
    let mut ours: Vec<Option<Value>> = match status {
        Some(mut desired) => take_list(&mut desired, shared.name).into_iter().map(Some).collect(),
        None => Vec::new(),
    };
    let old = list(current, shared.name);
    let is_ours = |entry: &Value| entry.get("controllerName").and_then(Value::as_str) == Some(controller);
    let foreign = old.iter().filter(|entry| !is_ours(entry)).count();
    if ours.is_empty() && foreign == old.len() {
        return None;
    }
    truncate(&mut ours, shared.most.saturating_sub(foreign));
    let same = |a: &Value, b: &Value| about(a, shared.reference) == about(b, shared.reference);
    let mut entries = Vec::with_capacity(old.len().max(ours.len()));
    for old in old {
        if !is_ours(old) {
            entries.push(old.clone());
            continue;
        }
        let slot = ours.iter_mut().find(|ours| ours.as_ref().is_some_and(|ours| same(ours, old)));
        if let Some(mut entry) = slot.and_then(Option::take) {
            // As the API server has it, with its defaults.
            if let (Some(new), Some(old)) = (entry.get_mut(shared.reference), old.get(shared.reference)) {
                *new = old.clone();
            }
            entries.push(keep_times(entry, Some(old), now));
        } else if left_alone.iter().any(|left| about(old, shared.reference) == Some(names(left))) {
            entries.push(old.clone());
        }
    }
    entries.extend(ours.into_iter().flatten().map(|entry| keep_times(entry, None, now)));
    let mut status = current.and_then(Value::as_object).cloned().unwrap_or_else(Map::new);
    status.insert(shared.name.to_owned(), Value::Array(entries));
    Some(Value::Object(status))
}

/// Leaves so many entries, those with bad news first, and says on the last one that there are more.
fn truncate(entries: &mut Vec<Option<Value>>, most: usize) {
    if entries.len() <= most {
        return;
    }
    let is_good = |entry: &Option<Value>| {
        list(entry.as_ref(), "conditions").iter().all(|condition| condition.get("status") != Some(&json!("False")))
    };
    entries.sort_by_key(is_good);
    entries.truncate(most);
    let Some(Some(last)) = entries.last_mut() else { return };
    let generation = list(Some(last), "conditions").first().and_then(|first| first.get("observedGeneration")).cloned();
    let mut conditions = take_list(last, "conditions");
    conditions.retain(|condition| condition.get("type") != Some(&json!("Aggregated")));
    let mut note = json!({
        "type": "Aggregated", "status": "True", "reason": "Aggregated",
        "message": "There are more entries than a status can have; those that are wrong come first",
    });
    if let (Some(note), Some(generation)) = (note.as_object_mut(), generation) {
        note.insert("observedGeneration".to_owned(), generation);
    }
    conditions.push(note);
    if let Some(last) = last.as_object_mut() {
        last.insert("conditions".to_owned(), Value::Array(conditions));
    }
}

/// What an entry is about.
fn about<'a>(entry: &'a Value, reference: &str) -> Option<([&'a str; 5], Option<i64>)> {
    entry.get(reference).map(names)
}

/// What a reference names, with what the API server would fill in.
fn names(reference: &Value) -> ([&str; 5], Option<i64>) {
    let text = |name, default| reference.get(name).and_then(Value::as_str).unwrap_or(default);
    let names = [
        text("group", DEFAULT_GROUP),
        text("kind", DEFAULT_KIND),
        text("namespace", ""),
        text("name", ""),
        text("sectionName", ""),
    ];
    (names, reference.get("port").and_then(Value::as_i64))
}

fn list<'a>(value: Option<&'a Value>, name: &str) -> &'a [Value] {
    value.and_then(|value| value.get(name)).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The elements of the list of this name, to be changed.
fn elements<'a>(value: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> {
    value.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Takes the list of this name out.
fn take_list(value: &mut Value, name: &str) -> Vec<Value> {
    value.get_mut(name).and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: &str = "example.com/us";
    const NOW: &str = "2026-02-03T04:05:06Z";
    const THEN: &str = "2026-01-01T00:00:00Z";

    fn condition(kind: &str, status: &str, reason: &str, time: &str) -> Value {
        let mut condition =
            json!({"type": kind, "status": status, "reason": reason, "message": "m", "observedGeneration": 2});
        if !time.is_empty() {
            condition["lastTransitionTime"] = json!(time);
        }
        condition
    }

    fn parent(name: &str, controller: &str, conditions: &[Value]) -> Value {
        json!({"parentRef": {"name": name}, "controllerName": controller, "conditions": conditions})
    }

    fn stored(name: &str, controller: &str, conditions: &[Value]) -> Value {
        let reference = json!({"group": DEFAULT_GROUP, "kind": DEFAULT_KIND, "name": name});
        json!({"parentRef": reference, "controllerName": controller, "conditions": conditions})
    }

    fn parents(entries: &[Value]) -> Value {
        json!({ "parents": entries })
    }

    fn accepted(status: &str, time: &str) -> Value {
        condition("Accepted", status, "Reason", time)
    }

    fn said(status: Option<Value>) -> Said {
        Said { status, left_alone: Vec::new() }
    }

    fn merged(current: Option<Value>, desired: Option<Value>) -> Option<Value> {
        merge(Claim::Parents, current.as_ref(), said(desired), US, NOW)
    }

    #[test]
    fn what_is_there_already_is_not_written() {
        let current = parents(&[stored("g", US, &[accepted("True", THEN)])]);
        assert_eq!(merged(Some(current), Some(parents(&[parent("g", US, &[accepted("True", "")])]))), None);
    }

    #[test]
    fn times_tell_when_a_condition_turned() {
        let current = parents(&[stored(
            "g",
            US,
            &[accepted("True", THEN), condition("ResolvedRefs", "True", "ResolvedRefs", THEN)],
        )]);
        let desired =
            parents(&[parent("g", US, &[accepted("False", ""), condition("ResolvedRefs", "True", "OtherReason", "")])]);
        let wanted = parents(&[stored(
            "g",
            US,
            &[accepted("False", NOW), condition("ResolvedRefs", "True", "OtherReason", THEN)],
        )]);
        assert_eq!(merged(Some(current), Some(desired)), Some(wanted));
    }

    #[test]
    fn entries_of_others_stay_as_and_where_they_are() {
        // Odd as it is: it isn't ours to judge.
        let theirs = json!({"controllerName": "example.com/them", "parentRef": {"name": "g"}, "odd": [1]});
        let current = parents(&[
            stored("gone", US, &[accepted("True", THEN)]),
            theirs.clone(),
            stored("g", US, &[accepted("True", THEN)]),
        ]);
        let desired = parents(&[parent("new", US, &[accepted("True", "")]), parent("g", US, &[accepted("True", "")])]);
        let wanted = parents(&[
            theirs.clone(),
            stored("g", US, &[accepted("True", THEN)]),
            parent("new", US, &[accepted("True", NOW)]),
        ]);
        assert_eq!(merged(Some(current), Some(desired)), Some(wanted));
        let current = parents(&[theirs.clone(), stored("g", US, &[])]);
        assert_eq!(merged(Some(current), None), Some(parents(std::slice::from_ref(&theirs))));
        assert_eq!(merged(Some(parents(&[theirs])), None), None);
    }

    #[test]
    fn where_nothing_was_and_nothing_is_to_be_nothing_is_written() {
        assert_eq!(merged(None, None), None);
        assert_eq!(merged(Some(json!({})), Some(parents(&[]))), None);
    }

    #[test]
    fn what_was_said_of_a_parent_that_is_left_alone_stays() {
        let current = parents(&[stored("failed", US, &[accepted("True", THEN)]), stored("gone", US, &[])]);
        let desired = Said { status: None, left_alone: vec![json!({"name": "failed"})] };
        let wanted = parents(&[stored("failed", US, &[accepted("True", THEN)])]);
        assert_eq!(merge(Claim::Parents, Some(&current), desired, US, NOW), Some(wanted));
    }

    #[test]
    fn two_sections_of_a_parent_are_two_entries() {
        let section = |section: &str, status: &str, time: &str| {
            json!({"parentRef": {"name": "g", "sectionName": section}, "controllerName": US,
                   "conditions": [accepted(status, time)]})
        };
        let current = parents(&[section("a", "True", THEN), section("b", "True", THEN)]);
        let desired = parents(&[section("a", "True", ""), section("b", "False", "")]);
        let wanted = parents(&[section("a", "True", THEN), section("b", "False", NOW)]);
        assert_eq!(merged(Some(current), Some(desired)), Some(wanted));
    }

    #[test]
    fn others_keep_their_place_when_there_are_too_many() {
        let theirs: Vec<Value> = (0..30).map(|n| stored(&format!("t{n}"), "example.com/them", &[])).collect();
        let mut ours: Vec<Value> = (0..4).map(|n| parent(&format!("o{n}"), US, &[accepted("True", "")])).collect();
        ours.push(parent("bad", US, &[accepted("False", "")]));
        let status = merged(Some(parents(&theirs)), Some(parents(&ours))).unwrap();
        let entries = status["parents"].as_array().unwrap();
        assert_eq!(entries.len(), 32);
        assert_eq!(&entries[..30], theirs);
        assert_eq!(entries[30]["parentRef"]["name"], "bad");
        assert_eq!(entries[31]["conditions"][1]["type"], "Aggregated");
        assert_eq!(entries[31]["conditions"][1]["observedGeneration"], 2);
        assert_eq!(merged(Some(status), Some(parents(&ours))), None, "the next time it is the same");
    }

    #[test]
    fn a_gateway_has_one_controller() {
        let listener = |name: &str, status: &str, time: &str| json!({"name": name, "attachedRoutes": 0, "conditions": [accepted(status, time)]});
        let current = json!({
            "conditions": [accepted("True", THEN), condition("example.com/Odd", "True", "x", THEN)],
            "addresses": [{"type": "IPAddress", "value": "1.2.3.4"}],
            "listeners": [listener("a", "True", THEN), listener("b", "True", THEN)],
        });
        let desired = json!({"conditions": [accepted("True", "")], "listeners": [listener("b", "True", ""), listener("a", "False", "")]});
        let wanted = json!({"conditions": [accepted("True", THEN)], "listeners": [listener("b", "True", THEN), listener("a", "False", NOW)]});
        assert_eq!(merge(Claim::All, Some(&current), said(Some(desired.clone())), US, NOW), Some(wanted.clone()));
        assert_eq!(merge(Claim::All, Some(&wanted), said(Some(desired)), US, NOW), None);
        assert_eq!(merge(Claim::All, Some(&current), said(None), US, NOW), None, "it is not ours any more");
    }

    #[test]
    fn conditions_of_a_class_that_others_set_stay() {
        let odd = condition("example.com/Odd", "True", "x", THEN);
        let current = json!({"conditions": [odd, accepted("Unknown", THEN)]});
        let desired = json!({"conditions": [accepted("True", "")], "supportedFeatures": [{"name": "Gateway"}]});
        let status = merge(Claim::Conditions, Some(&current), said(Some(desired.clone())), US, NOW).unwrap();
        assert_eq!(status["conditions"], json!([odd, accepted("True", NOW)]));
        assert_eq!(merge(Claim::Conditions, Some(&status), said(Some(desired)), US, NOW), None);
    }
}
