//! External authorization.

use crate::api::duration::Duration;
use crate::ir::bytes::PrivateBytes;
use crate::ir::destination::RouteDestination;
use crate::ir::traffic::TrafficFeatures;
use serde::Deserialize;
use serde::Serialize;
use std::sync::Arc;

/// A service that decides about each request. One protocol is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtAuth {
    /// Unique name; the filter goes by it.
    #[serde(default)]
    pub name: String,
    /// A gRPC service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grpc: Option<GrpcExtAuthService>,
    /// An HTTP service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpExtAuthService>,
    /// How the service is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Arc<TrafficFeatures>>,
    /// Headers it sees.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers_to_ext_auth: Vec<String>,
    /// How much of the body it sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_to_ext_auth: Option<BodyToExtAuth>,
    /// How long it may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    /// Whether requests pass when it fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_open: Option<bool>,
    /// Whether routing starts again afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recompute_route: Option<bool>,
    /// Whether it sees the route's metadata.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_route_metadata: Option<bool>,
    /// What else it is told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context_extensions: Vec<ContextExtention>,
    /// The status when it fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_on_error: Option<i32>,
}

/// How much of the body is shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BodyToExtAuth {
    /// This many bytes.
    #[serde(default)]
    pub max_request_bytes: u32,
}

/// Something the service is told. (The name's spelling is Envoy Gateway's.)
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextExtention {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Its value.
    #[serde(default)]
    pub value: PrivateBytes,
}

/// An HTTP service that decides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpExtAuthService {
    /// The server.
    #[serde(default)]
    pub destination: RouteDestination,
    /// The Host header.
    #[serde(default)]
    pub authority: String,
    /// What is put before the request's path.
    #[serde(default)]
    pub path: String,
    /// What replaces the request's path.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path_override: String,
    /// Headers of its answer to send upstream.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers_to_backend: Vec<String>,
}

/// A gRPC service that decides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GrpcExtAuthService {
    /// The server.
    #[serde(default)]
    pub destination: RouteDestination,
    /// The authority header.
    #[serde(default)]
    pub authority: String,
}
