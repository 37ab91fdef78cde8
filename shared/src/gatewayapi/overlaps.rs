//! When two IR routes on one listener match exactly the same requests (`RouteRulesOverlap`).

use xxhash_rust::xxh3::Xxh3;

use crate::ir::http_route::HttpRoute;
use crate::ir::string_match::StringMatch;

/// Equal for two routes that match exactly the same requests: a hash of what they match, in a form where equal matches
/// are written alike. 128 bits: that two different ones come out equal doesn't happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OverlapKey(u128);

/// The overlap key of one IR route, its traffic policy included: an upgrade to CONNECT takes the place of the path.
#[must_use]
pub fn overlap_key(route: &HttpRoute) -> OverlapKey {
    let mut hash = Xxh3::new();
    text(&mut hash, &route.hostname);
    if has_connect_upgrade(route) {
        hash.update(b"C");
    } else {
        path(&mut hash, route.path_match.as_ref());
    }
    conditions(&mut hash, &route.header_matches, true);
    conditions(&mut hash, &route.query_param_matches, false);
    conditions(&mut hash, &route.cookie_matches, false);
    OverlapKey(hash.digest128())
}

fn has_connect_upgrade(route: &HttpRoute) -> bool {
    let upgrades = route.traffic.as_ref().map(|traffic| traffic.http_upgrade.as_slice()).unwrap_or_default();
    upgrades.iter().any(|upgrade| upgrade.r#type.eq_ignore_ascii_case("CONNECT"))
}

/// Writes a text so that where it ends is clear.
fn text(hash: &mut Xxh3, text: &str) {
    hash.update(&text.len().to_le_bytes());
    hash.update(text.as_bytes());
}

/// No path is the prefix `/`, and a prefix goes without the slash at its end.
fn path(hash: &mut Xxh3, path: Option<&StringMatch>) {
    let root = || StringMatch { prefix: Some("/".to_owned()), ..StringMatch::default() };
    match path {
        None => condition(hash, &root(), false),
        Some(path) => match path.prefix.as_deref() {
            Some(prefix) if prefix != "/" && prefix.ends_with('/') => {
                let trimmed = prefix.strip_suffix('/').unwrap_or(prefix).to_owned();
                condition(hash, &StringMatch { prefix: Some(trimmed), ..path.clone() }, false);
            }
            _ => condition(hash, path, false),
        },
    }
}

/// The order of conditions means nothing, so they are put in one.
fn conditions(hash: &mut Xxh3, conditions: &[StringMatch], ignore_case: bool) {
    hash.update(&conditions.len().to_le_bytes());
    match conditions {
        [] => {}
        [one] => condition(hash, one, ignore_case),
        several => {
            let mut hashes: Vec<u128> = several
                .iter()
                .map(|one| {
                    let mut hash = Xxh3::new();
                    condition(&mut hash, one, ignore_case);
                    hash.digest128()
                })
                .collect();
            hashes.sort_unstable();
            for one in hashes {
                hash.update(&one.to_le_bytes());
            }
        }
    }
}

fn condition(hash: &mut Xxh3, condition: &StringMatch, ignore_case: bool) {
    let StringMatch { name, exact, prefix, suffix, safe_regex, distinct, invert } = condition;
    if ignore_case {
        text(hash, &name.to_ascii_lowercase())
    } else {
        text(hash, name)
    }
    for value in [exact, prefix, suffix, safe_regex] {
        match value {
            None => hash.update(&[0]),
            Some(value) => {
                hash.update(&[1]);
                text(hash, value);
            }
        }
    }
    hash.update(&[u8::from(*distinct), u8::from(*invert == Some(true))]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, value: &str) -> StringMatch {
        StringMatch { name: name.to_owned(), exact: Some(value.to_owned()), ..StringMatch::default() }
    }

    fn prefix(prefix: &str) -> HttpRoute {
        let path = StringMatch { prefix: Some(prefix.to_owned()), ..StringMatch::default() };
        HttpRoute { path_match: Some(path), ..HttpRoute::default() }
    }

    #[test]
    fn what_matches_alike_is_alike() {
        assert_eq!(overlap_key(&HttpRoute::default()), overlap_key(&prefix("/")));
        assert_eq!(overlap_key(&prefix("/a")), overlap_key(&prefix("/a/")));
        let with = |headers: Vec<StringMatch>| overlap_key(&HttpRoute { header_matches: headers, ..prefix("/a") });
        assert_eq!(with(vec![header("A", "1"), header("b", "2")]), with(vec![header("B", "2"), header("a", "1")]));
    }

    #[test]
    fn what_matches_otherwise_is_not() {
        assert_ne!(overlap_key(&prefix("/a")), overlap_key(&prefix("/b")));
        assert_ne!(overlap_key(&prefix("/a")), overlap_key(&HttpRoute { hostname: "a.com".into(), ..prefix("/a") }));
        let header_route = HttpRoute { header_matches: vec![header("a", "1")], ..prefix("/a") };
        let query_route = HttpRoute { query_param_matches: vec![header("a", "1")], ..prefix("/a") };
        assert_ne!(overlap_key(&header_route), overlap_key(&query_route));
        let upper = HttpRoute { query_param_matches: vec![header("A", "1")], ..prefix("/a") };
        assert_ne!(overlap_key(&query_route), overlap_key(&upper), "parameters have case");
    }
}
