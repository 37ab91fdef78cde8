//! What listeners of every protocol have in common.

use crate::api::envoy_proxy::IpFamily;
use crate::diagnostic::Diagnostic;
use crate::ir::absence::is_default;
use crate::ir::extension_ref::UnstructuredRef;
use crate::ir::metadata::ResourceMetadata;
use crate::ir::validation::fault;
use serde::Deserialize;
use serde::Serialize;
use std::net::IpAddr;
use std::sync::Arc;

/// Name, address and port of a listener.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CoreListenerDetails {
    /// `namespace/gateway/section` of the listener.
    #[serde(default)]
    pub name: String,
    /// The IP address to bind.
    #[serde(default)]
    pub address: String,
    /// The port to bind inside the proxy's container.
    #[serde(default)]
    pub port: u32,
    /// The port clients use; 0 when it isn't known.
    #[serde(default, skip_serializing_if = "is_default")]
    pub external_port: u32,
    /// Objects for an extension server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extension_refs: Vec<UnstructuredRef>,
    /// The object it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Arc<ResourceMetadata>>,
    /// Which IP families to listen on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip_family: Option<IpFamily>,
}

/// The listener that answers readiness probes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadyListener {
    /// Which IP families to listen on.
    pub ip_family: IpFamily,
    /// The IP address to bind.
    #[serde(default)]
    pub address: String,
    /// The port to bind.
    #[serde(default)]
    pub port: u32,
    /// The path that answers 200 while the proxy is ready.
    #[serde(default)]
    pub path: String,
}

impl CoreListenerDetails {
    /// Faults of name, address and port.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        if self.name.is_empty() {
            faults.push(fault("name", "the listener has no name"));
        }
        if self.address.parse::<IpAddr>().is_err() {
            faults.push(fault("address", format!("{:?} is no IP address to listen on", self.address)));
        }
        if self.port == 0 {
            faults.push(fault("port", "the listener has no port"));
        }
        faults
    }
}
