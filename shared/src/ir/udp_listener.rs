//! UDP listeners and their routes.

use crate::ir::destination::RouteDestination;
use crate::ir::listener::CoreListenerDetails;
use crate::ir::traffic::connection::Dns;
use crate::ir::traffic::load_balancer::LoadBalancer;
use serde::Deserialize;
use serde::Serialize;
use std::sync::Arc;

/// One UDP listener.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UdpListener {
    /// Name, address and port.
    #[serde(flatten)]
    pub core: CoreListenerDetails,
    /// Its route.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<UdpRoute>,
}

/// One UDP route.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UdpRoute {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Where datagrams go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<Arc<RouteDestination>>,
    /// How endpoints are chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_balancer: Option<LoadBalancer>,
    /// How names of upstreams are resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dns: Option<Dns>,
}
