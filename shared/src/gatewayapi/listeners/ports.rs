//! Ports: which one a proxy's container opens for a listener, and which the fleet exposes.

use std::collections::BTreeSet;

use crate::api::envoy_proxy::EnvoyProxy;
use crate::api::listener::{Listener, ProtocolType};
use crate::config::Config;
use crate::ir::infra::{self, ListenerPort, ProxyListener};

/// The first port that needs no privilege to open.
const FIRST_UNPRIVILEGED: i32 = 1024;
/// What is added to a privileged port.
const SHIFT: i32 = 10_000;

/// The port a proxy opens for a listener's port. In a container a privileged port is shifted, so that opening it needs
/// no privilege; proxies that aren't in our containers open the port itself.
pub(super) fn container_port(port: i32, envoy_proxy: Option<&EnvoyProxy>, config: &Config) -> i32 {
    let kubernetes = envoy_proxy.and_then(|proxy| proxy.spec.provider.as_ref()?.kubernetes.as_ref());
    let kept = config.running_on_host
        || config.infra_remotely_managed
        || kubernetes.is_some_and(|kubernetes| kubernetes.use_listener_port_as_container_port == Some(true));
    if port < FIRST_UNPRIVILEGED && !kept { port + SHIFT } else { port }
}

/// The ports a fleet exposes so far: each once for what it carries.
#[derive(Debug, Default)]
pub(super) struct Ports {
    open: BTreeSet<(Carrier, i32)>,
}

/// What a port carries, as far as one port can carry it once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Carrier {
    Layer7,
    Tcp,
    Udp,
}

impl Ports {
    /// Exposes a listener's port, unless an earlier listener did already.
    pub(super) fn open(&mut self, listener: &Listener, name: String, container_port: i32) -> Option<ProxyListener> {
        let (protocol, carrier, prefix) = match listener.protocol {
            ProtocolType::Http => (infra::ProtocolType::Http, Carrier::Layer7, "http"),
            ProtocolType::Https => (infra::ProtocolType::Https, Carrier::Layer7, "https"),
            ProtocolType::Tls => (infra::ProtocolType::Tls, Carrier::Layer7, "tls"),
            ProtocolType::Tcp => (infra::ProtocolType::Tcp, Carrier::Tcp, "tcp"),
            ProtocolType::Udp => (infra::ProtocolType::Udp, Carrier::Udp, "udp"),
            ProtocolType::Other(_) => return None,
        };
        let service_port = listener.port;
        self.open.insert((carrier, service_port)).then(|| {
            let name_of_port = format!("{prefix}-{service_port}");
            let port = ListenerPort { name: name_of_port, protocol, service_port, container_port };
            ProxyListener { name, ports: vec![port], http3: None }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_privileged_port_is_shifted_in_a_container() {
        let (config, host) = (Config::default(), Config { running_on_host: true, ..Config::default() });
        assert_eq!(container_port(80, None, &config), 10_080);
        assert_eq!(container_port(1023, None, &config), 11_023);
        assert_eq!(container_port(1024, None, &config), 1024);
        assert_eq!(container_port(80, None, &host), 80);
        let proxy: EnvoyProxy = serde_json::from_str(
            r#"{"spec":{"provider":{"type":"Kubernetes","kubernetes":{"useListenerPortAsContainerPort":true}}}}"#,
        )
        .unwrap();
        assert_eq!(container_port(80, Some(&proxy), &config), 80);
    }

    #[test]
    fn a_port_is_exposed_once_for_what_it_carries() {
        let mut ports = Ports::default();
        let mut open = |protocol: &str, port: i32| {
            let json = format!(r#"{{"name":"l","port":{port},"protocol":"{protocol}"}}"#);
            let opened = ports.open(&serde_json::from_str(&json).unwrap(), "n/g/l".to_owned(), port);
            opened.map(|opened| opened.ports[0].name.clone())
        };
        assert_eq!(open("HTTPS", 443).as_deref(), Some("https-443"));
        assert_eq!(open("TLS", 443), None);
        assert_eq!(open("UDP", 443).as_deref(), Some("udp-443"));
        assert_eq!(open("TCP", 443).as_deref(), Some("tcp-443"));
        assert_eq!(open("HTTP", 80).as_deref(), Some("http-80"));
    }
}
