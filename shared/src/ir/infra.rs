//! The infrastructure one fleet of proxies needs.

use crate::api::envoy_proxy::EnvoyProxy;
use crate::api::http_route_rule_filter::HttpHeader;
use crate::diagnostic::Diagnostic;
use crate::ir::absence::is_default;
use crate::ir::client_settings::Http3Settings;
use crate::ir::destination::RouteDestination;
use crate::ir::metadata::ResourceMetadata;
use crate::ir::validation::fault;
use crate::ir::validation::within;
use crate::ir::validation::within_item;
use serde::Deserialize;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The infrastructure one fleet of proxies needs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Infra {
    /// The fleet.
    #[serde(default)]
    pub proxy: Option<ProxyInfra>,
}

/// One fleet of proxies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProxyInfra {
    /// Labels, annotations and owner of what is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<InfraMetadata>,
    /// Its name: the IR key.
    #[serde(default)]
    pub name: String,
    /// The namespace it goes to.
    #[serde(default)]
    pub namespace: String,
    /// How it is made.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "typed")]
    pub config: Option<Box<EnvoyProxy>>,
    /// Ports it exposes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listeners: Vec<ProxyListener>,
    /// Addresses it is asked to be reached at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<String>,
    /// OpenTelemetry collectors of its statistics.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resolved_metric_sinks: Vec<ResolvedMetricSink>,
}

/// An OpenTelemetry collector of statistics.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedMetricSink {
    /// The server.
    #[serde(default)]
    pub destination: RouteDestination,
    /// The authority header.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub authority: String,
    /// Headers sent to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<HttpHeader>,
    /// Attributes of the proxy.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resource_attributes: BTreeMap<String, String>,
    /// Whether counters are sent as differences.
    #[serde(default, skip_serializing_if = "is_default")]
    pub report_counters_as_deltas: bool,
    /// Whether histograms are sent as differences.
    #[serde(default, skip_serializing_if = "is_default")]
    pub report_histograms_as_deltas: bool,
}

/// Labels, annotations and owner of what is made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InfraMetadata {
    /// Annotations.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// Labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// The owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_reference: Option<Arc<ResourceMetadata>>,
}

/// A listener's ports.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProxyListener {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Its ports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<ListenerPort>,
    /// UDP is exposed too when set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http3: Option<Http3Settings>,
}

/// One port.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListenerPort {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// What it speaks.
    pub protocol: ProtocolType,
    /// The port clients use.
    #[serde(default)]
    pub service_port: i32,
    /// The port of the container.
    #[serde(default)]
    pub container_port: i32,
}

/// Serde for the fleet's configuration, which stands in the IR as a whole object with its kind.
mod typed {
    use crate::api::envoy_proxy::EnvoyProxy;
    use crate::api::metadata::Object;
    use serde::Deserialize;
    use serde::Deserializer;
    use serde::Serialize;
    use serde::Serializer;

    /// The object as it is written.
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Written<'a> {
        api_version: String,
        kind: &'static str,
        #[serde(flatten)]
        object: &'a EnvoyProxy,
    }

    pub(super) fn serialize<S: Serializer>(object: &Option<Box<EnvoyProxy>>, serializer: S) -> Result<S::Ok, S::Error> {
        let written = object.as_deref().map(|object| Written {
            api_version: format!("{}/{}", EnvoyProxy::GROUP, EnvoyProxy::VERSION),
            kind: EnvoyProxy::KIND,
            object,
        });
        written.serialize(serializer)
    }

    /// Reads the object; that it says its kind changes nothing.
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<EnvoyProxy>>, D::Error> {
        Option::deserialize(deserializer)
    }
}

/// What a port speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ProtocolType {
    /// HTTP without TLS.
    Http,
    /// HTTP with TLS.
    Https,
    /// TLS over TCP.
    Tls,
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
}

impl ProtocolType {
    /// The word it is written as.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "HTTP",
            Self::Https => "HTTPS",
            Self::Tls => "TLS",
            Self::Tcp => "TCP",
            Self::Udp => "UDP",
        }
    }
}

impl Infra {
    /// Faults that keep this from being rendered.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let Self { proxy } = self;
        proxy.iter().flat_map(|proxy| within("proxy", proxy.validate())).collect()
    }
}

impl ProxyInfra {
    /// Faults that keep this from being rendered.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        if self.name.is_empty() {
            faults.push(fault("name", "the fleet has no name; give it its IR key"));
        }
        for (index, listener) in self.listeners.iter().enumerate() {
            faults.extend(within_item("listeners", index, listener.validate()));
        }
        faults
    }
}

impl ProxyListener {
    /// Faults of the listener's ports.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        if self.ports.is_empty() {
            return vec![fault("ports", "the listener exposes no port; give it at least one")];
        }
        let ports = self.ports.iter().enumerate();
        ports.flat_map(|(index, port)| within_item("ports", index, port.validate())).collect()
    }
}

impl ListenerPort {
    /// Faults of the port.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        if self.name.is_empty() {
            faults.push(fault("name", "the port has no name"));
        }
        for (field, port) in [("servicePort", self.service_port), ("containerPort", self.container_port)] {
            if !(1..=65535).contains(&port) {
                faults.push(fault(field, format!("{port} is not a port; use 1 to 65535")));
            }
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_out_of_range_is_found_where_it_stands() {
        let port = |service_port| ListenerPort {
            name: "http-80".into(),
            protocol: ProtocolType::Http,
            service_port,
            container_port: 10080,
        };
        let listener = ProxyListener { name: "l".into(), ports: vec![port(80), port(0)], http3: None };
        let proxy = ProxyInfra { name: "ns/gw".into(), listeners: vec![listener], ..ProxyInfra::default() };
        let faults = Infra { proxy: Some(proxy) }.validate();
        let paths: Vec<String> = faults.iter().map(|fault| fault.path.to_string()).collect();
        assert_eq!(paths, ["proxy.listeners[0].ports[1].servicePort"]);
    }
}
