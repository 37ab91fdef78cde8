//! Which kinds are read, and what is said about those that are not.

use serde::de::DeserializeOwned;
use serde_yaml::Value;

use super::typed::{Typed, typed};
use crate::api::any_object::AnyObject;
use crate::api::backend::Backend;
use crate::api::config_map::ConfigMap;
use crate::api::endpoint_slice::EndpointSlice;
use crate::api::envoy_proxy::EnvoyProxy;
use crate::api::gateway::Gateway;
use crate::api::gateway_class::GatewayClass;
use crate::api::http_route::HttpRoute;
use crate::api::http_route_filter::HttpRouteFilterResource;
use crate::api::metadata::Object;
use crate::api::namespace::Namespace;
use crate::api::reference_grant::ReferenceGrant;
use crate::api::secret::Secret;
use crate::api::service::Service;
use crate::api::service_import::ServiceImport;
use crate::api::tcp_route::TcpRoute;
use crate::api::tls_route::TlsRoute;
use crate::api::udp_route::UdpRoute;

/// How objects of one kind are read.
struct Reader {
    group: &'static str,
    kind: &'static str,
    versions: &'static [&'static str],
    read: fn(Value) -> Typed<AnyObject>,
}

/// The kinds that are read.
const READERS: &[Reader] = &[
    reader::<GatewayClass>(&["v1", "v1beta1"]),
    reader::<Gateway>(&["v1", "v1beta1"]),
    reader::<HttpRoute>(&["v1", "v1beta1"]),
    reader::<TlsRoute>(&["v1", "v1alpha3", "v1alpha2"]),
    reader::<TcpRoute>(&["v1", "v1alpha2"]),
    reader::<UdpRoute>(&["v1", "v1alpha2"]),
    reader::<ReferenceGrant>(&["v1", "v1beta1", "v1alpha2"]),
    reader::<Backend>(&["v1alpha1"]),
    reader::<EnvoyProxy>(&["v1alpha1"]),
    reader::<HttpRouteFilterResource>(&["v1alpha1"]),
    reader::<Service>(&["v1"]),
    reader::<EndpointSlice>(&["v1", "v1beta1"]),
    Reader { group: Secret::GROUP, kind: Secret::KIND, versions: &["v1"], read: read_secret },
    reader::<ConfigMap>(&["v1"]),
    reader::<Namespace>(&["v1"]),
    reader::<ServiceImport>(&["v1alpha1"]),
];

const fn reader<T: Object + DeserializeOwned + Into<AnyObject>>(versions: &'static [&'static str]) -> Reader {
    Reader { group: T::GROUP, kind: T::KIND, versions, read: |value| typed::<T>(value).map(Into::into) }
}

/// Messages quote what they complain about, which must not happen to the values of a Secret.
fn read_secret(value: Value) -> Typed<AnyObject> {
    let mut secret = typed::<Secret>(value).map(AnyObject::from);
    if let Err(mistake) = &mut secret.result {
        without_values(Secret::KIND, &mistake.path, &mut mistake.message);
    }
    secret
}

/// Puts words that quote nothing in the place of a message about the values of a Secret.
pub(super) fn without_values(kind: &str, path: &str, message: &mut String) {
    if kind == Secret::KIND && (path.starts_with("data") || path.starts_with("stringData")) {
        "must be a string: base64 under data, plain under stringData".clone_into(message);
    }
}

const GATEWAY_API: &str = "gateway.networking.k8s.io";
const ENVOY_GATEWAY: &str = "gateway.envoyproxy.io";

/// Kinds that belong to the product but are not read yet.
const LATER: &[(&str, &str)] = &[
    (GATEWAY_API, "GRPCRoute"),
    (GATEWAY_API, "ListenerSet"),
    (GATEWAY_API, "BackendTLSPolicy"),
    (ENVOY_GATEWAY, "ClientTrafficPolicy"),
    (ENVOY_GATEWAY, "BackendTrafficPolicy"),
    (ENVOY_GATEWAY, "SecurityPolicy"),
    (ENVOY_GATEWAY, "EnvoyExtensionPolicy"),
    (ENVOY_GATEWAY, "EnvoyPatchPolicy"),
];

/// Groups of Kubernetes itself, besides those ending in `.k8s.io`.
const KUBERNETES_GROUPS: &[&str] = &["", "apps", "autoscaling", "batch", "policy"];

/// What can be done with an object of some kind.
pub(super) enum Reading {
    /// It can be read.
    Known(fn(Value) -> Typed<AnyObject>),
    /// It is the configuration of the control plane, which may lie beside the objects; it isn't one of them.
    Configuration,
    /// It is passed over, and this is why.
    PassedOver(String),
}

/// Looks a kind up.
pub(super) fn reading(api_version: &str, kind: &str) -> Reading {
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let passed_over = |why: String| Reading::PassedOver(why);
    if let Some(reader) = READERS.iter().find(|reader| reader.group == group && reader.kind == kind) {
        if reader.versions.contains(&version) {
            return Reading::Known(reader.read);
        }
        return passed_over(format!(
            "{kind} is not read in version {version:?}, so the object is ignored; write it in {}",
            reader.versions.join(" or ")
        ));
    }
    if (group, kind) == (ENVOY_GATEWAY, "EnvoyGateway") {
        return Reading::Configuration;
    }
    if LATER.contains(&(group, kind)) {
        return passed_over(format!("{kind} is not supported yet, so the object is ignored"));
    }
    if let Some(reader) = READERS.iter().find(|reader| reader.kind == kind) {
        let right = if reader.group.is_empty() {
            "v1".to_owned()
        } else {
            format!("{}/{}", reader.group, reader.versions.first().unwrap_or(&""))
        };
        return passed_over(format!(
            "{kind} of {api_version:?} is not read, so the object is ignored; did you mean apiVersion {right}?"
        ));
    }
    if KUBERNETES_GROUPS.contains(&group) || group.ends_with(".k8s.io") && group != GATEWAY_API {
        return passed_over(format!("{kind} is a kind the gateway has no use for, so the object is ignored"));
    }
    passed_over(format!("unknown kind {kind} of {api_version:?}, so the object is ignored"))
}
