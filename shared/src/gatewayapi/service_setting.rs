//! A Service as a destination of the proxies themselves (collectors, the fleet's own Service), apart from any route.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ServicePort;

use super::backends::endpoints::PortName;
use super::backends::{app_protocol, endpoints, prefer_local};
use super::metadata::resource_metadata;
use super::view::View;
use crate::api::metadata::Object;
use crate::api::service::Service;
use crate::ir::destination::{AppProtocol, DestinationEndpoint, DestinationSetting};
use crate::resources::ServiceOwner;

/// How a Service is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RouteTo {
    /// By its endpoints.
    Endpoints,
    /// By its ClusterIP, where it has one.
    Service,
}

/// One port of a Service, without name and weight. Where the port doesn't say what it speaks, that is TCP.
///
/// # Errors
/// In words: it has no endpoints, or they can't be used together.
pub(super) fn setting(
    view: &View<'_>,
    service: &Service,
    port: &ServicePort,
    to: RouteTo,
) -> Result<DestinationSetting, String> {
    let (endpoints, address_type) = if to == RouteTo::Service && !service.is_headless() {
        let host = service.spec.cluster_ip.clone().unwrap_or_default();
        let number = u32::try_from(port.port).unwrap_or_default();
        (vec![DestinationEndpoint { host, port: number, ..DestinationEndpoint::default() }], None)
    } else {
        let name = port.name.as_deref().unwrap_or_default();
        let port = PortName { name, transport: "TCP" };
        endpoints::endpoints(view, ServiceOwner::Service, Service::KIND, &service.key(), port)
            .map_err(|fault| fault.diagnostic.message)?
    };
    let (protocol, force_http1_upstream) = app_protocol::app_protocol(port.app_protocol.as_deref());
    Ok(DestinationSetting {
        protocol: Some(or_tcp(protocol)),
        force_http1_upstream,
        endpoints,
        address_type,
        prefer_local: prefer_local::prefer_local(service).map(Box::new),
        metadata: Some(Arc::new(resource_metadata(service, Some(port.port.to_string())))),
        ..DestinationSetting::default()
    })
}

/// What something speaks that isn't reached by HTTP routes: TCP, unless it says that it is HTTP/2 or gRPC.
pub(super) const fn or_tcp(protocol: AppProtocol) -> AppProtocol {
    match protocol {
        AppProtocol::Http => AppProtocol::Tcp,
        other => other,
    }
}
