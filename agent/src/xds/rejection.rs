//! What a rejection (NACK) says: which of the resources in the response Envoy names, and what became of the others.

use std::sync::Arc;

/// What can be read from the text of a rejection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The resources of the response that the text names as rejected. Empty: it names none.
    pub guilty: Vec<Arc<str>>,
    /// Whether Envoy applied the rest of the response. It does so for clusters and listeners that it rejects one by one;
    /// in every other case nothing after the first error was looked at.
    pub rest_applied: bool,
}

/// How Envoy begins when it went through a response one by one (`cds_api_helper.cc`, `lds_api.cc`).
const ONE_BY_ONE: [&str; 2] = ["Error adding/updating cluster(s) ", "Error adding/updating listener(s) "];

/// Reads `text`, Envoy's words on a response that carried `names`.
#[must_use]
pub fn read(text: &str, names: &[Arc<str>]) -> Verdict {
    if let [only] = names {
        return Verdict { guilty: vec![Arc::clone(only)], rest_applied: true };
    }
    let list = ONE_BY_ONE.iter().find_map(|start| text.trim_start().strip_prefix(start));
    if let Some(list) = list {
        // Each entry is `NAME: words`, separated by ", " or a line break; words may contain either.
        let guilty: Vec<_> = names.iter().filter(|name| is_entry(list, name)).cloned().collect();
        if !guilty.is_empty() {
            return Verdict { guilty, rest_applied: true };
        }
    }
    Verdict { guilty: names.iter().filter(|name| is_word(text, name)).cloned().collect(), rest_applied: false }
}

/// Whether `name` heads one of the entries of `list`.
fn is_entry(list: &str, name: &str) -> bool {
    list.match_indices(name).any(|(at, _)| {
        let (before, after) = around(list, at, name.len());
        (before.is_empty() || before.ends_with(", ") || before.ends_with('\n')) && after.starts_with(": ")
    })
}

/// Whether `name` stands in `text` and is not a part of a longer name.
fn is_word(text: &str, name: &str) -> bool {
    let inside_a_name = |c: char| c.is_alphanumeric() || matches!(c, '/' | '-' | '_' | '.');
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let (before, after) = around(text, at, name.len());
            let after = after.strip_prefix('.').filter(|rest| !rest.starts_with(inside_a_name)).unwrap_or(after);
            !before.ends_with(inside_a_name) && !after.starts_with(inside_a_name)
        })
}

fn around(text: &str, at: usize, length: usize) -> (&str, &str) {
    (text.get(..at).unwrap_or_default(), text.get(at.saturating_add(length)..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(text: &str, names: &[&str]) -> (Vec<String>, bool) {
        let names: Vec<Arc<str>> = names.iter().map(|it| Arc::from(*it)).collect();
        let Verdict { guilty, rest_applied } = read(text, &names);
        (guilty.iter().map(ToString::to_string).collect(), rest_applied)
    }

    #[test]
    fn envoy_names_listeners_and_clusters() {
        let text = "Error adding/updating listener(s) infra/edge/http: duplicate address\n\
                    infra/edge/https: bad key\n";
        assert_eq!(
            verdict(text, &["infra/edge/http", "infra/edge/https", "infra/edge/tcp"]),
            (vec!["infra/edge/http".into(), "infra/edge/https".into()], true)
        );
        let text = "Error adding/updating cluster(s) a/b: no such host, c: unknown";
        assert_eq!(verdict(text, &["a", "a/b", "b", "c", "d"]), (vec!["a/b".into(), "c".into()], true));
    }

    #[test]
    fn one_resource_needs_no_name() {
        assert_eq!(verdict("missing closing ): a(", &["infra/edge/http"]), (vec!["infra/edge/http".into()], true));
    }

    #[test]
    fn a_name_in_other_words_is_guilty_but_the_rest_was_not_applied() {
        assert_eq!(
            verdict("route config infra/edge/http is bad.", &["infra/edge", "infra/edge/http"]).0,
            ["infra/edge/http"]
        );
        assert_eq!(verdict("duplicate cluster a.", &["a", "b"]), (vec!["a".into()], false));
    }

    #[test]
    fn words_without_a_name_accuse_nobody() {
        assert_eq!(verdict("missing closing ): a(b", &["r1", "r2"]), (vec![], false));
    }
}
