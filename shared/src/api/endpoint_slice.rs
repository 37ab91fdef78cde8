//! The EndpointSlice kind: where the pods of a Service are.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::discovery::v1::{EndpointConditions, EndpointHints, EndpointPort};
use serde::{Deserialize, Serialize};

use crate::api::metadata::{ObjectMeta, object};
use crate::api::string_enum::string_enum;

/// Label that names the Service a slice belongs to.
pub const SERVICE_NAME_LABEL: &str = "kubernetes.io/service-name";
/// Label that names the ServiceImport a slice belongs to.
pub const SERVICE_IMPORT_NAME_LABEL: &str = "multicluster.kubernetes.io/service-name";

string_enum! {
    /// What the addresses of a slice are.
    pub open enum EndpointSliceAddressType {
        Ipv4 = "IPv4",
        Ipv6 = "IPv6",
        Fqdn = "FQDN",
    }
}

/// Some of the endpoints of a Service, with the ports they share. The parts are Kubernetes' own types.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EndpointSlice {
    /// Metadata; a label names the Service.
    #[serde(default)]
    pub metadata: ObjectMeta,
    /// What the addresses are; IPv4 where it is left out.
    #[serde(default = "ipv4")]
    pub address_type: EndpointSliceAddressType,
    /// The endpoints.
    #[serde(default, deserialize_with = "null_is_empty", skip_serializing_if = "Vec::is_empty")]
    pub endpoints: Vec<Endpoint>,
    /// The ports each of them has.
    #[serde(default, deserialize_with = "null_is_empty", skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<EndpointPort>,
}

/// One endpoint. There are many, so what nearly all of them have and nobody looks at is kept small.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Endpoint {
    /// Its addresses, all of the slice's type.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub addresses: Vec<String>,
    /// Whether it takes requests, and whether it is going away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<EndpointConditions>,
    /// Labels of its node, in slices of the first version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecated_topology: Option<Box<BTreeMap<String, String>>>,
    /// Which zones and nodes should use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hints: Option<Box<EndpointHints>>,
    /// Its host name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hostname: Option<Box<str>>,
    /// The node it runs on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_name: Option<Box<str>>,
    /// The pod behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_ref: Option<Box<ObjectReference>>,
    /// The zone it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}

object!(EndpointSlice, "discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", true);

fn ipv4() -> EndpointSliceAddressType {
    EndpointSliceAddressType::Ipv4
}

/// `endpoints: null` is what the API server shows for a Service without pods.
fn null_is_empty<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
