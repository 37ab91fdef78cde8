//! The root of the intermediate representation: everything one proxy fleet serves.

use crate::api::filter_order::FilterPosition;
use crate::ir::access_log::AccessLog;
use crate::ir::destination::BackendCluster;
use crate::ir::extension_ref::UnstructuredRef;
use crate::ir::global_resources::GlobalResources;
use crate::ir::http_listener::HttpListener;
use crate::ir::listener::ReadyListener;
use crate::ir::metrics::Metrics;
use crate::ir::patch::EnvoyPatchPolicy;
use crate::ir::tcp_listener::TcpListener;
use crate::ir::tracing::Tracing;
use crate::ir::traffic::health_check::ProxyHealthCheckLog;
use crate::ir::udp_listener::UdpListener;
use serde::Deserialize;
use serde::Serialize;

/// What one fleet of proxies serves; the xDS tables are made from this alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Xds {
    /// The listener that answers readiness probes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_listener: Option<ReadyListener>,
    /// Access logs of every listener.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_log: Option<AccessLog>,
    /// Tracing of every HTTP listener.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracing: Option<Tracing>,
    /// Which statistics the proxies keep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Metrics>,
    /// Where active health checks write their events, for the whole fleet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_check_log: Option<ProxyHealthCheckLog>,
    /// HTTP and HTTPS listeners.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub http: Vec<HttpListener>,
    /// TCP and TLS listeners.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tcp: Vec<TcpListener>,
    /// UDP listeners.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub udp: Vec<UdpListener>,
    /// JSON patches to apply to the finished xDS resources, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub envoy_patch_policies: Vec<EnvoyPatchPolicy>,
    /// Changes to the order of HTTP filters, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filter_order: Vec<FilterPosition>,
    /// What belongs to no listener or route.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global_resources: Option<GlobalResources>,
    /// Policies to hand to an extension server as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extension_server_policies: Vec<UnstructuredRef>,
    /// Clusters that several routes share; `backendClusterRefs` name them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backend_clusters: Vec<BackendCluster>,
}
