//! The Backend kind: endpoints that are no Service, by address, name or socket.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::backend_tls::BackendTlsSettings;
use crate::api::condition::Condition;
use crate::api::constraints::DnsName;
use crate::api::constraints::IpAddress;
use crate::api::metadata::{ObjectMeta, object};
use crate::api::rules::rule;
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
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "self.type != 'DynamicResolver' || !has(self.endpoints)",
        "a DynamicResolver finds its endpoints itself: remove endpoints",
    ),
    rule(
        "self.type != 'DynamicResolver' || !has(self.tls) || !(has(self.tls.autoSNIFromEndpointHostname) && \
         self.tls.autoSNIFromEndpointHostname)",
        "a DynamicResolver has no endpoint to take the name from: remove autoSNIFromEndpointHostname",
    ),
    rule(
        "!has(self.tls) || !(has(self.tls.autoSNIFromEndpointHostname) && self.tls.autoSNIFromEndpointHostname) \
         || self.endpoints.all(e, (!has(e.ip) && !has(e.unix)) || has(e.hostname))",
        "autoSNIFromEndpointHostname needs a hostname at endpoints with ip or unix",
    ),
]))]
pub struct BackendSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Endpoints"))]
    pub r#type: Option<BackendType>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 256), extend("x-kubernetes-validations" = [
        rule(
            "self.all(f, has(f.fqdn)) || !self.exists(f, has(f.fqdn))",
            "endpoints with fqdn can't be mixed with others: make two Backends of them",
        ),
    ]))]
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
#[schemars(extend("x-kubernetes-validations" = [
    rule("(has(self.fqdn) || has(self.ip) || has(self.unix))", "set one of fqdn, ip and unix"),
    rule(
        "((has(self.fqdn) && !(has(self.ip) || has(self.unix))) || (has(self.ip) && !(has(self.fqdn) || \
         has(self.unix))) || (has(self.unix) && !(has(self.ip) || has(self.fqdn))))",
        "set only one of fqdn, ip and unix",
    ),
]))]
pub struct BackendEndpoint {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DnsName")]
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
    #[schemars(length(max = 8), extend("x-kubernetes-list-map-keys" = ["type"], "x-kubernetes-list-type" = "map"))]
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
    #[schemars(length(min = 1, max = 253))]
    #[schemars(regex(pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\.?$"))]
    pub hostname: String,
    #[schemars(range(min = 0, max = 65535))]
    pub port: i32,
}

/// An address and a port.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IpEndpoint {
    #[schemars(with = "IpAddress")]
    pub address: String,
    #[schemars(range(min = 0, max = 65535))]
    pub port: i32,
}

/// A socket in the file system of the proxy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnixSocket {
    #[schemars(extend("x-kubernetes-validations" = [
        rule("size(self) <= 108", "path must have at most 108 characters"),
    ]))]
    pub path: String,
}

object!(Backend, "gateway.envoyproxy.io", "v1alpha1", "Backend", "backends", true);
