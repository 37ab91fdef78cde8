//! Where traffic goes: destinations, their settings, endpoints and shared clusters.

use crate::api::envoy_proxy::IpFamily;
use crate::diagnostic::Diagnostic;
use crate::ir::absence::empty_as_none;
use crate::ir::absence::is_default;
use crate::ir::credential_injection::CredentialInjection;
use crate::ir::header::AddHeader;
use crate::ir::metadata::ResourceMetadata;
use crate::ir::tls::TlsUpstreamConfig;
use crate::ir::traffic::ClusterTrafficFeatures;
use crate::ir::traffic::load_balancer::PreferLocalZone;
use crate::ir::url_rewrite::UrlRewrite;
use crate::ir::validation::fault;
use crate::ir::validation::within;
use crate::ir::validation::within_item;
use serde::Deserialize;
use serde::Serialize;
use std::net::IpAddr;
use std::sync::Arc;

/// Where a route's traffic goes, one setting for each backend reference.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RouteDestination {
    /// Its name; the cluster goes by it.
    #[serde(default)]
    pub name: Arc<str>,
    /// The name its statistics go by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stat_name: Option<Arc<str>>,
    /// Backends with their endpoints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<DestinationSetting>,
    /// Backends in clusters shared with other routes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backend_cluster_refs: Vec<BackendClusterRef>,
    /// The object it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Arc<ResourceMetadata>>,
}

/// A cluster that several routes share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackendCluster {
    /// Its name; references use it.
    #[serde(default)]
    pub name: Arc<str>,
    /// The backend with its endpoints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setting: Option<DestinationSetting>,
    /// The object it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Arc<ResourceMetadata>>,
    /// What traffic policies say for the cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<ClusterTrafficFeatures>,
    /// Whether upstreams are spoken to in the client's protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_client_protocol: Option<bool>,
}

/// A reference to a shared cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackendClusterRef {
    /// The cluster's name.
    #[serde(default)]
    pub name: Arc<str>,
    /// Its share of the traffic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<u32>,
}

/// One backend of a destination.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DestinationSetting {
    /// Its name; its cluster goes by it when each backend has one.
    #[serde(default)]
    pub name: Arc<str>,
    /// Whether the upstream is resolved from the request's host.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_dynamic_resolver: bool,
    /// Whether an extension server makes the cluster.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_custom_backend: bool,
    /// Its share of the traffic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<u32>,
    /// Its priority; 0 is the highest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u32>,
    /// What its endpoints speak; none counts as HTTP or TCP, as the route needs.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "empty_as_none")]
    pub protocol: Option<AppProtocol>,
    /// Whether HTTP/1.1 is used although the route could do HTTP/2.
    #[serde(rename = "forceHTTP1Upstream", default, skip_serializing_if = "is_default")]
    pub force_http1_upstream: bool,
    /// Its endpoints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub endpoints: Vec<DestinationEndpoint>,
    /// What kind of addresses the endpoints have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address_type: Option<DestinationAddressType>,
    /// Their IP family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip_family: Option<IpFamily>,
    /// TLS towards them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<Box<TlsUpstreamConfig>>,
    /// Changes to requests and responses for this backend only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filters: Option<Box<DestinationFilters>>,
    /// Prefer endpoints in the proxy's zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefer_local: Option<Box<PreferLocalZone>>,
    /// The object it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Arc<ResourceMetadata>>,
    /// Whether the reference is broken (answered with 500), as opposed to having no endpoints (503).
    #[serde(default, skip_serializing_if = "is_default")]
    pub invalid: bool,
}

/// One address traffic goes to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DestinationEndpoint {
    /// Its hostname, for TLS and Host rewrites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    /// IP address or domain name; empty for a socket.
    #[serde(default)]
    pub host: String,
    /// Its port; 0 for a socket.
    #[serde(default)]
    pub port: u32,
    /// The path of a Unix domain socket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Whether it finishes what it has and gets nothing new.
    #[serde(default, skip_serializing_if = "is_default")]
    pub draining: bool,
    /// The zone it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}

/// How much of a destination's weight is usable.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackendWeights {
    /// Weight of usable backends.
    #[serde(default)]
    pub valid: u32,
    /// Weight of broken references, answered with 500.
    #[serde(default)]
    pub invalid: u32,
    /// Weight of backends without endpoints, answered with 503.
    #[serde(default)]
    pub no_endpoints: u32,
}

/// Changes to requests and responses for one backend.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DestinationFilters {
    /// Headers to add or set on requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_request_headers: Vec<AddHeader>,
    /// Headers to remove from requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove_request_headers: Vec<String>,
    /// Headers to add or set on responses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_response_headers: Vec<AddHeader>,
    /// Headers to remove from responses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove_response_headers: Vec<String>,
    /// A credential to add to requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential_injection: Option<Box<CredentialInjection>>,
    /// How host and path change on the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url_rewrite: Option<Box<UrlRewrite>>,
}

/// What an endpoint speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum AppProtocol {
    /// gRPC.
    #[serde(rename = "GRPC")]
    Grpc,
    /// gRPC-Web.
    #[serde(rename = "GRPC-Web")]
    GrpcWeb,
    /// HTTP/1.1.
    #[serde(rename = "HTTP")]
    Http,
    /// HTTP/2.
    #[serde(rename = "HTTP2")]
    Http2,
    /// HTTP with TLS.
    #[serde(rename = "HTTPS")]
    Https,
    /// TCP.
    #[serde(rename = "TCP")]
    Tcp,
    /// UDP.
    #[serde(rename = "UDP")]
    Udp,
}

/// What kind of addresses a group of endpoints has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum DestinationAddressType {
    /// IP addresses.
    #[serde(rename = "IP")]
    Ip,
    /// Domain names.
    #[serde(rename = "FQDN")]
    Fqdn,
    /// Domain names and others.
    Mixed,
    /// Unix domain sockets.
    #[serde(rename = "UDS")]
    Uds,
    /// IP addresses and sockets.
    #[serde(rename = "STATIC")]
    Static,
}

impl BackendWeights {
    /// Weight that can't be served.
    #[must_use]
    pub fn unavailable(&self) -> u32 {
        self.invalid.saturating_add(self.no_endpoints)
    }

    /// Counts `weight` for what `setting` is; no weight counts nothing.
    pub fn add(&mut self, setting: &DestinationSetting, weight: Option<u32>) {
        let sum = if setting.invalid {
            &mut self.invalid
        } else if setting.is_dynamic_resolver || setting.is_custom_backend || !setting.endpoints.is_empty() {
            &mut self.valid
        } else {
            &mut self.no_endpoints
        };
        *sum = sum.saturating_add(weight.unwrap_or(0));
    }
}

impl RouteDestination {
    /// How much of the settings' weight is usable. Shared clusters aren't counted: their settings stand elsewhere.
    #[must_use]
    pub fn backend_weights(&self) -> BackendWeights {
        let mut weights = BackendWeights::default();
        for setting in &self.settings {
            weights.add(setting, setting.weight);
        }
        weights
    }

    /// Whether the settings are too different to share one cluster.
    #[must_use]
    pub fn needs_cluster_per_setting(&self) -> bool {
        self.has_mixed_endpoints()
            || self.has_filters_in_settings()
            || (self.settings.len() > 1 && self.has_prefer_local_zone())
            || self.has_mixed_upstream_protocols()
            || self.has_mixed_auto_sni()
    }

    /// Whether domain names stand beside other addresses. IP addresses and sockets go together.
    #[must_use]
    pub fn has_mixed_endpoints(&self) -> bool {
        let types = || self.settings.iter().filter_map(|setting| setting.address_type);
        let fqdn = types().any(|kind| kind == DestinationAddressType::Fqdn);
        types().any(|kind| kind == DestinationAddressType::Mixed)
            || (fqdn && types().any(|kind| kind != DestinationAddressType::Fqdn))
    }

    /// Whether a backend has filters of its own.
    #[must_use]
    pub fn has_filters_in_settings(&self) -> bool {
        self.settings.iter().any(|setting| setting.filters.is_some())
    }

    /// Whether a backend prefers the proxy's zone.
    #[must_use]
    pub fn has_prefer_local_zone(&self) -> bool {
        self.settings.iter().any(|setting| setting.prefer_local.is_some())
    }

    /// Whether some backends need HTTP/1.1 and others HTTP/2.
    #[must_use]
    pub fn has_mixed_upstream_protocols(&self) -> bool {
        self.settings.iter().any(|setting| setting.force_http1_upstream)
            && self.settings.iter().any(DestinationSetting::speaks_http2)
    }

    /// Whether some backends, but not all, take the server name from the endpoint's hostname.
    #[must_use]
    pub fn has_mixed_auto_sni(&self) -> bool {
        let automatic = self
            .settings
            .iter()
            .filter(|setting| setting.tls.as_ref().is_some_and(|tls| tls.auto_sni_from_endpoint_hostname));
        let automatic = automatic.count();
        automatic > 0 && automatic != self.settings.len()
    }

    /// Whether the upstream is resolved from each request's host.
    #[must_use]
    pub fn is_dynamic_resolver(&self) -> bool {
        matches!(self.settings.as_slice(), [setting] if setting.is_dynamic_resolver)
    }

    /// Faults of the destination and its settings.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        if self.name.is_empty() {
            faults.push(fault("name", "the destination has no name; its cluster goes by it"));
        }
        for (index, setting) in self.settings.iter().enumerate() {
            faults.extend(within_item("settings", index, setting.validate()));
        }
        for (index, reference) in self.backend_cluster_refs.iter().enumerate() {
            if reference.name.is_empty() {
                let unnamed = vec![fault("name", "the reference names no cluster")];
                faults.extend(within_item("backendClusterRefs", index, unnamed));
            }
        }
        faults
    }
}

impl BackendCluster {
    /// Faults of the cluster and its setting.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        if self.name.is_empty() {
            faults.push(fault("name", "the shared cluster has no name; references need it"));
        }
        if let Some(setting) = &self.setting {
            faults.extend(within("setting", setting.validate()));
            if setting.is_dynamic_resolver {
                let message = "a cluster that is resolved from the request can't be shared; keep it with its route";
                faults.extend(within("setting", vec![fault("isDynamicResolver", message)]));
            }
        }
        faults
    }
}

impl DestinationSetting {
    /// Whether its endpoints speak HTTP/2.
    #[must_use]
    pub fn speaks_http2(&self) -> bool {
        matches!(self.protocol, Some(AppProtocol::Http2 | AppProtocol::Grpc))
    }

    /// Faults of its endpoints.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let endpoints = self.endpoints.iter().enumerate();
        endpoints.flat_map(|(index, endpoint)| within_item("endpoints", index, endpoint.validate())).collect()
    }
}

impl DestinationEndpoint {
    /// An endpoint at a host and port.
    #[must_use]
    pub fn at(host: impl Into<String>, port: u32) -> Self {
        Self { host: host.into(), port, ..Self::default() }
    }

    /// Faults of the address: a socket has a path only, everything else a host and a port.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        if self.path.is_some() {
            if self.port != 0 {
                faults.push(fault("port", "a Unix domain socket has no port; remove it"));
            }
            if !self.host.is_empty() {
                faults.push(fault("host", "a Unix domain socket has no host; remove it"));
            }
            return faults;
        }
        if self.host.parse::<IpAddr>().is_err() && !is_dns_subdomain(&self.host) {
            let message = format!("{:?} is neither an IP address nor a domain name", self.host);
            faults.push(fault("host", message));
        }
        if self.port == 0 {
            faults.push(fault("port", "the endpoint has no port"));
        }
        faults
    }
}

/// Whether `name` is a DNS subdomain as RFC 1123 and Kubernetes have it: lower case, at most 253 characters.
fn is_dns_subdomain(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let label = |label: &str| match label.as_bytes() {
        [only] => inner(*only),
        [first, middle @ .., last] => {
            inner(*first) && inner(*last) && middle.iter().all(|byte| inner(*byte) || *byte == b'-')
        }
        [] => false,
    };
    name.len() <= 253 && name.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(kind: DestinationAddressType) -> DestinationSetting {
        DestinationSetting { address_type: Some(kind), ..DestinationSetting::default() }
    }

    #[test]
    fn only_domain_names_beside_others_are_mixed() {
        let mixed = |kinds: &[DestinationAddressType]| {
            let settings = kinds.iter().map(|kind| setting(*kind)).collect();
            RouteDestination { settings, ..RouteDestination::default() }.has_mixed_endpoints()
        };
        assert!(!mixed(&[DestinationAddressType::Ip, DestinationAddressType::Uds]));
        assert!(!mixed(&[DestinationAddressType::Fqdn, DestinationAddressType::Fqdn]));
        assert!(mixed(&[DestinationAddressType::Fqdn, DestinationAddressType::Ip]));
        assert!(mixed(&[DestinationAddressType::Mixed]));
    }

    #[test]
    fn weights_are_counted_by_what_became_of_a_backend() {
        let serving = DestinationSetting {
            weight: Some(3),
            endpoints: vec![DestinationEndpoint::at("10.0.0.1", 80)],
            ..DestinationSetting::default()
        };
        let broken = DestinationSetting { weight: Some(2), invalid: true, ..DestinationSetting::default() };
        let idle = DestinationSetting { weight: Some(1), ..DestinationSetting::default() };
        let destination = RouteDestination { settings: vec![serving, broken, idle], ..RouteDestination::default() };
        let weights = destination.backend_weights();
        assert_eq!((weights.valid, weights.invalid, weights.no_endpoints), (3, 2, 1));
        assert_eq!(weights.unavailable(), 3);
    }

    #[test]
    fn endpoints_are_hosts_with_ports_or_sockets() {
        let faulty = |endpoint: DestinationEndpoint| {
            endpoint.validate().iter().map(|fault| fault.path.to_string()).collect::<Vec<_>>()
        };
        assert!(faulty(DestinationEndpoint::at("10.0.0.1", 80)).is_empty());
        assert!(faulty(DestinationEndpoint::at("fd00::1", 80)).is_empty());
        assert!(faulty(DestinationEndpoint::at("a-b.example.com", 80)).is_empty());
        assert_eq!(faulty(DestinationEndpoint::at("-a.example.com", 0)), ["host", "port"]);
        let socket = DestinationEndpoint { path: Some("/run/a.sock".into()), port: 80, ..Default::default() };
        assert_eq!(faulty(socket), ["port"]);
    }

    #[test]
    fn one_backend_stays_small() {
        let size = size_of::<RouteDestination>() + size_of::<DestinationSetting>() + size_of::<DestinationEndpoint>();
        assert!(size <= 700, "{size} bytes");
    }
}
