//! The UDPRoute kind: backends of UDP listeners.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::gateway::GatewayDefaultScope;
use crate::api::metadata::{ObjectMeta, object};
use crate::api::references::{BackendRef, ParentReference};
use crate::api::route_status::RouteStatus;
use serde::Deserialize;
use serde::Serialize;

/// Where UDP datagrams go.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UdpRoute {
    #[serde(default)]
    pub metadata: ObjectMeta,
    pub spec: UdpRouteSpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<RouteStatus>,
}

/// What a UDPRoute asks for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UdpRouteSpec {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parent_refs: Vec<ParentReference>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_default_gateways: Option<GatewayDefaultScope>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<UdpRouteRule>,
}

/// Backends that share the traffic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UdpRouteRule {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backend_refs: Vec<BackendRef>,
}

object!(UdpRoute, "gateway.networking.k8s.io", "v1", "UDPRoute", "udproutes", true);
