//! IP families of listeners, and the addresses that stand for all of one.

use crate::api::envoy_proxy::{EnvoyProxy, IpFamily};

/// The IP family an EnvoyProxy asks for.
pub(super) fn of(envoy_proxy: Option<&EnvoyProxy>) -> Option<IpFamily> {
    envoy_proxy.and_then(|proxy| proxy.spec.ip_family)
}

/// The address a listener binds to take connections to any address of the family. IPv4 is the default; the IPv6 address
/// takes IPv4 as well where both are wanted.
pub(super) const fn any_address(family: Option<IpFamily>) -> &'static str {
    match family {
        Some(IpFamily::Ipv6 | IpFamily::DualStack) => "::",
        Some(IpFamily::Ipv4) | None => "0.0.0.0",
    }
}
