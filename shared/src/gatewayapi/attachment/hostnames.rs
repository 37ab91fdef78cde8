//! Which names a route serves on a listener: what both have in common and no other listener has to itself.

use std::collections::BTreeSet;

use crate::gatewayapi::fleet::ListenerContext;

/// Stands for every name.
pub const ANY: &str = "*";

/// The names a route with `route` hostnames serves on the listener at `index` of `listeners`, in order; none if they
/// have nothing in common. A name that another listener of the same port is for belongs to that one (isolation).
#[must_use]
pub fn in_common(route: &[String], listeners: &[ListenerContext], index: usize) -> Vec<String> {
    let Some(own) = listeners.get(index) else { return Vec::new() };
    let own_name = hostname(own);
    if route.is_empty() {
        return vec![own_name.unwrap_or(ANY).to_owned()];
    }
    let mut names = BTreeSet::new();
    for wanted in route {
        match own_name {
            None => drop(names.insert(wanted.as_str())),
            Some(own_name) => names.extend(narrower(own_name, wanted)),
        }
    }
    for (other_index, other) in listeners.iter().enumerate() {
        if other_index != index
            && other.listener.port == own.listener.port
            && let Some(name) = hostname(other)
        {
            names.remove(name);
        }
    }
    names.into_iter().map(str::to_owned).collect()
}

/// The listener's hostname; none means every name.
fn hostname(listener: &ListenerContext) -> Option<&str> {
    listener.listener.hostname.as_deref().filter(|name| !name.is_empty())
}

/// The more specific of two hostnames, where one includes the other.
fn narrower<'n>(a: &'n str, b: &'n str) -> Option<&'n str> {
    if a == b || includes(b, a) {
        Some(a)
    } else if includes(a, b) {
        Some(b)
    } else {
        None
    }
}

/// Whether `wide` is a wildcard that includes the different name `narrow`. As in the Gateway API, `*` stands for any
/// number of labels.
fn includes(wide: &str, narrow: &str) -> bool {
    let Some(suffix) = wide.strip_prefix('*') else { return false };
    match narrow.strip_prefix('*') {
        None => narrow.strip_suffix(suffix).is_some_and(|labels| !labels.is_empty()),
        Some(narrow_suffix) => narrow_suffix.strip_suffix(suffix).is_some_and(|labels| labels.starts_with('.')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gatewayapi::attachment::parents::tests::listener;

    fn common(route: &[&str], own: Option<&str>, others: &[&str]) -> Vec<String> {
        let route: Vec<String> = route.iter().map(|&name| name.to_owned()).collect();
        let mut listeners = vec![listener("own", 80, own)];
        listeners.extend(others.iter().map(|&name| listener("other", 80, Some(name))));
        in_common(&route, &listeners, 0)
    }

    #[test]
    fn without_hostnames_the_listeners_own_is_served() {
        assert_eq!(common(&[], None, &[]), ["*"]);
        assert_eq!(common(&[], Some("*.example.com"), &["a.example.com"]), ["*.example.com"]);
    }

    #[test]
    fn the_narrower_name_wins() {
        assert_eq!(common(&["b.com", "a.com"], None, &[]), ["a.com", "b.com"]);
        assert_eq!(common(&["a.com"], Some("a.com"), &[]), ["a.com"]);
        assert_eq!(common(&["*.com"], Some("a.com"), &[]), ["a.com"]);
        assert_eq!(common(&["a.example.com", "x.org"], Some("*.example.com"), &[]), ["a.example.com"]);
        assert_eq!(common(&["a.b.example.com"], Some("*.example.com"), &[]), ["a.b.example.com"]);
        assert_eq!(common(&["*.com"], Some("*.example.com"), &[]), ["*.example.com"]);
        assert_eq!(common(&["*.a.example.com"], Some("*.example.com"), &[]), ["*.a.example.com"]);
    }

    #[test]
    fn names_that_only_look_alike_have_nothing_in_common() {
        assert!(common(&["example.com"], Some("*.example.com"), &[]).is_empty());
        assert!(common(&["a.com"], Some("b.com"), &[]).is_empty());
        assert!(common(&["*.myexample.com"], Some("*.example.com"), &[]).is_empty());
    }

    #[test]
    fn a_name_of_another_listener_is_left_to_it() {
        assert_eq!(
            common(&["a.example.com", "b.example.com"], Some("*.example.com"), &["a.example.com"]),
            ["b.example.com"]
        );
        let listeners = [listener("own", 80, None), listener("other", 81, Some("a.com"))];
        assert_eq!(in_common(&["a.com".to_owned()], &listeners, 0), ["a.com"], "another port is no rival");
    }
}
