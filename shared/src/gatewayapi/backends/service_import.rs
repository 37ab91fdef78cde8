//! A ServiceImport as a backend: by its endpoints, or by its addresses where the EnvoyProxy says so.

use std::sync::Arc;

use crate::api::metadata::Object;
use crate::api::service_import::{ServiceImport, ServiceImportPort};
use crate::gatewayapi::backends::endpoints::PortName;
use crate::gatewayapi::backends::service::cluster_ip_endpoint;
use crate::gatewayapi::backends::{app_protocol, endpoints};
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::metadata::resource_metadata;
use crate::gatewayapi::routes::scope::Scope;
use crate::ir::destination::DestinationSetting;
use crate::resources::ServiceOwner;

/// The setting for one port of a ServiceImport. Without addresses of its own its endpoints are used in any case.
///
/// # Errors
/// There are no endpoints, or they can't be used together.
pub fn setting(
    scope: &Scope<'_, '_>,
    import: &Arc<ServiceImport>,
    port: &ServiceImportPort,
) -> Result<DestinationSetting, RouteFault> {
    let (protocol, force_http1_upstream) = app_protocol::app_protocol(port.app_protocol.as_deref());
    let (endpoints, address_type) = if scope.routes_to_services() && !import.spec.ips.is_empty() {
        let endpoints = import.spec.ips.iter().map(|ip| cluster_ip_endpoint(ip.clone(), port.port)).collect();
        (endpoints, None)
    } else {
        let name = port.name.as_deref().unwrap_or_default();
        let port = PortName { name, transport: scope.kind.transport() };
        endpoints::endpoints(scope.view, ServiceOwner::ServiceImport, ServiceImport::KIND, &import.key(), port)?
    };
    Ok(DestinationSetting {
        protocol: Some(protocol),
        force_http1_upstream,
        endpoints,
        address_type,
        metadata: Some(Arc::new(resource_metadata(&**import, Some(port.port.to_string())))),
        ..DestinationSetting::default()
    })
}
