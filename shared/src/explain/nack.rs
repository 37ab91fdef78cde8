//! From Envoy's words to the object and field that caused them, where that can be proven.

use serde_json::Value;

use super::facts::Facts;
use super::report::Subject;
use crate::gatewayapi::decision::{ParentOutcome, RouteFragment};

/// Who is to blame for a rejection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Culprit {
    /// The object.
    pub object: Subject,
    /// Its field, if that is known too.
    pub path: Option<String>,
    /// Whether only this one can have caused it: Envoy named it, or its value stands in Envoy's words and nowhere else.
    pub proven: bool,
}

/// Values shorter than this stand in too many texts to prove anything.
const TELLING: usize = 2;

/// The Route of the fleet that Envoy's `error` is about.
#[must_use]
pub fn culprit(facts: &Facts<'_>, ir_key: &str, error: &str) -> Option<Culprit> {
    let routes = facts.outcome.translation.routes.values().filter(|route| is_in(route, ir_key));
    let mut named = Vec::new();
    let mut holding: Vec<(usize, &RouteFragment, String)> = Vec::new();
    for route in routes {
        let in_names = format!("{}/{}/{}/", route.kind.kind().to_lowercase(), route.key.namespace, route.key.name);
        if error.contains(&in_names) {
            named.push((&**route, rule_in(error, &in_names)));
        }
        let manifest = facts.route_manifest(route.kind, &route.key);
        let spec = manifest.get("spec").unwrap_or(&Value::Null);
        if let Some((length, path)) = longest_quoted(spec, "spec".to_owned(), error) {
            holding.push((length, route, path));
        }
    }
    if let [(route, rule)] = named.as_slice() {
        let path = rule.map(|rule| format!("spec.rules[{rule}]"));
        let finer = holding
            .iter()
            .filter(|(_, holder, path_)| {
                (holder.kind, &holder.key) == (route.kind, &route.key)
                    && path.as_ref().is_none_or(|rule| path_.starts_with(rule))
            })
            .max_by_key(|(length, _, _)| *length)
            .map(|(_, _, path)| path.clone());
        return Some(Culprit {
            object: facts.subject(route.kind.kind(), &route.key),
            path: finer.or(path),
            proven: true,
        });
    }
    let longest = holding.iter().map(|(length, _, _)| *length).max()?;
    let mut best = holding.iter().filter(|(length, _, _)| *length == longest);
    let (_, route, path) = best.next()?;
    Some(Culprit {
        object: facts.subject(route.kind.kind(), &route.key),
        path: Some(path.clone()),
        proven: best.next().is_none(),
    })
}

/// Whether a Route has routes in the fleet.
fn is_in(route: &RouteFragment, ir_key: &str) -> bool {
    route.parents.iter().any(|parent| {
        matches!(&parent.outcome, ParentOutcome::Ours { ir_key: key, .. } if &**key == ir_key)
            && (parent.attachments().any(|(_, _, routes)| !routes.is_empty()) || parent.below_http().next().is_some())
    })
}

/// The index of the rule that a generated name in `error` speaks of.
fn rule_in(error: &str, in_names: &str) -> Option<usize> {
    let (_, rest) = error.split_once(in_names)?;
    let digits: String = rest.strip_prefix("rule/")?.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// The longest text under `value` that stands in `error`, as its length and its path.
fn longest_quoted(value: &Value, path: String, error: &str) -> Option<(usize, String)> {
    match value {
        Value::String(text) => (text.len() >= TELLING && quotes(error, text)).then_some((text.len(), path)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .filter_map(|(index, item)| longest_quoted(item, format!("{path}[{index}]"), error))
            .max_by_key(|(length, _)| *length),
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| is_telling(name))
            .filter_map(|(name, item)| longest_quoted(item, format!("{path}.{name}"), error))
            .max_by_key(|(length, _)| *length),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Whether the texts of a field are the user's own words, which can end up in Envoy's.
fn is_telling(field: &str) -> bool {
    !matches!(field, "parentRefs" | "kind" | "group" | "type" | "method" | "sectionName" | "namespace")
}

/// Whether `text` stands in `error` as a whole: not as part of a longer word.
fn quotes(error: &str, text: &str) -> bool {
    error.match_indices(text).any(|(at, _)| {
        let before = error.get(..at).and_then(|before| before.chars().next_back());
        let after = error.get(at + text.len()..).and_then(|after| after.chars().next());
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '_');
        let starts_word = text.chars().next().is_some_and(char::is_alphanumeric);
        let ends_word = text.chars().next_back().is_some_and(char::is_alphanumeric);
        let is_part = (starts_word && is_word(before)) || (ends_word && is_word(after));
        !is_part
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_text_that_envoy_quotes_is_the_field() {
        let spec = serde_json::json!({
            "parentRefs": [{"name": "a("}],
            "rules": [
                {"matches": [{"path": {"type": "PathPrefix", "value": "/"}}]},
                {"matches": [{"path": {"type": "RegularExpression", "value": "a("}}]},
            ],
        });
        let found = longest_quoted(&spec, "spec".to_owned(), "missing closing ): a(");
        assert_eq!(found, Some((2, "spec.rules[1].matches[0].path.value".to_owned())));
        assert_eq!(longest_quoted(&spec, "spec".to_owned(), "Only unique names are supported"), None);
    }

    #[test]
    fn part_of_a_longer_word_is_no_quote() {
        assert!(quotes("invalid domain shop.example.com", "shop.example.com"));
        assert!(!quotes("invalid domain workshop", "shop"));
        assert!(!quotes("cluster cart-v2 is unknown", "cart"));
    }

    #[test]
    fn the_rule_is_read_from_a_generated_name() {
        assert_eq!(rule_in("bad route httproute/shop/r/rule/12/match/0/*", "httproute/shop/r/"), Some(12));
        assert_eq!(rule_in("nothing", "httproute/shop/r/"), None);
    }
}
