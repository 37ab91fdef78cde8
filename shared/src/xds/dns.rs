//! Clusters whose endpoints come from DNS: names of their own, or the host of each request.

use super::encode::pack;
use super::pb::cluster::cluster::{ClusterDiscoveryType, CustomClusterType, DnsLookupFamily};
use super::pb::extensions::clusters::common::dns::v3::DnsLookupFamily as CommonDnsLookupFamily;
use super::pb::extensions::clusters::dns::v3::DnsCluster;
use super::pb::extensions::clusters::dynamic_forward_proxy::v3::{
    ClusterConfig, cluster_config::ClusterImplementationSpecifier,
};
use super::pb::extensions::common::dynamic_forward_proxy::v3::DnsCacheConfig;
use super::values::duration;
use crate::api::dns::DnsLookupFamily as ApiLookupFamily;
use crate::api::duration::Duration;
use crate::api::envoy_proxy::IpFamily;
use crate::ir::{DestinationSetting, Dns};

const DEFAULT_REFRESH: Duration = Duration::from_secs(30);

/// Which addresses are looked up: what DNS settings say, but never outside the backend's IP family.
pub(super) fn lookup_family(ip_family: Option<IpFamily>, dns: Option<&Dns>) -> DnsLookupFamily {
    let custom = dns.and_then(|dns| dns.lookup_family);
    match ip_family {
        Some(IpFamily::Ipv4) => return DnsLookupFamily::V4Only,
        Some(IpFamily::Ipv6) => return DnsLookupFamily::V6Only,
        Some(IpFamily::DualStack) if custom.is_none() => return DnsLookupFamily::All,
        _ => {}
    }
    match custom {
        Some(ApiLookupFamily::Ipv4) => DnsLookupFamily::V4Only,
        Some(ApiLookupFamily::Ipv6) => DnsLookupFamily::V6Only,
        Some(ApiLookupFamily::Ipv6Preferred) => DnsLookupFamily::Auto,
        Some(ApiLookupFamily::Ipv4AndIpv6) => DnsLookupFamily::All,
        Some(ApiLookupFamily::Ipv4Preferred) | None => DnsLookupFamily::V4Preferred,
    }
}

/// The IP family that all settings together need.
pub(super) fn ip_family(settings: &[DestinationSetting]) -> Option<IpFamily> {
    if let [only] = settings {
        return only.ip_family;
    }
    let has = |family| settings.iter().any(|setting| setting.ip_family == Some(family));
    match (has(IpFamily::DualStack), has(IpFamily::Ipv4), has(IpFamily::Ipv6)) {
        (true, _, _) | (_, true, true) => Some(IpFamily::DualStack),
        (_, true, false) => Some(IpFamily::Ipv4),
        (_, false, true) => Some(IpFamily::Ipv6),
        (false, false, false) => None,
    }
}

/// Discovery of a cluster of names. Envoy then reads the family from here and not from the cluster.
pub(super) fn dns_cluster(family: DnsLookupFamily, dns: Option<&Dns>) -> ClusterDiscoveryType {
    let common = match family {
        DnsLookupFamily::V4Only => CommonDnsLookupFamily::V4Only,
        DnsLookupFamily::V6Only => CommonDnsLookupFamily::V6Only,
        DnsLookupFamily::V4Preferred => CommonDnsLookupFamily::V4Preferred,
        DnsLookupFamily::All => CommonDnsLookupFamily::All,
        DnsLookupFamily::Auto => CommonDnsLookupFamily::Auto,
    };
    custom(
        "envoy.cluster.dns",
        pack(&DnsCluster {
            dns_refresh_rate: Some(duration(dns.and_then(|dns| dns.dns_refresh_rate).unwrap_or(DEFAULT_REFRESH))),
            respect_dns_ttl: dns.and_then(|dns| dns.respect_dns_ttl).unwrap_or(true),
            dns_lookup_family: common.into(),
            ..DnsCluster::default()
        }),
    )
}

/// Discovery of a cluster whose endpoint is the host of each request.
pub(super) fn dynamic_resolver(ip_family: Option<IpFamily>, dns: Option<&Dns>) -> ClusterDiscoveryType {
    custom(
        "envoy.clusters.dynamic_forward_proxy",
        pack(&ClusterConfig {
            cluster_implementation_specifier: Some(ClusterImplementationSpecifier::DnsCacheConfig(cache(
                ip_family, dns,
            ))),
            ..ClusterConfig::default()
        }),
    )
}

fn custom(name: &str, config: super::pb::wkt::Any) -> ClusterDiscoveryType {
    ClusterDiscoveryType::ClusterType(CustomClusterType { name: name.to_owned(), typed_config: Some(config) })
}

/// The cache of resolved hosts. Its name holds all that sets caches apart, so that equal ones are shared.
pub(super) fn cache(ip_family: Option<IpFamily>, dns: Option<&Dns>) -> DnsCacheConfig {
    let family = lookup_family(ip_family, dns);
    let refresh =
        dns.and_then(|dns| dns.dns_refresh_rate).filter(|rate| *rate > Duration::ZERO).unwrap_or(DEFAULT_REFRESH);
    let suffix = dns.map(|dns| dns.name.as_str()).filter(|name| !name.is_empty()).unwrap_or("default");
    DnsCacheConfig {
        name: format!(
            "envoy-gateway-dfp-cache-{}-{}ms-{suffix}",
            family.as_str_name().to_lowercase(),
            refresh.as_millis()
        ),
        dns_lookup_family: family.into(),
        dns_refresh_rate: Some(duration(refresh)),
        ..DnsCacheConfig::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_backends_family_rules_over_dns_settings_except_on_dual_stack() {
        let dns = Dns { lookup_family: Some(ApiLookupFamily::Ipv6), ..Dns::default() };
        assert_eq!(lookup_family(Some(IpFamily::Ipv4), Some(&dns)), DnsLookupFamily::V4Only);
        assert_eq!(lookup_family(Some(IpFamily::DualStack), Some(&dns)), DnsLookupFamily::V6Only);
        assert_eq!(lookup_family(Some(IpFamily::DualStack), None), DnsLookupFamily::All);
        assert_eq!(lookup_family(None, None), DnsLookupFamily::V4Preferred);
    }
}
