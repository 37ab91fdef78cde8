//! What is watched: every kind the gateway reads, with the versions it is read in.

use gateway_shared::api::any_object::AnyObject;
use gateway_shared::api::backend::Backend;
use gateway_shared::api::config_map::ConfigMap;
use gateway_shared::api::endpoint_slice::EndpointSlice;
use gateway_shared::api::envoy_proxy::EnvoyProxy;
use gateway_shared::api::gateway::Gateway;
use gateway_shared::api::gateway_class::GatewayClass;
use gateway_shared::api::http_route::HttpRoute;
use gateway_shared::api::http_route_filter::HttpRouteFilterResource;
use gateway_shared::api::metadata::Object;
use gateway_shared::api::namespace::Namespace;
use gateway_shared::api::reference_grant::ReferenceGrant;
use gateway_shared::api::secret::Secret;
use gateway_shared::api::service::Service;
use gateway_shared::api::service_import::ServiceImport;
use gateway_shared::api::tcp_route::TcpRoute;
use gateway_shared::api::tls_route::TlsRoute;
use gateway_shared::api::udp_route::UdpRoute;
use gateway_shared::resources::decode::{self, Fault};
use kube::core::ApiResource;
use kube::{Api, Client};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::raw::Raw;
use super::store::Source;

/// The kinds, in the order in which people ask about them. A new one is one line.
pub(super) static WATCHED: &[Watched] = &[
    watched::<GatewayClass>(&["v1", "v1beta1"]).of(Presence::GatewayApi).with_status(),
    watched::<Gateway>(&["v1", "v1beta1"]).of(Presence::GatewayApi).with_status(),
    watched::<HttpRoute>(&["v1", "v1beta1"]).of(Presence::GatewayApi).with_status(),
    watched::<TlsRoute>(&["v1", "v1alpha3", "v1alpha2"]).of(Presence::Optional).with_status(),
    watched::<TcpRoute>(&["v1", "v1alpha2"]).of(Presence::Optional).with_status(),
    watched::<UdpRoute>(&["v1", "v1alpha2"]).of(Presence::Optional).with_status(),
    watched::<ReferenceGrant>(&["v1", "v1beta1"]).of(Presence::GatewayApi),
    watched::<EnvoyProxy>(&["v1alpha1"]).of(Presence::EnvoyGateway).with_status(),
    watched::<Backend>(&["v1alpha1"]).of(Presence::EnvoyGateway).with_status(),
    watched::<HttpRouteFilterResource>(&["v1alpha1"]).of(Presence::EnvoyGateway),
    watched::<ServiceImport>(&["v1alpha1"]).of(Presence::Foreign),
    watched::<Namespace>(&["v1"]),
    watched::<Service>(&["v1"]),
    watched::<EndpointSlice>(&["v1"]).without(unread_of_slices),
    watched::<Secret>(&["v1"]).fields(GATEWAY_SECRETS),
    watched::<ConfigMap>(&["v1"]).fields(CONFIG_MAPS).without(unread_of_config_maps),
];

/// Most Secrets of most clusters are nothing a Gateway could refer to: releases of helm and tokens. The API server
/// leaves them out.
const GATEWAY_SECRETS: &str = "type!=helm.sh/release.v1,type!=kubernetes.io/service-account-token,\
                               type!=bootstrap.kubernetes.io/token";

/// The one ConfigMap that every namespace has, and that isn't what a policy refers to.
const CONFIG_MAPS: &str = "metadata.name!=kube-root-ca.crt";

/// How objects of one kind are watched.
pub(super) struct Watched {
    /// API group; empty for the core group.
    pub(super) group: &'static str,
    /// Kind, as in a manifest.
    pub(super) kind: &'static str,
    /// Plural, as in a URL.
    pub(super) plural: &'static str,
    /// Whether objects are in namespaces.
    pub(super) namespaced: bool,
    /// The versions it is read in, best first.
    pub(super) versions: &'static [&'static str],
    /// Whether it can be missing.
    pub(super) presence: Presence,
    /// Whether we write statuses of it, which are kept in [`Seen`](super::Seen).
    pub(super) status: bool,
    /// Which objects the API server shall give: a field selector.
    pub(super) fields: Option<&'static str>,
    /// Takes out what nobody reads.
    pub(super) trim: Option<fn(&mut Value)>,
    /// Reads one object.
    pub(super) decode: fn(&Value) -> Result<AnyObject, Fault>,
}

/// Whether a kind is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// Every API server has it.
    Always,
    /// It comes with the CRDs of the Gateway API.
    GatewayApi,
    /// It comes with our CRDs.
    EnvoyGateway,
    /// It is there or not, and neither is worth a word.
    Optional,
    /// The same, and it belongs to others: if we may not watch it, it is as if it weren't there.
    Foreign,
}

const fn watched<T: Object + DeserializeOwned + Into<AnyObject>>(versions: &'static [&'static str]) -> Watched {
    Watched {
        group: T::GROUP,
        kind: T::KIND,
        plural: T::PLURAL,
        namespaced: T::NAMESPACED,
        versions,
        presence: Presence::Always,
        status: false,
        fields: None,
        trim: None,
        decode: decode::object::<T>,
    }
}

impl Watched {
    const fn of(mut self, presence: Presence) -> Self {
        self.presence = presence;
        self
    }

    const fn with_status(mut self) -> Self {
        self.status = true;
        self
    }

    const fn fields(mut self, fields: &'static str) -> Self {
        self.fields = Some(fields);
        self
    }

    const fn without(mut self, trim: fn(&mut Value)) -> Self {
        self.trim = Some(trim);
        self
    }

    /// The version it is watched in, where it depends on nothing: kinds every API server has.
    pub(super) fn fixed_version(&self) -> Option<&'static str> {
        (self.presence == Presence::Always).then_some(self.versions).and_then(|versions| versions.first().copied())
    }

    /// Its objects in `version`, where `source` watches them.
    pub(super) fn api(&self, client: &Client, version: &str, source: &Source) -> Api<Raw> {
        let Self { group, kind, plural, .. } = self;
        let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
        let resource = ApiResource {
            group: (*group).to_owned(),
            version: version.to_owned(),
            api_version,
            kind: (*kind).to_owned(),
            plural: (*plural).to_owned(),
        };
        match &source.namespace {
            Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
            None => Api::all_with(client.clone(), &resource),
        }
    }

    /// The name of its CustomResourceDefinition.
    pub(super) fn crd(&self) -> String {
        format!("{}.{}", self.plural, self.group)
    }
}

/// Takes out of an EndpointSlice which pods and nodes are behind it, and when it changed last: a rolling update would be
/// twice as many changes.
fn unread_of_slices(slice: &mut Value) {
    if let Some(metadata) = slice.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("annotations");
        metadata.remove("ownerReferences");
        metadata.remove("generation");
    }
    let endpoints = slice.get_mut("endpoints").and_then(Value::as_array_mut).into_iter().flatten();
    for endpoint in endpoints.filter_map(Value::as_object_mut) {
        endpoint.remove("targetRef");
        endpoint.remove("nodeName");
    }
}

/// The keys of ConfigMaps that somebody looks for.
const CONFIG_MAP_KEYS: &[&str] = &["ca.crt", "ca.crl", "jwks", "lua", "response.body"];

/// Empties the values of a ConfigMap that nobody reads: those under other keys than the known ones and the first, which
/// counts where no known one is there. Most ConfigMaps of a cluster are about something else, and large.
fn unread_of_config_maps(map: &mut Value) {
    let Some(data) = map.get_mut("data").and_then(Value::as_object_mut) else { return };
    let first = data.keys().min().cloned();
    for (key, value) in data.iter_mut() {
        if first.as_ref() != Some(key) && !CONFIG_MAP_KEYS.contains(&key.as_str()) {
            *value = Value::String(String::new());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn of_a_config_map_only_values_that_somebody_can_read_are_kept() {
        let mut map = json!({"data": {"b": "large", "a": "first", "ca.crt": "pem"}});
        unread_of_config_maps(&mut map);
        assert_eq!(map, json!({"data": {"b": "", "a": "first", "ca.crt": "pem"}}));
    }

    #[test]
    fn of_a_slice_neither_pods_nodes_nor_the_time_of_its_last_change_are_kept() {
        let mut slice = json!({
            "metadata": {"name": "s", "annotations": {"endpoints.kubernetes.io/last-change-trigger-time": "t"}},
            "endpoints": [{"addresses": ["10.0.0.1"], "nodeName": "n", "targetRef": {"kind": "Pod"}, "zone": "z"}],
        });
        unread_of_slices(&mut slice);
        let left = json!({"metadata": {"name": "s"}, "endpoints": [{"addresses": ["10.0.0.1"], "zone": "z"}]});
        assert_eq!(slice, left);
    }

    #[test]
    fn every_kind_the_gateway_reads_is_watched_once() {
        let mut kinds: Vec<&str> = WATCHED.iter().map(|watched| watched.kind).collect();
        let mut read = AnyObject::KINDS.to_vec();
        kinds.sort_unstable();
        read.sort_unstable();
        assert_eq!(kinds, read);
    }
}
