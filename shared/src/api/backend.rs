//! The Backend kind: endpoints that are no Service, by address, name or socket.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::backend_tls::BackendTlsSettings;
use crate::api::condition::Condition;
use crate::api::metadata::{ObjectMeta, object};
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// Endpoints outside the Services of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Backend {
    #[serde(default)]
    #[schemars(!default)]
    pub metadata: ObjectMeta,
    #[serde(default)]
    #[schemars(!default)]
    pub spec: BackendSpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<BackendStatus>,
}

/// Endpoints of a Backend and how to speak to them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackendSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<BackendType>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub endpoints: Vec<BackendEndpoint>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub app_protocols: Vec<AppProtocolType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<BackendTlsSettings>,
}

/// One endpoint; exactly one of the fields is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackendEndpoint {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fqdn: Option<FqdnEndpoint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip: Option<IpEndpoint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unix: Option<UnixSocket>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}

string_enum! {
    /// The protocol an endpoint speaks.
    pub closed enum AppProtocolType {
        H2C = "gateway.envoyproxy.io/h2c",
        Ws = "gateway.envoyproxy.io/ws",
        Wss = "gateway.envoyproxy.io/wss",
    }
}

/// What the controller says about a Backend.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackendStatus {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

string_enum! {
    /// Whether the endpoints are listed or found at run time.
    pub closed enum BackendType {
        Endpoints = "Endpoints",
        DynamicResolver = "DynamicResolver",
    }
}

/// A name and a port.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FqdnEndpoint {
    pub hostname: String,
    pub port: i32,
}

/// An address and a port.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IpEndpoint {
    pub address: String,
    pub port: i32,
}

/// A socket in the file system of the proxy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnixSocket {
    pub path: String,
}

object!(Backend, "gateway.envoyproxy.io", "v1alpha1", "Backend", "backends", true);
