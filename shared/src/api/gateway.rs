//! The Gateway kind, its addresses and its status.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::condition::Condition;
use crate::api::gateway_tls::GatewayTlsConfig;
use crate::api::listener::AllowedListeners;
use crate::api::listener::Listener;
use crate::api::listener::ListenerStatus;
use crate::api::metadata::{ObjectMeta, object};
use crate::api::string_enum::string_enum;
use serde::Deserialize;
use serde::Serialize;
use std::collections::BTreeMap;

/// A Gateway: listeners that traffic enters by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Gateway {
    #[serde(default)]
    pub metadata: ObjectMeta,
    pub spec: GatewaySpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<GatewayStatus>,
}

/// What a Gateway asks for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GatewaySpec {
    pub gateway_class_name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listeners: Vec<Listener>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<GatewaySpecAddress>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub infrastructure: Option<GatewayInfrastructure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_listeners: Option<AllowedListeners>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<GatewayTlsConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_scope: Option<GatewayDefaultScope>,
}

/// An address asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GatewaySpecAddress {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<AddressType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// What the controller says about a Gateway.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GatewayStatus {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<GatewayStatusAddress>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listeners: Vec<ListenerStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attached_listener_sets: Option<i32>,
}

/// An address a Gateway has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GatewayStatusAddress {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<AddressType>,
    pub value: String,
}

/// Labels, annotations and parameters of what is made for a Gateway.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GatewayInfrastructure {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters_ref: Option<LocalParametersReference>,
}

string_enum! {
    /// Whether a Gateway takes Routes that name no parent.
    pub closed enum GatewayDefaultScope {
        All = "All",
        None = "None",
    }
}

string_enum! {
    /// Kind of an address; controllers may know others.
    pub open enum AddressType {
        IpAddress = "IPAddress",
        Hostname = "Hostname",
        NamedAddress = "NamedAddress",
    }
}

/// The object in the same namespace with the parameters of a Gateway.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LocalParametersReference {
    pub group: String,
    pub kind: String,
    pub name: String,
}

object!(Gateway, "gateway.networking.k8s.io", "v1", "Gateway", "gateways", true);
