//! Versions as they are written in labels and annotations, and which is the newer.

/// Major, minor, patch, and whether it is a release: `1.2.3-rc.1` comes before `1.2.3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u64, pub u64, pub u64, pub bool);

/// Reads `v1.2.3`, `1.34.1+k3s1`, `v1.6.0-rc.1`, `1.34`.
#[must_use]
pub fn version(text: &str) -> Option<Version> {
    let text = text.trim().trim_start_matches('v');
    let text = text.split('+').next()?;
    let (numbers, before) = match text.split_once('-') {
        Some((numbers, before)) => (numbers, Some(before)),
        None => (text, None),
    };
    let mut parts = numbers.split('.').map(str::parse::<u64>);
    let major = parts.next()?.ok()?;
    let mut rest = || parts.next().map_or(Some(0), Result::ok);
    Some(Version(major, rest()?, rest()?, before.is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_as_people_order_them() {
        assert_eq!(version("v1.34.1+k3s1"), Some(Version(1, 34, 1, true)));
        assert_eq!(version("1.34"), Some(Version(1, 34, 0, true)));
        assert!(version("v1.6.0-rc.1") < version("v1.6.0"));
        assert!(version("v1.10.0") > version("v1.9.9"));
        assert_eq!(version("latest"), None);
    }
}
