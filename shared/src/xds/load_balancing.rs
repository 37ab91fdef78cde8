//! How endpoints are chosen.

use std::sync::LazyLock;

use prost::{Message, Name};

use super::encode::pack;
use super::pb::cluster::{LoadBalancingPolicy, load_balancing_policy::Policy};
use super::pb::core::TypedExtensionConfig;
use super::pb::lb::client_side_weighted_round_robin::v3::ClientSideWeightedRoundRobin;
use super::pb::lb::cluster_provided::v3::ClusterProvided;
use super::pb::lb::common::v3::{
    LocalityLbConfig, OrcaOobReportingConfig, SlowStartConfig, locality_lb_config,
    locality_lb_config::LocalityConfigSpecifier,
};
use super::pb::lb::least_request::v3::LeastRequest;
use super::pb::lb::maglev::v3::Maglev;
use super::pb::lb::override_host::v3::{OverrideHost, override_host::OverrideHostSource};
use super::pb::lb::random::v3::Random;
use super::pb::lb::round_robin::v3::RoundRobin;
use super::pb::lb::wrr_locality::v3::WrrLocality;
use super::pb::wkt;
use super::values::{boolean, duration, percent, uint32};
use crate::api::duration::Duration;
use crate::ir::{BackendUtilization, DestinationSetting, EndpointOverride, LoadBalancer, PreferLocalZone, SlowStart};

/// The policy of nearly every cluster, made once.
static DEFAULT: LazyLock<LoadBalancingPolicy> = LazyLock::new(|| {
    policy(LEAST_REQUEST, &LeastRequest { locality_lb_config: Some(weighted_localities()), ..LeastRequest::default() })
});

const LEAST_REQUEST: &str = "least_request";

/// The policy of a cluster; none where the IR names a balancer without saying which kind.
pub(super) fn load_balancing(
    balancer: Option<&LoadBalancer>,
    settings: &[DestinationSetting],
) -> Option<LoadBalancingPolicy> {
    let near = balancer.and_then(|balancer| balancer.prefer_local.as_ref()).or(if let [only] = settings {
        only.prefer_local.as_deref()
    } else {
        None
    });
    let Some(balancer) = balancer else {
        return Some(match near {
            None => DEFAULT.clone(),
            Some(_) => policy(
                LEAST_REQUEST,
                &LeastRequest { locality_lb_config: Some(localities(near)), ..LeastRequest::default() },
            ),
        });
    };
    if let Some(source) = &balancer.endpoint_override {
        return Some(endpoint_override(source, balancer));
    }
    chosen(balancer, localities(near))
}

fn chosen(balancer: &LoadBalancer, localities: LocalityLbConfig) -> Option<LoadBalancingPolicy> {
    if let Some(least_request) = &balancer.least_request {
        return Some(policy(
            LEAST_REQUEST,
            &LeastRequest {
                locality_lb_config: Some(localities),
                slow_start_config: slow_start(least_request.slow_start.as_ref()),
                ..LeastRequest::default()
            },
        ));
    }
    if let Some(round_robin) = &balancer.round_robin {
        return Some(policy(
            "round_robin",
            &RoundRobin {
                locality_lb_config: Some(localities),
                slow_start_config: slow_start(round_robin.slow_start.as_ref()),
            },
        ));
    }
    if balancer.random.is_some() {
        return Some(policy("random", &Random { locality_lb_config: Some(localities) }));
    }
    if let Some(consistent_hash) = &balancer.consistent_hash {
        return Some(policy(
            "maglev",
            &Maglev {
                table_size: consistent_hash.table_size.map(|value| wkt::UInt64Value { value }),
                locality_weighted_lb_config: (!balancer.weighted_zones.is_empty())
                    .then(locality_lb_config::LocalityWeightedLbConfig::default),
                ..Maglev::default()
            },
        ));
    }
    balancer.backend_utilization.as_ref().map(|source| backend_utilization(source, balancer))
}

/// For clusters that bring their own.
pub(super) fn cluster_provided() -> LoadBalancingPolicy {
    policy("cluster_provided", &ClusterProvided {})
}

fn policy<M: Message + Name>(kind: &str, config: &M) -> LoadBalancingPolicy {
    LoadBalancingPolicy {
        policies: vec![Policy {
            typed_extension_config: Some(TypedExtensionConfig {
                name: format!("envoy.load_balancing_policies.{kind}"),
                typed_config: Some(pack(config)),
            }),
        }],
    }
}

/// Localities by weight, unless near endpoints go first.
fn localities(near: Option<&PreferLocalZone>) -> LocalityLbConfig {
    let Some(PreferLocalZone { force, min_endpoints_threshold, percentage_enabled }) = near else {
        return weighted_localities();
    };
    LocalityLbConfig {
        locality_config_specifier: Some(LocalityConfigSpecifier::ZoneAwareLbConfig(
            locality_lb_config::ZoneAwareLbConfig {
                min_cluster_size: Some(wkt::UInt64Value { value: min_endpoints_threshold.unwrap_or(6) }),
                routing_enabled: percentage_enabled.map(percent),
                force_local_zone: force.as_ref().map(|force| {
                    locality_lb_config::zone_aware_lb_config::ForceLocalZone {
                        min_size: Some(uint32(force.min_endpoints_in_zone_threshold.unwrap_or(1))),
                    }
                }),
                ..locality_lb_config::ZoneAwareLbConfig::default()
            },
        )),
    }
}

fn weighted_localities() -> LocalityLbConfig {
    LocalityLbConfig {
        locality_config_specifier: Some(LocalityConfigSpecifier::LocalityWeightedLbConfig(
            locality_lb_config::LocalityWeightedLbConfig::default(),
        )),
    }
}

fn slow_start(source: Option<&SlowStart>) -> Option<SlowStartConfig> {
    let window = source?.window?;
    Some(SlowStartConfig { slow_start_window: Some(duration(window)), ..SlowStartConfig::default() })
}

/// The endpoint a header names, else what the balancer's kind would choose. The fallback carries no locality options.
fn endpoint_override(source: &EndpointOverride, balancer: &LoadBalancer) -> LoadBalancingPolicy {
    let fallback = if balancer.least_request.is_some() {
        policy(LEAST_REQUEST, &LeastRequest::default())
    } else if balancer.round_robin.is_some() {
        policy("round_robin", &RoundRobin::default())
    } else if balancer.random.is_some() {
        policy("random", &Random::default())
    } else if balancer.consistent_hash.is_some() {
        policy("maglev", &Maglev::default())
    } else if let Some(utilization) = &balancer.backend_utilization {
        backend_utilization(utilization, balancer)
    } else {
        policy(LEAST_REQUEST, &LeastRequest::default())
    };
    policy(
        "override_host",
        &OverrideHost {
            override_host_sources: source
                .extract_from
                .iter()
                .map(|source| OverrideHostSource {
                    header: source.header.clone().unwrap_or_default(),
                    ..OverrideHostSource::default()
                })
                .collect(),
            fallback_policy: Some(fallback),
            ..OverrideHost::default()
        },
    )
}

/// Weights that backends report themselves. It can't weigh zones, so where zones have weights it is wrapped.
fn backend_utilization(source: &BackendUtilization, balancer: &LoadBalancer) -> LoadBalancingPolicy {
    // `keepResponseHeaders` is the listener's business: the headers are removed there unless it is set.
    let BackendUtilization {
        blackout_period,
        weight_expiration_period,
        weight_update_period,
        error_utilization_penalty_percent,
        metric_names_for_computing_utilization,
        slow_start: slow,
        keep_response_headers: _,
        out_of_band,
    } = source;
    let positive = |value: &Option<Duration>| value.filter(|value| *value > Duration::ZERO).map(duration);
    let mut config = ClientSideWeightedRoundRobin {
        blackout_period: positive(blackout_period),
        weight_expiration_period: positive(weight_expiration_period),
        weight_update_period: positive(weight_update_period),
        slow_start_config: slow
            .as_ref()
            .filter(|slow| positive(&slow.window).is_some())
            .and_then(|slow| slow_start(Some(slow))),
        error_utilization_penalty: error_utilization_penalty_percent.map(penalty),
        metric_names_for_computing_utilization: metric_names_for_computing_utilization.clone(),
        ..ClientSideWeightedRoundRobin::default()
    };
    if let Some(reports) = out_of_band {
        config.enable_oob_load_report = Some(boolean(true));
        config.oob_reporting_period = reports.reporting_period.map(duration);
        if reports.port.is_some() || reports.authority.is_some() {
            config.oob_reporting_config = Some(OrcaOobReportingConfig {
                port_value: reports.port.and_then(|port| u32::try_from(port).ok()).unwrap_or_default(),
                authority: reports.authority.clone().unwrap_or_default(),
                ..OrcaOobReportingConfig::default()
            });
        }
    }
    let inner = policy("client_side_weighted_round_robin", &config);
    if balancer.weighted_zones.is_empty() {
        return inner;
    }
    policy("wrr_locality", &WrrLocality { endpoint_picking_policy: Some(inner) })
}

#[expect(clippy::cast_precision_loss, reason = "a percentage is small enough for an f32")]
fn penalty(percent: u32) -> wkt::FloatValue {
    wkt::FloatValue { value: percent as f32 / 100.0 }
}
