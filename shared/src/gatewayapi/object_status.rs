//! Every status there is to write: one for each object of ours, read off the decisions.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use super::backend_status::backend_status;
use super::decision::RouteKind;
use super::programmed;
use super::route_statuses::route_status;
use super::statuses::{envoy_proxy_statuses, gateway_class_status, gateway_status};
use super::supported_features::supported_features;
use super::translate::Translation;
use crate::api::backend::Backend;
use crate::api::envoy_proxy::EnvoyProxy;
use crate::api::gateway::Gateway;
use crate::api::gateway_class::GatewayClass;
use crate::api::http_route::HttpRoute;
use crate::api::metadata::{Object, ObjectKey};
use crate::api::tcp_route::TcpRoute;
use crate::api::tls_route::TlsRoute;
use crate::api::udp_route::UdpRoute;
use crate::config::Config;
use crate::resources::Resources;
use crate::status::live::LiveFleets;

/// The status of one object.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectStatus {
    /// Group and version of the object.
    pub api_version: String,
    /// Kind of the object.
    pub kind: &'static str,
    /// Name and, where it has one, namespace.
    pub metadata: BTreeMap<&'static str, Arc<str>>,
    /// The status, as the API server is to have it.
    pub status: Value,
}

/// The statuses of all objects we answer for, by kind and then by name. Without `live`, what is known of running fleets,
/// nothing is said that depends on them.
#[must_use]
pub fn object_statuses(
    resources: &Resources,
    config: &Config,
    translation: &Translation,
    live: Option<&LiveFleets>,
) -> Vec<ObjectStatus> {
    let Translation { classes, fleets, routes, listeners, xds: _ } = translation;
    let mut statuses = Vec::new();
    for class in classes.values() {
        let mut status = gateway_class_status(class);
        if live.is_some() {
            status.supported_features = supported_features();
        }
        statuses.push(named::<GatewayClass>(&class.class.key(), &status));
    }
    let contexts = || fleets.values().flat_map(|fleet| &fleet.gateways);
    for (key, status) in envoy_proxy_statuses(classes.values(), contexts(), |key| resources.envoy_proxies().get(key)) {
        statuses.push(named::<EnvoyProxy>(&key, &status));
    }
    let attached: BTreeMap<Arc<str>, i32> =
        listeners.iter().map(|(listener, summary)| (Arc::clone(listener), summary.attached)).collect();
    let mut gateways: Vec<_> = contexts().collect();
    gateways.sort_by_cached_key(|context| context.gateway.key());
    for context in gateways {
        let mut status = gateway_status(context, &attached);
        if let Some(live) = live {
            programmed::add(&mut status, context, live, config);
        }
        statuses.push(named::<Gateway>(&context.gateway.key(), &status));
    }
    for fragment in routes.values() {
        let status = route_status(fragment, listeners, &config.controller_name);
        if !status.parents.is_empty() {
            statuses.push(match fragment.kind {
                RouteKind::Http => named::<HttpRoute>(&fragment.key, &status),
                RouteKind::Tls => named::<TlsRoute>(&fragment.key, &status),
                RouteKind::Tcp => named::<TcpRoute>(&fragment.key, &status),
                RouteKind::Udp => named::<UdpRoute>(&fragment.key, &status),
            });
        }
    }
    for backend in resources.backends().iter() {
        statuses.push(named::<Backend>(&backend.key(), &backend_status(config, backend)));
    }
    statuses
}

fn named<T: Object>(key: &ObjectKey, status: &impl Serialize) -> ObjectStatus {
    let api_version = if T::GROUP.is_empty() { T::VERSION.to_owned() } else { format!("{}/{}", T::GROUP, T::VERSION) };
    let mut metadata = BTreeMap::from([("name", Arc::clone(&key.name))]);
    if !key.namespace.is_empty() {
        metadata.insert("namespace", Arc::clone(&key.namespace));
    }
    // A status is plain data: it can't fail to serialize, and if it did, an empty one would say nothing false.
    let status = serde_json::to_value(status).unwrap_or_else(|_| Value::Object(Map::new()));
    ObjectStatus { api_version, kind: T::KIND, metadata, status }
}
