//! The command line of an Envoy.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ResourceRequirements;

use crate::api::envoy_proxy::EnvoyProxySpec;
use crate::api::quantity::Quantity;
use crate::diagnostic::Diagnostic;
use crate::infra::bootstrap::{Options, Prometheus, XdsTransport, bootstrap, customize, telemetry};
use crate::infra::config_map::{TOKEN, TRUSTED_CA};
use crate::infra::fleet::Fleet;
use crate::infra::pod::DRAIN_SECONDS;
use crate::infra::shutdown_container::seconds;

/// The arguments of the fleet's Envoys, whose container has these resources.
///
/// # Errors
/// When what is said of the bootstrap configuration can't be applied.
pub(super) fn arguments(fleet: &Fleet<'_>, resources: &ResourceRequirements) -> Result<Vec<String>, Vec<Diagnostic>> {
    let document = bootstrap(&options(fleet, resources));
    let document = customize::customized(document, fleet.spec.bootstrap.as_ref()).map_err(|faults| {
        faults.into_iter().map(|fault| fault.within("spec").within("config").within("proxy")).collect::<Vec<_>>()
    })?;
    let LogLevels { default, components } = log_levels(&fleet.spec);
    let drain = fleet.spec.shutdown.as_ref().and_then(|shutdown| shutdown.drain_timeout);

    // One element each: whoever parses them may not know `--flag=value`.
    let mut arguments = vec!["--service-cluster".to_owned(), fleet.service_cluster()];
    let mut add = |more: &[&str]| arguments.extend(more.iter().map(|argument| (*argument).to_owned()));
    add(&["--service-node", "$(ENVOY_POD_NAME)"]);
    add(&["--config-yaml", &document]);
    add(&["--log-level", &default]);
    add(&["--cpuset-threads"]);
    add(&["--drain-strategy", "immediate"]);
    if let Some(concurrency) = fleet.spec.concurrency {
        add(&["--concurrency", &concurrency.to_string()]);
    }
    add(&["--component-log-level", &components]);
    match drain {
        Some(drain) => add(&["--drain-time-s", &format!("{:.0}", seconds(drain))]),
        None => add(&["--drain-time-s", &DRAIN_SECONDS.to_string()]),
    }
    arguments.extend(fleet.spec.extra_args.iter().cloned());
    Ok(arguments)
}

fn options(fleet: &Fleet<'_>, resources: &ResourceRequirements) -> Options {
    let metrics = fleet.spec.telemetry.as_ref().and_then(|telemetry| telemetry.metrics.as_ref());
    // The dot at the end spares the search domains of the pod.
    let mut options = Options::in_container(format!("{}.", fleet.settings.xds_host()), fleet.service_cluster());
    if fleet.in_gateway_namespace {
        options.transport = XdsTransport::ServiceAccountToken {
            trusted_ca_path: format!("/sds/{TRUSTED_CA}"),
            token_path: format!("/sds/{TOKEN}"),
        };
    }
    options.ip_family = telemetry::ip_family(&fleet.spec);
    options.prometheus = options.prometheus.filter(|_| fleet.serves_prometheus()).map(|prometheus| Prometheus {
        compression: metrics.and_then(|metrics| telemetry::compression(metrics.prometheus.as_ref()?)),
        ..prometheus
    });
    options.sinks = telemetry::sinks(fleet.proxy);
    options.stats_matcher = metrics.and_then(telemetry::stats_matcher);
    if fleet.settings.topology_injector_disabled() {
        options.local_cluster = None;
    }
    options.max_heap_bytes = max_heap_bytes(resources);
    options
}

/// Four fifths of the memory the container may use; none where there is no limit.
fn max_heap_bytes(resources: &ResourceRequirements) -> Option<u64> {
    let limit = resources.limits.as_ref()?.get("memory")?;
    let bytes = u64::try_from(Quantity(limit.0.clone()).value()?).ok()?;
    Some(bytes.saturating_mul(4) / 5).filter(|bytes| *bytes > 0)
}

/// How much an Envoy logs, as its command line takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLevels {
    /// `--log-level`.
    pub default: String,
    /// `--component-log-level`.
    pub components: String,
}

/// How much the Envoys of a fleet log.
#[must_use]
pub fn log_levels(spec: &EnvoyProxySpec) -> LogLevels {
    let nothing = BTreeMap::new();
    let levels = spec.logging.as_ref().map_or(&nothing, |logging| &logging.level);
    let default = levels.get("default").map_or_else(|| "warn".to_owned(), ToString::to_string);
    let mut components: Vec<String> = levels
        .iter()
        .filter(|(component, _)| *component != "default")
        .map(|(component, level)| format!("{component}:{level}"))
        .collect();
    if components.is_empty() {
        components.push("misc:error".to_owned());
    }
    components.sort();
    LogLevels { default, components: components.join(",") }
}
