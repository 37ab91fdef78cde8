//! A Service as a destination of the proxies themselves (collectors, the fleet's own Service), apart from any route.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ServicePort;

use super::metadata::resource_metadata;
use super::view::View;
use crate::api::endpoint_slice::EndpointSliceAddressType;
use crate::api::metadata::Object;
use crate::api::service::Service;
use crate::ir::destination::{AppProtocol, DestinationAddressType, DestinationEndpoint, DestinationSetting};
use crate::resources::ServiceOwner;

/// How a Service is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RouteTo {
    /// By its endpoints.
    Endpoints,
    /// By its ClusterIP, where it has one.
    Service,
}

/// One port of a Service, without name and weight; it speaks `protocol` unless the port says something else.
///
/// # Errors
/// In words: it has no endpoints.
pub(super) fn setting(
    view: &View<'_>,
    service: &Service,
    port: &ServicePort,
    to: RouteTo,
    protocol: AppProtocol,
) -> Result<DestinationSetting, String> {
    let number = u32::try_from(port.port).unwrap_or_default();
    let (endpoints, address_type) = if to == RouteTo::Service && !service.is_headless() {
        let host = service.spec.cluster_ip.clone().unwrap_or_default();
        (vec![DestinationEndpoint { host, port: number, ..DestinationEndpoint::default() }], None)
    } else {
        endpoints(view, service, port)
    };
    if endpoints.is_empty() {
        return Err(format!("Service {} has no ready endpoints for port {number}", service.key()));
    }
    Ok(DestinationSetting {
        protocol: Some(match port.app_protocol.as_deref() {
            Some("kubernetes.io/h2c" | "gateway.envoyproxy.io/h2c") => AppProtocol::Http2,
            Some("grpc") => AppProtocol::Grpc,
            _ => protocol,
        }),
        endpoints,
        address_type,
        metadata: Some(Arc::new(resource_metadata(service, Some(number.to_string())))),
        ..DestinationSetting::default()
    })
}

fn endpoints(
    view: &View<'_>,
    service: &Service,
    port: &ServicePort,
) -> (Vec<DestinationEndpoint>, Option<DestinationAddressType>) {
    let mut found = Vec::new();
    let mut kind = None;
    for slice in view.endpoint_slices(ServiceOwner::Service, &service.key()) {
        kind = Some(match (kind, &slice.address_type) {
            (None | Some(DestinationAddressType::Fqdn), EndpointSliceAddressType::Fqdn) => DestinationAddressType::Fqdn,
            (None | Some(DestinationAddressType::Ip), _) => DestinationAddressType::Ip,
            _ => DestinationAddressType::Mixed,
        });
        let numbers: Vec<u32> = slice
            .ports
            .iter()
            .filter(|it| it.name.as_deref().unwrap_or_default() == port.name.as_deref().unwrap_or_default())
            .filter(|it| it.protocol.as_deref().unwrap_or("TCP") == port.protocol.as_deref().unwrap_or("TCP"))
            .filter_map(|it| u32::try_from(it.port?).ok())
            .collect();
        for endpoint in &slice.endpoints {
            let conditions = endpoint.conditions.clone().unwrap_or_default();
            let draining = match (conditions.serving, conditions.terminating) {
                (Some(serving), Some(terminating)) => terminating || !serving,
                _ => conditions.ready == Some(false),
            };
            for number in &numbers {
                found.extend(endpoint.addresses.iter().map(|address| DestinationEndpoint {
                    host: address.clone(),
                    port: *number,
                    draining,
                    zone: endpoint.zone.clone(),
                    ..DestinationEndpoint::default()
                }));
            }
        }
    }
    (found, kind)
}
