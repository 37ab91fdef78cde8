//! From a fleet of the infrastructure IR to the Envoy that runs it on this host.

use std::collections::BTreeMap;
use std::time::Duration;

use gateway_shared::infra::bootstrap::{Options, bootstrap, to_yaml};

use super::envoy_binary::EnvoyBinary;
use super::launch::Launch;

/// What a fleet needs of this host.
#[derive(Clone, Debug, PartialEq)]
pub struct Proxy {
    /// The fleet's IR key; Envoy's `node.cluster`.
    pub ir_key: String,
    /// The bootstrap options.
    pub bootstrap: Options,
    /// A bootstrap document (YAML) that takes the place of ours.
    pub bootstrap_override: Option<String>,
    /// `--log-level`.
    pub log_level: String,
    /// `--component-log-level`, when any component has a level of its own.
    pub component_log_level: Option<String>,
    /// `--concurrency`, when it is set.
    pub concurrency: Option<i32>,
    /// More arguments, at the end.
    pub extra_arguments: Vec<String>,
    /// How long open connections may last once Envoy is to stop.
    pub drain_timeout: Duration,
    /// The ports it listens on, with what for.
    pub ports: BTreeMap<u16, String>,
}

impl Proxy {
    /// How to run it with this Envoy.
    #[must_use]
    pub fn launch(&self, envoy: &EnvoyBinary, grace: Duration) -> Launch {
        let Self {
            ir_key,
            bootstrap: options,
            bootstrap_override,
            log_level,
            component_log_level,
            concurrency,
            extra_arguments,
            drain_timeout,
            // Ports reach Envoy over xDS; here they only tell fleets that get into each other's way.
            ports: _,
        } = self;
        let document = bootstrap_override.clone().unwrap_or_else(|| to_yaml(&bootstrap(options)));
        let mut arguments: Vec<String> = [
            "--service-cluster",
            ir_key,
            "--service-node",
            &node_id(ir_key),
            "--log-level",
            log_level,
            "--drain-strategy",
            "immediate",
            "--drain-time-s",
            &drain_timeout.as_secs().to_string(),
        ]
        .into_iter()
        .map(str::to_owned)
        .collect();
        if let Some(concurrency) = concurrency {
            arguments.extend(["--concurrency".to_owned(), concurrency.to_string()]);
        }
        if let Some(levels) = component_log_level {
            arguments.extend(["--component-log-level".to_owned(), levels.clone()]);
        }
        arguments.extend(extra_arguments.iter().cloned());
        Launch {
            ir_key: ir_key.clone(),
            envoy: envoy.path.clone(),
            arguments,
            bootstrap: document,
            drain_timeout_ms: millis(*drain_timeout),
            grace_ms: millis(grace),
        }
    }
}

/// Envoy's node id: the fleet's key, as a name.
fn node_id(ir_key: &str) -> String {
    format!("envoy-{}", ir_key.replace('/', "-"))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Which of these fleets can't run because a port they need is another's: by IR key, with the words to say so.
///
/// A fleet that runs already keeps its ports; among new ones the first in order gets them.
#[must_use]
pub fn port_clashes(proxies: &[Proxy], runs_already: impl Fn(&str) -> bool) -> BTreeMap<String, String> {
    let mut order: Vec<&Proxy> = proxies.iter().collect();
    order.sort_by_key(|proxy| (!runs_already(&proxy.ir_key), proxy.ir_key.clone()));
    let mut taken: BTreeMap<u16, &str> = BTreeMap::new();
    let mut clashes = BTreeMap::new();
    for proxy in order {
        let clash = proxy.ports.iter().find_map(|(port, what)| Some((port, what, taken.get(port)?)));
        if let Some((port, what, owner)) = clash {
            clashes.insert(
                proxy.ir_key.clone(),
                format!(
                    "port {port} ({what}) is taken on this host by {owner}, so no Envoy is started for {}: give one of \
                     the two another port, or let them share one Envoy with mergeGateways",
                    proxy.ir_key
                ),
            );
        } else {
            taken.extend(proxy.ports.keys().map(|port| (*port, proxy.ir_key.as_str())));
        }
    }
    clashes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy(ir_key: &str, ports: &[u16]) -> Proxy {
        Proxy {
            ir_key: ir_key.to_owned(),
            bootstrap: Options::on_this_host("127.0.0.1", 18000),
            bootstrap_override: None,
            log_level: "warn".to_owned(),
            component_log_level: None,
            concurrency: None,
            extra_arguments: Vec::new(),
            drain_timeout: Duration::from_secs(60),
            ports: ports.iter().map(|port| (*port, "listener http".to_owned())).collect(),
        }
    }

    #[test]
    fn the_fleet_that_runs_keeps_its_ports() {
        let proxies = [proxy("a/new", &[8080]), proxy("b/old", &[8080, 8443]), proxy("c/other", &[9090])];
        let clashes = port_clashes(&proxies, |key| key == "b/old");
        assert_eq!(clashes.keys().collect::<Vec<_>>(), ["a/new"]);
        assert!(clashes.values().all(|text| text.contains("port 8080") && text.contains("b/old")));
    }
}
