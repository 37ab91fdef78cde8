//! What differs between one Envoy's bootstrap and another's.

use std::collections::BTreeMap;

use super::{ADMIN_PORT, STATS_PORT, XDS_PORT};

/// The family of addresses an Envoy listens on for its own purposes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IpFamily {
    /// IPv4 only.
    #[default]
    V4,
    /// IPv6 only.
    V6,
    /// IPv6 addresses that take IPv4 connections too.
    Dual,
}

/// How an Envoy proves who it is to the xDS server, and the other way round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum XdsTransport {
    /// No encryption: for a server on the loopback interface of the same host.
    Plaintext,
    /// Mutual TLS; both files are SDS documents on disk, re-read when they change.
    MutualTls {
        /// SDS document with the client certificate.
        certificate_path: String,
        /// SDS document with the certificate authority of the server.
        trusted_ca_path: String,
    },
    /// Server-side TLS, and a service account token in each request (GatewayNamespaceMode).
    ServiceAccountToken {
        /// SDS document with the certificate authority of the server.
        trusted_ca_path: String,
        /// SDS document with the token.
        token_path: String,
    },
}

impl XdsTransport {
    /// Mutual TLS with the files a proxy container has.
    #[must_use]
    pub fn in_container() -> Self {
        Self::MutualTls {
            certificate_path: "/sds/xds-certificate.json".to_owned(),
            trusted_ca_path: "/sds/xds-trusted-ca.json".to_owned(),
        }
    }
}

/// Compression of the Prometheus page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// gzip.
    Gzip,
    /// brotli.
    Brotli,
    /// zstd.
    Zstd,
}

impl Compression {
    /// The message type of the compressor library.
    pub(super) const fn type_url(self) -> &'static str {
        match self {
            Self::Gzip => "type.googleapis.com/envoy.extensions.compression.gzip.compressor.v3.Gzip",
            Self::Brotli => "type.googleapis.com/envoy.extensions.compression.brotli.compressor.v3.Brotli",
            Self::Zstd => "type.googleapis.com/envoy.extensions.compression.zstd.compressor.v3.Zstd",
        }
    }
}

/// The listener that serves statistics to Prometheus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prometheus {
    /// The port it listens on.
    pub port: u16,
    /// How its page is compressed, if a client asks for that.
    pub compression: Option<Compression>,
}

/// An OpenTelemetry collector statistics are sent to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetricSink {
    /// Its host name or address.
    pub address: String,
    /// Its port.
    pub port: u32,
    /// The `:authority` of requests, when it isn't the cluster's name.
    pub authority: Option<String>,
    /// Whether counters are sent as differences.
    pub report_counters_as_deltas: bool,
    /// Whether histograms are sent as differences.
    pub report_histograms_as_deltas: bool,
    /// Headers sent with every export.
    pub headers: Vec<(String, String)>,
    /// Attributes of the resource the statistics are about.
    pub resource_attributes: BTreeMap<String, String>,
    /// TLS towards the collector.
    pub tls: Option<MetricSinkTls>,
}

/// TLS towards a [`MetricSink`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetricSinkTls {
    /// Server name sent in the handshake.
    pub sni: Option<String>,
    /// Whether the system's certificate authorities are trusted.
    pub use_system_trust_store: bool,
    /// The certificate authority to trust (PEM); wins over the system's.
    pub ca_certificate: Option<Vec<u8>>,
}

/// Which statistics an Envoy keeps; an empty matcher keeps all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatsMatcher {
    /// Whole names.
    pub exact: Vec<String>,
    /// Beginnings of names.
    pub prefix: Vec<String>,
    /// Ends of names.
    pub suffix: Vec<String>,
    /// RE2 expressions that match whole names.
    pub regex: Vec<String>,
}

/// What differs between one Envoy's bootstrap and another's.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Host name or address of the xDS server.
    pub xds_host: String,
    /// Port of the xDS server.
    pub xds_port: u16,
    /// How the connection to the xDS server is secured.
    pub transport: XdsTransport,
    /// Port of the admin interface on loopback; 0 lets the system choose.
    pub admin_port: u16,
    /// Family of the addresses of the admin interface and the statistics listener.
    pub ip_family: IpFamily,
    /// The listener for Prometheus, unless it is switched off.
    pub prometheus: Option<Prometheus>,
    /// Collectors that statistics are sent to.
    pub sinks: Vec<MetricSink>,
    /// Which statistics are kept.
    pub stats_matcher: Option<StatsMatcher>,
    /// The cluster of this fleet's own endpoints, for zone-aware routing; `None` where there is no topology.
    pub local_cluster: Option<String>,
    /// The zone this Envoy is in: a value, or a reference to an environment variable that the container runtime
    /// expands.
    pub zone: Option<String>,
    /// Heap limit for the overload manager, in bytes.
    pub max_heap_bytes: Option<u64>,
}

impl Options {
    /// The options of a proxy container that belongs to the fleet `service_cluster`.
    #[must_use]
    pub fn in_container(xds_host: impl Into<String>, service_cluster: impl Into<String>) -> Self {
        Self {
            xds_host: xds_host.into(),
            xds_port: XDS_PORT,
            transport: XdsTransport::in_container(),
            admin_port: ADMIN_PORT,
            ip_family: IpFamily::V4,
            prometheus: Some(Prometheus { port: STATS_PORT, compression: None }),
            sinks: Vec::new(),
            stats_matcher: None,
            local_cluster: Some(service_cluster.into()),
            zone: Some("$(ENVOY_SERVICE_ZONE)".to_owned()),
            max_heap_bytes: None,
        }
    }

    /// The options of an Envoy on this host, whose xDS server listens on loopback.
    ///
    /// As in Envoy Gateway's host mode, there is no Prometheus listener (the ports of several Envoys would meet), the
    /// admin port is the system's choice and there is no local cluster (it would only delay the start).
    #[must_use]
    pub fn on_this_host(xds_host: impl Into<String>, xds_port: u16) -> Self {
        Self {
            xds_host: xds_host.into(),
            xds_port,
            transport: XdsTransport::Plaintext,
            admin_port: 0,
            ip_family: IpFamily::V4,
            prometheus: None,
            sinks: Vec::new(),
            stats_matcher: None,
            local_cluster: None,
            zone: None,
            max_heap_bytes: None,
        }
    }
}
