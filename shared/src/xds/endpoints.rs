//! The endpoints of a cluster: grouped by backend with its weight, or by zone.

use std::collections::BTreeMap;

use super::address::{pipe, socket};
use super::metadata::metadata;
use super::pb::core::{self, HealthStatus, socket_address::Protocol};
use super::pb::endpoint::{
    ClusterLoadAssignment, Endpoint, LbEndpoint, LocalityLbEndpoints, endpoint::HealthCheckConfig,
    lb_endpoint::HostIdentifier,
};
use super::problem::Invalid;
use super::values::{structure, text, uint32};
use crate::ir::{DestinationEndpoint, DestinationSetting, HealthCheck, LoadBalancer, WeightedZoneConfig};

/// The assignment of the cluster `name`.
pub(super) fn load_assignment(
    name: &str,
    settings: &[DestinationSetting],
    health_check: Option<&HealthCheck>,
    load_balancer: Option<&LoadBalancer>,
) -> Result<ClusterLoadAssignment, Invalid> {
    let weighted_zones = load_balancer.map_or(&[][..], |balancer| &balancer.weighted_zones);
    let prefer_local = load_balancer.is_some_and(|balancer| balancer.prefer_local.is_some());
    let mut localities = Vec::with_capacity(settings.len());
    for (index, setting) in settings.iter().enumerate() {
        let marker = setting.tls.as_ref().map(|_| transport_socket_marker(&transport_socket_name(name, index)));
        let endpoint = |source: &DestinationEndpoint| lb_endpoint(source, marker.clone(), health_check);
        if !weighted_zones.is_empty() {
            localities.extend(by_zone(setting, Some(weighted_zones), endpoint)?);
        } else if prefer_local || setting.prefer_local.is_some() {
            localities.extend(by_zone(setting, None, endpoint)?);
        } else {
            localities.push(by_backend(setting, endpoint)?);
        }
    }
    Ok(ClusterLoadAssignment {
        cluster_name: name.to_owned(),
        endpoints: localities,
        ..ClusterLoadAssignment::default()
    })
}

/// The name that ties endpoints of one setting to the transport socket with its TLS options.
pub(super) fn transport_socket_name(cluster: &str, setting: usize) -> String {
    format!("{cluster}/tls/{setting}")
}

fn transport_socket_marker(name: &str) -> core::Metadata {
    core::Metadata {
        filter_metadata: [("envoy.transport_socket_match".to_owned(), structure([("name", text(name))]))].into(),
        ..core::Metadata::default()
    }
}

/// One locality for the backend; its weight is the locality's.
fn by_backend(
    setting: &DestinationSetting,
    endpoint: impl Fn(&DestinationEndpoint) -> Result<LbEndpoint, Invalid>,
) -> Result<LocalityLbEndpoints, Invalid> {
    Ok(LocalityLbEndpoints {
        locality: Some(core::Locality { region: setting.name.to_string(), ..core::Locality::default() }),
        lb_endpoints: setting.endpoints.iter().map(endpoint).collect::<Result<_, _>>()?,
        load_balancing_weight: Some(uint32(locality_weight(setting.weight.unwrap_or(1))?)),
        priority: setting.priority.unwrap_or_default(),
        metadata: metadata(setting.metadata.as_deref()),
        ..LocalityLbEndpoints::default()
    })
}

/// One locality for each zone, by name, so that Envoy can tell near from far; with weights where zones have them.
fn by_zone(
    setting: &DestinationSetting,
    weights: Option<&[WeightedZoneConfig]>,
    endpoint: impl Fn(&DestinationEndpoint) -> Result<LbEndpoint, Invalid>,
) -> Result<Vec<LocalityLbEndpoints>, Invalid> {
    let mut zones: BTreeMap<&str, Vec<LbEndpoint>> = BTreeMap::new();
    for source in &setting.endpoints {
        zones.entry(source.zone.as_deref().unwrap_or_default()).or_default().push(endpoint(source)?);
    }
    let weight_of = |zone: &str| {
        let Some(weights) = weights else { return Ok(None) };
        let configured = weights.iter().rev().find(|weighted| weighted.zone == zone).map_or(1, |found| found.weight);
        locality_weight(configured).map(|weight| Some(uint32(weight)))
    };
    zones
        .into_iter()
        .map(|(zone, lb_endpoints)| {
            Ok(LocalityLbEndpoints {
                locality: Some(core::Locality { zone: zone.to_owned(), ..core::Locality::default() }),
                lb_endpoints,
                load_balancing_weight: weight_of(zone)?,
                priority: setting.priority.unwrap_or_default(),
                metadata: metadata(setting.metadata.as_deref()),
                ..LocalityLbEndpoints::default()
            })
        })
        .collect()
}

fn locality_weight(weight: u32) -> Result<u32, Invalid> {
    if weight == 0 {
        return Err(Invalid::new("weight", "a backend of weight 0 can't stand among a cluster's endpoints"));
    }
    Ok(weight)
}

fn lb_endpoint(
    source: &DestinationEndpoint,
    marker: Option<core::Metadata>,
    health_check: Option<&HealthCheck>,
) -> Result<LbEndpoint, Invalid> {
    let address = match &source.path {
        Some(path) => pipe(path)?,
        None => socket(Protocol::Tcp, &source.host, source.port, false)?,
    };
    Ok(LbEndpoint {
        metadata: marker,
        host_identifier: Some(HostIdentifier::Endpoint(Endpoint {
            hostname: source.hostname.clone().unwrap_or_default(),
            address: Some(address),
            health_check_config: health_check.and_then(|check| health_check_config(check, source)),
            ..Endpoint::default()
        })),
        load_balancing_weight: Some(uint32(1)),
        health_status: if source.draining { HealthStatus::Draining } else { HealthStatus::Unknown }.into(),
    })
}

/// How this endpoint is checked differently: by its own hostname, unless the check names one, and on another port.
fn health_check_config(check: &HealthCheck, source: &DestinationEndpoint) -> Option<HealthCheckConfig> {
    let active = check.active.as_ref()?;
    let names_host = active.http.as_ref().is_some_and(|http| !http.host.is_empty() && http.host != "*");
    let hostname = if names_host { None } else { source.hostname.as_deref().filter(|name| !name.is_empty()) };
    let port = active.overrides.as_ref().map(|overrides| overrides.port);
    (hostname.is_some() || port.is_some()).then(|| HealthCheckConfig {
        hostname: hostname.unwrap_or_default().to_owned(),
        port_value: port.unwrap_or_default(),
        ..HealthCheckConfig::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(host: &str, zone: &str) -> DestinationEndpoint {
        DestinationEndpoint {
            host: host.to_owned(),
            port: 80,
            zone: Some(zone.to_owned()),
            ..DestinationEndpoint::default()
        }
    }

    fn setting(endpoints: Vec<DestinationEndpoint>) -> DestinationSetting {
        DestinationSetting { name: "s".into(), weight: Some(3), endpoints, ..DestinationSetting::default() }
    }

    #[test]
    fn a_backends_weight_is_its_localitys() {
        let made = load_assignment("c", &[setting(vec![endpoint("1.1.1.1", "z")])], None, None).unwrap();
        let locality = made.endpoints.first().unwrap();
        assert_eq!(locality.load_balancing_weight.unwrap().value, 3);
        assert_eq!(locality.locality.as_ref().unwrap().region, "s");
    }

    #[test]
    fn zones_come_in_order_with_their_weights() {
        let balancer = LoadBalancer {
            weighted_zones: vec![WeightedZoneConfig { zone: "b".to_owned(), weight: 7 }],
            ..LoadBalancer::default()
        };
        let settings = [setting(vec![endpoint("1.1.1.1", "b"), endpoint("1.1.1.2", "a")])];
        let made = load_assignment("c", &settings, None, Some(&balancer)).unwrap();
        let zones: Vec<(String, u32)> = made
            .endpoints
            .into_iter()
            .map(|one| (one.locality.unwrap().zone, one.load_balancing_weight.unwrap().value))
            .collect();
        assert_eq!(zones, [("a".to_owned(), 1), ("b".to_owned(), 7)]);
    }

    #[test]
    fn an_empty_host_is_refused() {
        assert!(load_assignment("c", &[setting(vec![endpoint("", "a")])], None, None).is_err());
    }
}
