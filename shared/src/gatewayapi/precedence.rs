//! Which of two IR routes on one listener is asked first: the more specific one, as the Gateway API has it.

use std::cmp::Reverse;

use crate::ir::http_route::HttpRoute;
use crate::ir::string_match::StringMatch;

/// How specific a match is; the more specific one sorts first. Matches that are equally specific compare as equal, and
/// the age of their routes decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Precedence {
    path: PathPrecedence,
    /// The longer path first, in bytes. `/` takes every path, as no path does, so it counts 0.
    path_length: Reverse<u32>,
    headers: Conditions,
    cookies: Conditions,
    query_params: Conditions,
}

/// Equality before regular expressions before prefixes. No path at all is the prefix of every path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PathPrecedence {
    Exact,
    RegularExpression,
    Prefix,
}

/// The more conditions of one sort, the more specific; among as many, the more that ask for equality.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Conditions {
    all: Reverse<u32>,
    exact: Reverse<u32>,
}

impl Precedence {
    /// The precedence of one IR route.
    #[must_use]
    pub fn of(route: &HttpRoute) -> Self {
        let (path, length) = route.path_match.as_ref().map_or((PathPrecedence::Prefix, 0), path);
        Self {
            path,
            path_length: few(length),
            headers: Conditions::of(&route.header_matches),
            cookies: Conditions::of(&route.cookie_matches),
            query_params: Conditions::of(&route.query_param_matches),
        }
    }
}

fn path(path: &StringMatch) -> (PathPrecedence, usize) {
    if let Some(exact) = &path.exact {
        (PathPrecedence::Exact, exact.len())
    } else if let Some(expression) = &path.safe_regex {
        (PathPrecedence::RegularExpression, expression.len())
    } else {
        let length = path.prefix.as_deref().filter(|prefix| *prefix != "/").map_or(0, str::len);
        (PathPrecedence::Prefix, length)
    }
}

/// A count, the greater one first. A match with more than four thousand million parts is as specific as one with as many.
fn few(count: usize) -> Reverse<u32> {
    Reverse(u32::try_from(count).unwrap_or(u32::MAX))
}

impl Conditions {
    fn of(conditions: &[StringMatch]) -> Self {
        let exact = conditions.iter().filter(|condition| condition.exact.is_some()).count();
        Self { all: few(conditions.len()), exact: few(exact) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(path: &str, conditions: [&str; 3]) -> HttpRoute {
        let text = |value: &str| Some(value.to_owned());
        let one = |condition: char| StringMatch {
            name: "n".to_owned(),
            exact: (condition == '=').then(|| "v".to_owned()),
            safe_regex: (condition == '~').then(|| "v".to_owned()),
            ..StringMatch::default()
        };
        let [headers, cookies, query_params] = conditions.map(|conditions| conditions.chars().map(one).collect());
        let none = StringMatch::default();
        HttpRoute {
            path_match: match path.split_at_checked(1) {
                Some(("=", path)) => Some(StringMatch { exact: text(path), ..none }),
                Some(("~", path)) => Some(StringMatch { safe_regex: text(path), ..none }),
                Some(_) => Some(StringMatch { prefix: text(path), ..none }),
                None => None,
            },
            header_matches: headers,
            cookie_matches: cookies,
            query_param_matches: query_params,
            ..HttpRoute::default()
        }
    }

    #[test]
    fn from_the_most_specific_to_the_least() {
        let order = [
            route("=/longer", ["", "", ""]),
            route("=/a", ["", "", ""]),
            route("~/a.*", ["", "", ""]),
            route("/abc", ["", "", ""]),
            route("/a", ["==", "", ""]),
            route("/a", ["=~", "", ""]),
            route("/a", ["=", "", ""]),
            route("/a", ["", "=", ""]),
            route("/a", ["", "~", "=="]),
            route("/a", ["", "", "="]),
            route("/a", ["", "", "~"]),
            route("/a", ["", "", ""]),
            route("/", ["", "", ""]),
        ];
        assert!(order.is_sorted_by(|a, b| Precedence::of(a) < Precedence::of(b)));
    }

    #[test]
    fn no_path_is_the_root() {
        assert_eq!(Precedence::of(&route("", ["", "", ""])), Precedence::of(&route("/", ["", "", ""])));
    }
}
