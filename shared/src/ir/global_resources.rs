//! What belongs to no listener or route.

use crate::ir::destination::RouteDestination;
use crate::ir::tls::TlsCertificate;
use serde::Deserialize;
use serde::Serialize;
use std::sync::Arc;

/// What belongs to no listener or route.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GlobalResources {
    /// The proxies' certificate towards the control plane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub envoy_client_certificate: Option<TlsCertificate>,
    /// The cluster of the proxies themselves, for zone-aware routing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy_service_cluster: Option<Arc<RouteDestination>>,
}
