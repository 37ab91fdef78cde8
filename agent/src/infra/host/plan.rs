//! From the infrastructure IR to the Envoys of this host.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use gateway_shared::api::envoy_proxy::EnvoyProxySpec;
use gateway_shared::infra::bootstrap::{Options, bootstrap, customize, telemetry};
use gateway_shared::infra::{LogLevels, log_levels};
use gateway_shared::ir::infra::{ProxyInfra, ProxyListener};

use super::proxy::Proxy;

/// The Envoy that `fleet` asks for, whose xDS server listens at `xds`. What this host can't do for it yet is said in
/// words beside it.
#[must_use]
pub fn plan(fleet: &ProxyInfra, xds: SocketAddr, drain_timeout: Duration) -> (Proxy, Vec<String>) {
    let nothing = EnvoyProxySpec::default();
    let spec = fleet.config.as_ref().map_or(&nothing, |config| &config.spec);
    let metrics = spec.telemetry.as_ref().and_then(|telemetry| telemetry.metrics.as_ref());

    let mut options = Options::on_this_host(reachable(xds), xds.port());
    options.ip_family = telemetry::ip_family(spec);
    options.stats_matcher = metrics.and_then(telemetry::stats_matcher);
    options.sinks = telemetry::sinks(fleet);
    let customized = spec.bootstrap.as_ref().map(|said| customize::customized(bootstrap(&options), Some(said)));
    let (bootstrap_override, left_out) = match customized.transpose() {
        Ok(document) => (document, Vec::new()),
        Err(faults) => {
            let said = |fault| format!("spec.{fault}; Envoy runs with the default bootstrap");
            (None, faults.iter().map(said).collect())
        }
    };
    let LogLevels { default, components } = log_levels(spec);
    let proxy = Proxy {
        ir_key: fleet.name.clone(),
        bootstrap: options,
        bootstrap_override,
        log_level: default,
        component_log_level: Some(components),
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn planned(spec: serde_json::Value) -> (Proxy, Vec<String>) {
        let fleet = json!({
            "name": "default/eg",
            "config": { "spec": spec },
            "resolvedMetricSinks": [{ "destination": { "settings": [
                { "endpoints": [{ "host": "collector.example", "port": 4317 }] },
            ] } }],
        });
        let fleet: ProxyInfra = serde_json::from_value(fleet).unwrap();
        plan(&fleet, SocketAddr::from(([0, 0, 0, 0], 18000)), Duration::from_secs(60))
    }

    #[test]
    fn a_change_of_the_bootstrap_is_made_to_what_this_host_needs() {
        let change = json!([{ "op": "add", "path": "/admin/profile_path", "value": "/tmp/profile" }]);
        let (proxy, left_out) = planned(json!({
            "telemetry": { "metrics": {} },
            "bootstrap": { "type": "JSONPatch", "jsonPatches": change },
        }));
        let document = proxy.bootstrap_override.unwrap_or_default();
        assert!(document.contains("profile_path: /tmp/profile") && document.contains("address: collector.example"));
        assert!(left_out.is_empty(), "{left_out:?}");
    }

    #[test]
    fn a_change_that_can_not_be_made_is_told_and_the_default_runs() {
        let (proxy, left_out) = planned(json!({ "bootstrap": { "type": "Merge", "value": "admin: 1" } }));
        assert_eq!(proxy.bootstrap_override, None);
        assert!(left_out.iter().all(|said| said.starts_with("spec.bootstrap.value: no bootstrap: ")));
        assert_eq!(left_out.len(), 1);
    }
}
