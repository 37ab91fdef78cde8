//! From the infrastructure IR to the Envoys of this host.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use gateway_shared::api::envoy_proxy::{EnvoyProxySpec, IpFamily as ApiIpFamily};
use gateway_shared::api::envoy_proxy_bootstrap::BootstrapType;
use gateway_shared::api::string_match::StringMatchType;
use gateway_shared::infra::bootstrap::{IpFamily, Options, StatsMatcher};
use gateway_shared::ir::infra::{ProxyInfra, ProxyListener};

use super::proxy::Proxy;

/// The Envoy that `fleet` asks for, whose xDS server listens at `xds`. What this host can't do for it yet is said in
/// words beside it.
#[must_use]
pub fn plan(fleet: &ProxyInfra, xds: SocketAddr, drain_timeout: Duration) -> (Proxy, Vec<String>) {
    let nothing = EnvoyProxySpec::default();
    let spec = fleet.config.as_ref().map_or(&nothing, |config| &config.spec);
    let mut left_out = Vec::new();

    let mut bootstrap = Options::on_this_host(reachable(xds), xds.port());
    bootstrap.ip_family = match spec.ip_family {
        Some(ApiIpFamily::Ipv6) => IpFamily::V6,
        Some(ApiIpFamily::DualStack) => IpFamily::Dual,
        Some(ApiIpFamily::Ipv4) | None => IpFamily::V4,
    };
    bootstrap.stats_matcher = stats_matcher(spec);
    if !fleet.resolved_metric_sinks.is_empty() {
        left_out.push(
            "spec.telemetry.metrics.sinks: metric sinks are not built yet; Envoy keeps its statistics".to_owned(),
        );
    }
    let bootstrap_override = spec.bootstrap.as_ref().and_then(|bootstrap| match bootstrap.r#type {
        None | Some(BootstrapType::Replace) => bootstrap.value.clone(),
        Some(BootstrapType::Merge | BootstrapType::JsonPatch) => {
            left_out
                .push("spec.bootstrap: only type Replace is built; Envoy runs with the default bootstrap".to_owned());
            None
        }
    });

    let levels = spec.logging.as_ref().map(|logging| &logging.level);
    let log_level =
        levels.and_then(|levels| levels.get("default")).map_or_else(|| "warn".to_owned(), ToString::to_string);
    let components: Vec<String> = levels
        .into_iter()
        .flatten()
        .filter(|(component, _)| *component != "default")
        .map(|(component, level)| format!("{component}:{level}"))
        .collect();
    let proxy = Proxy {
        ir_key: fleet.name.clone(),
        bootstrap,
        bootstrap_override,
        log_level,
        component_log_level: Some(if components.is_empty() { "misc:error".to_owned() } else { components.join(",") }),
        concurrency: spec.concurrency,
        extra_arguments: spec.extra_args.clone(),
        drain_timeout: spec
            .shutdown
            .as_ref()
            .and_then(|shutdown| u64::try_from(shutdown.drain_timeout?.as_nanos()).ok())
            .map_or(drain_timeout, Duration::from_nanos),
        ports: fleet.listeners.iter().flat_map(ports).collect(),
    };
    (proxy, left_out)
}

/// An address a server that listens at `address` can be reached at from this host.
fn reachable(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(address) if address.ip().is_unspecified() => "127.0.0.1".to_owned(),
        SocketAddr::V6(address) if address.ip().is_unspecified() => "::1".to_owned(),
        address => address.ip().to_string(),
    }
}

fn ports(listener: &ProxyListener) -> BTreeMap<u16, String> {
    let ports = listener.ports.iter().filter_map(|port| Some((u16::try_from(port.container_port).ok()?, port)));
    ports.map(|(number, port)| (number, format!("port {} of the Gateway", port.service_port))).collect()
}

fn stats_matcher(spec: &EnvoyProxySpec) -> Option<StatsMatcher> {
    let matches = &spec.telemetry.as_ref()?.metrics.as_ref()?.matches;
    let mut matcher = StatsMatcher::default();
    for pattern in matches {
        let list = match pattern.r#type {
            None | Some(StringMatchType::Exact) => &mut matcher.exact,
            Some(StringMatchType::Prefix) => &mut matcher.prefix,
            Some(StringMatchType::Suffix) => &mut matcher.suffix,
            Some(StringMatchType::RegularExpression) => &mut matcher.regex,
        };
        list.push(pattern.value.clone());
    }
    (!matches.is_empty()).then_some(matcher)
}
