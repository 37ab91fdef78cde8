//! A Service as a backend: by its endpoints, or by its ClusterIP where the EnvoyProxy says so.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ServicePort;

use crate::api::metadata::Object;
use crate::api::service::Service;
use crate::gatewayapi::backends::endpoints::PortName;
use crate::gatewayapi::backends::{app_protocol, endpoints, ip_family, prefer_local};
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::metadata::resource_metadata;
use crate::gatewayapi::routes::scope::Scope;
use crate::ir::destination::{DestinationEndpoint, DestinationSetting};
use crate::resources::ServiceOwner;

/// The setting for one port of a Service. A headless Service has no ClusterIP, so its endpoints are used in any case.
///
/// # Errors
/// There are no endpoints, or they can't be used together.
pub fn setting(
    scope: &Scope<'_, '_>,
    service: &Arc<Service>,
    port: &ServicePort,
) -> Result<DestinationSetting, RouteFault> {
    let (protocol, force_http1_upstream) = app_protocol::app_protocol(port.app_protocol.as_deref());
    let by_cluster_ip = scope.routes_to_services() && !service.is_headless();
    let (endpoints, address_type) = if by_cluster_ip {
        let host = service.spec.cluster_ip.clone().unwrap_or_default();
        (vec![cluster_ip_endpoint(host, port.port)], None)
    } else {
        let name = port.name.as_deref().unwrap_or_default();
        let port = PortName { name, transport: scope.kind.transport() };
        endpoints::endpoints(scope.view, ServiceOwner::Service, Service::KIND, &service.key(), port)?
    };
    Ok(DestinationSetting {
        protocol: Some(protocol),
        force_http1_upstream,
        endpoints,
        address_type,
        ip_family: ip_family::ip_family(service),
        prefer_local: prefer_local::prefer_local(service).map(Box::new),
        metadata: Some(Arc::new(resource_metadata(&**service, Some(port.port.to_string())))),
        ..DestinationSetting::default()
    })
}

/// The one endpoint that stands for all: the address of the Service.
pub(super) fn cluster_ip_endpoint(host: String, port: i32) -> DestinationEndpoint {
    DestinationEndpoint { host, port: u32::try_from(port).unwrap_or(0), ..DestinationEndpoint::default() }
}
