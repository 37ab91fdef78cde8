//! The TCPRoute kind: backends of TCP and TLS listeners.

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

/// Where TCP connections go.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TcpRoute {
    #[serde(default)]
    pub metadata: ObjectMeta,
    pub spec: TcpRouteSpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<RouteStatus>,
}

/// What a TCPRoute asks for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TcpRouteSpec {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parent_refs: Vec<ParentReference>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_default_gateways: Option<GatewayDefaultScope>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<TcpRouteRule>,
}

/// Backends that share the traffic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TcpRouteRule {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backend_refs: Vec<BackendRef>,
}

object!(TcpRoute, "gateway.networking.k8s.io", "v1", "TCPRoute", "tcproutes", true);
