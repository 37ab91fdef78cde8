//! Endpoints from EndpointSlices: addresses, whether they drain, and their zones.

use k8s_openapi::api::discovery::v1::EndpointConditions;

use crate::api::endpoint_slice::{Endpoint, EndpointSlice, EndpointSliceAddressType};
use crate::api::metadata::ObjectKey;
use crate::diagnostic::FieldPath;
use crate::gatewayapi::backends::address_types;
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::routes::outcome::reason;
use crate::gatewayapi::view::View;
use crate::ir::destination::{DestinationAddressType, DestinationEndpoint};
use crate::resources::ServiceOwner;

/// How the EndpointSlices know a port of a Service.
#[derive(Clone, Copy, Debug)]
pub struct PortName<'p> {
    /// Its name; a port without one is named "".
    pub name: &'p str,
    /// Its protocol: TCP or UDP.
    pub transport: &'p str,
}

/// The endpoints behind `port` of a Service or ServiceImport (`kind`), and the kind of their addresses.
///
/// # Errors
/// There are none, or they are partly names and partly addresses. The path begins at the backendRef.
pub fn endpoints(
    view: &View<'_>,
    owner: ServiceOwner,
    kind: &str,
    key: &ObjectKey,
    port: PortName<'_>,
) -> Result<(Vec<DestinationEndpoint>, Option<DestinationAddressType>), RouteFault> {
    let slices = view.endpoint_slices(owner, key);
    let endpoints: Vec<_> = slices.iter().flat_map(|slice| of_slice(slice, port)).collect();
    if endpoints.is_empty() {
        let message = format!(
            "{kind} {key} has no endpoints for this port: check that its selector matches pods and that they are ready"
        );
        return Err(RouteFault::no_endpoints(FieldPath::field("name"), message));
    }
    let address_type =
        address_types::common(slices.iter().map(|slice| address_type(slice)), DestinationAddressType::Mixed);
    if address_type == Some(DestinationAddressType::Mixed) {
        let message =
            format!("the EndpointSlices of {kind} {key} have both names and addresses; all must have the same");
        return Err(RouteFault::reference(FieldPath::field("name"), reason::UNSUPPORTED_ADDRESS_TYPE, message));
    }
    Ok((endpoints, address_type))
}

fn address_type(slice: &EndpointSlice) -> DestinationAddressType {
    match slice.address_type {
        EndpointSliceAddressType::Fqdn => DestinationAddressType::Fqdn,
        EndpointSliceAddressType::Ipv4 | EndpointSliceAddressType::Ipv6 | EndpointSliceAddressType::Other(_) => {
            DestinationAddressType::Ip
        }
    }
}

/// The endpoints of one slice for a port.
fn of_slice<'s>(slice: &'s EndpointSlice, port: PortName<'s>) -> impl Iterator<Item = DestinationEndpoint> + 's {
    slice.endpoints.iter().flat_map(move |endpoint| {
        let numbers = slice.ports.iter().filter(move |candidate| {
            candidate.name.as_deref().unwrap_or_default() == port.name
                && candidate.protocol.as_deref().unwrap_or("TCP") == port.transport
        });
        numbers.filter_map(|port| u32::try_from(port.port?).ok()).flat_map(move |number| of_endpoint(endpoint, number))
    })
}

fn of_endpoint(endpoint: &Endpoint, port: u32) -> impl Iterator<Item = DestinationEndpoint> {
    let draining = endpoint.conditions.as_ref().is_some_and(is_draining);
    endpoint.addresses.iter().map(move |address| DestinationEndpoint {
        hostname: None,
        host: address.clone(),
        port,
        path: None,
        draining,
        zone: endpoint.zone.clone(),
    })
}

/// Whether an endpoint gets nothing new. Where it isn't known whether it serves or terminates, it is as ready as it says.
fn is_draining(conditions: &EndpointConditions) -> bool {
    match (conditions.serving, conditions.terminating) {
        (Some(serving), Some(terminating)) => terminating || !serving,
        _ => conditions.ready == Some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions(ready: Option<bool>, serving: Option<bool>, terminating: Option<bool>) -> EndpointConditions {
        EndpointConditions { ready, serving, terminating }
    }

    #[test]
    fn what_terminates_or_does_not_serve_drains() {
        let (yes, no) = (Some(true), Some(false));
        assert!(!is_draining(&conditions(None, None, None)));
        assert!(is_draining(&conditions(no, None, None)));
        assert!(is_draining(&conditions(no, yes, None)), "one of the two is not enough");
        assert!(is_draining(&conditions(yes, yes, yes)));
        assert!(is_draining(&conditions(yes, no, no)));
        assert!(!is_draining(&conditions(no, yes, no)), "serving wins over not ready");
    }

    #[test]
    fn only_the_named_port_and_every_address_of_it() {
        let slice: EndpointSlice = serde_json::from_str(
            r#"{"metadata":{"name":"s"},"addressType":"IPv4",
                "endpoints":[{"addresses":["10.0.0.1","10.0.0.2"],"zone":"a"},{"addresses":["10.0.0.3"],"conditions":{"ready":false}}],
                "ports":[{"name":"http","port":8080,"protocol":"TCP"},{"name":"http","port":8080,"protocol":"UDP"},{"name":"x","port":1}]}"#,
        )
        .unwrap();
        let found: Vec<_> = of_slice(&slice, PortName { name: "http", transport: "TCP" }).collect();
        let shown: Vec<_> = found.iter().map(|e| (e.host.as_str(), e.port, e.draining, e.zone.as_deref())).collect();
        assert_eq!(
            shown,
            [
                ("10.0.0.1", 8080, false, Some("a")),
                ("10.0.0.2", 8080, false, Some("a")),
                ("10.0.0.3", 8080, true, None)
            ]
        );
    }
}
