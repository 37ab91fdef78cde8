//! Hostnames of listeners: where one may stand, and when two of them take the same requests.

use super::faults::ListenerFault;
use crate::api::listener::{Listener, ProtocolType};
use crate::diagnostic::FieldPath;

/// A hostname where the protocol knows none.
pub(super) fn check(listener: &Listener) -> Option<ListenerFault> {
    let without = matches!(listener.protocol, ProtocolType::Udp | ProtocolType::Tcp);
    (without && listener.hostname.is_some()).then(|| {
        let message = format!("a listener of protocol {} can't tell hostnames apart; leave it out", listener.protocol);
        ListenerFault::invalid(FieldPath::field("hostname"), message)
    })
}

/// Whether some name is covered by both; none covers all names.
pub(super) fn overlap(one: Option<&str>, other: Option<&str>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => covers(one, other) || covers(other, one),
        _ => true,
    }
}

/// Whether `name` is `pattern` or, where that begins with `*`, one label in its place.
fn covers(pattern: &str, name: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some(suffix) if !suffix.is_empty() && !is_wildcard(name) => {
            name.strip_suffix(suffix).is_some_and(|label| !label.contains('.'))
        }
        _ => pattern == name,
    }
}

fn is_wildcard(name: &str) -> bool {
    name.len() > 1 && name.starts_with('*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_overlap_when_one_covers_the_other() {
        for (one, other, expected) in [
            (None, Some("a.example.com"), true),
            (Some("a.example.com"), Some("a.example.com"), true),
            (Some("a.example.com"), Some("b.example.com"), false),
            (Some("*.example.com"), Some("a.example.com"), true),
            (Some("a.example.com"), Some("*.example.com"), true),
            (Some("*.example.com"), Some("a.b.example.com"), false),
            (Some("*.example.com"), Some("*.example.com"), true),
            (Some("*.example.com"), Some("*.a.example.com"), false),
            (Some("*.example.com"), Some("example.com"), false),
        ] {
            assert_eq!(overlap(one, other), expected, "{one:?} {other:?}");
        }
    }

    #[test]
    fn a_tcp_listener_has_no_hostname() {
        let listener = |protocol: &str| -> Listener {
            serde_json::from_str(&format!(r#"{{"name":"l","port":80,"protocol":"{protocol}","hostname":"a.b"}}"#))
                .unwrap()
        };
        assert_eq!(check(&listener("TCP")).unwrap().diagnostic.path.to_string(), "hostname");
        assert!(check(&listener("UDP")).is_some());
        assert_eq!(check(&listener("TLS")), None);
    }
}
