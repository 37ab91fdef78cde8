//! UDP listeners and their routes.

use crate::diagnostic::Diagnostic;
use crate::ir::destination::RouteDestination;
use crate::ir::listener::CoreListenerDetails;
use crate::ir::traffic::connection::Dns;
use crate::ir::traffic::load_balancer::LoadBalancer;
use crate::ir::validation::fault;
use crate::ir::validation::within;
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

impl UdpListener {
    /// Faults of the listener and its route.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = self.core.validate();
        if let Some(route) = &self.route {
            faults.extend(within("route", route.validate()));
        }
        faults
    }
}

impl UdpRoute {
    /// Faults of the route.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        if self.name.is_empty() {
            faults.push(fault("name", "the route has no name"));
        }
        if let Some(destination) = &self.destination {
            faults.extend(within("destination", destination.validate()));
        }
        faults
    }
}
