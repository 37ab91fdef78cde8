//! TLS of Gateways: certificates towards clients, client validation, the certificate towards backends.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::references::ObjectReference;
use crate::api::references::SecretObjectReference;
use crate::api::string_enum::string_enum;
use serde::Deserialize;
use serde::Serialize;
use std::collections::BTreeMap;

/// TLS of a whole Gateway, in both directions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GatewayTlsConfig {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<GatewayBackendTls>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frontend: Option<FrontendTlsConfig>,
}

/// TLS of a listener.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListenerTlsConfig {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<TlsModeType>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub certificate_refs: Vec<SecretObjectReference>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
}

/// TLS of a Gateway towards backends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GatewayBackendTls {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_certificate_ref: Option<SecretObjectReference>,
}

/// TLS towards clients: the default, and what differs on some ports.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrontendTlsConfig {
    pub default: TlsConfig,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub per_port: Vec<TlsPortConfig>,
}

/// TLS towards clients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TlsConfig {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<FrontendTlsValidation>,
}

/// TLS towards clients on one port.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TlsPortConfig {
    pub port: i32,
    pub tls: TlsConfig,
}

string_enum! {
    /// Whether TLS ends at the listener.
    pub open enum TlsModeType {
        Terminate = "Terminate",
        Passthrough = "Passthrough",
    }
}

/// How client certificates are validated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrontendTlsValidation {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ca_certificate_refs: Vec<ObjectReference>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<FrontendValidationModeType>,
}

string_enum! {
    /// What happens to clients without a valid certificate.
    pub closed enum FrontendValidationModeType {
        AllowValidOnly = "AllowValidOnly",
        AllowInsecureFallback = "AllowInsecureFallback",
    }
}
