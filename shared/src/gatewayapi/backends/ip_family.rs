//! Which IP families a Service has.

use crate::api::envoy_proxy::IpFamily;
use crate::api::service::Service;

/// The IP family of a Service, as far as it says one.
#[must_use]
pub fn ip_family(service: &Service) -> Option<IpFamily> {
    if service.spec.ip_family_policy.as_deref() == Some("RequireDualStack") {
        return Some(IpFamily::DualStack);
    }
    match service.spec.ip_families.as_deref().unwrap_or_default() {
        [] => None,
        [family] => match family.as_str() {
            "IPv4" => Some(IpFamily::Ipv4),
            "IPv6" => Some(IpFamily::Ipv6),
            _ => None,
        },
        _ => Some(IpFamily::DualStack),
    }
}
