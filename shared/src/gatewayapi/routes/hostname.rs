//! Whether a hostname is one that can be rewritten or redirected to.

use std::net::IpAddr;

/// The longest a label may be.
const MAX_LABEL: usize = 63;

/// Why `hostname` can't be the name of a host, if so.
#[must_use]
pub fn fault(hostname: &str) -> Option<String> {
    if !is_subdomain(hostname) {
        Some(format!(
            "{hostname:?} is no hostname: write lower case letters, digits, '-' and '.', such as shop.example.com"
        ))
    } else if is_ip_address(hostname) {
        Some(format!("{hostname:?} is an IP address, and a hostname is needed"))
    } else {
        let label = hostname.split('.').find(|label| label.len() > MAX_LABEL)?;
        Some(format!("the label {label:?} of {hostname:?} is longer than {MAX_LABEL} characters"))
    }
}

/// A DNS subdomain as RFC 1123 and Kubernetes have it.
#[must_use]
pub fn is_subdomain(name: &str) -> bool {
    let alphanumeric = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.len() <= 253
        && name.split('.').all(|label| {
            label.bytes().all(|byte| alphanumeric(byte) || byte == b'-')
                && label.bytes().next().is_some_and(alphanumeric)
                && label.bytes().next_back().is_some_and(alphanumeric)
        })
}

/// Whether the text is an IP address, with or without a zone.
#[must_use]
pub fn is_ip_address(text: &str) -> bool {
    ip_address(text).is_some()
}

/// The IP address a text is; a zone (`fe80::1%eth0`) is left out.
#[must_use]
pub fn ip_address(text: &str) -> Option<IpAddr> {
    match text.split_once('%') {
        Some((address, zone)) if !zone.is_empty() => address.parse().ok().filter(IpAddr::is_ipv6),
        Some(_) => None,
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_hosts() {
        for good in ["shop.example.com", "a", "1a.b-c", &"a".repeat(63)] {
            assert_eq!(fault(good), None, "{good}");
        }
        for bad in ["", "Shop.com", "a_b.com", "a..b", "-a.com", "a-.com", "*.com", "192.168.0.1", &"a".repeat(64)] {
            assert!(fault(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn addresses_with_zones() {
        assert!(is_ip_address("fe80::1%eth0"));
        assert!(!is_ip_address("10.0.0.1%eth0"));
        assert!(!is_ip_address("example.com"));
    }
}
