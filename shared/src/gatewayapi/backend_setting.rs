//! A Backend as a destination of the proxies themselves, apart from any route.

use std::sync::Arc;

use super::metadata::resource_metadata;
use crate::api::backend::{AppProtocolType, Backend, BackendEndpoint, BackendType};
use crate::api::metadata::Object;
use crate::ir::destination::{AppProtocol, DestinationAddressType, DestinationEndpoint, DestinationSetting};

/// A Backend, without name and weight.
///
/// # Errors
/// In words: why it can't be used.
pub(super) fn setting(backend: &Backend) -> Result<DestinationSetting, String> {
    let spec = &backend.spec;
    if spec.r#type == Some(BackendType::DynamicResolver) {
        return Err(format!("Backend {} is found at run time, and that takes requests of clients", backend.key()));
    }
    let (kinds, endpoints): (Vec<_>, Vec<_>) = spec.endpoints.iter().filter_map(endpoint).unzip();
    let address_type = kinds.first().map(|first| {
        if kinds.iter().all(|kind| kind == first) {
            *first
        } else if kinds.contains(&DestinationAddressType::Fqdn) {
            DestinationAddressType::Mixed
        } else {
            DestinationAddressType::Static
        }
    });
    let http2 = spec.app_protocols.contains(&AppProtocolType::H2C);
    Ok(DestinationSetting {
        protocol: Some(if http2 { AppProtocol::Http2 } else { AppProtocol::Tcp }),
        endpoints,
        address_type,
        priority: (spec.fallback == Some(true)).then_some(1),
        metadata: Some(Arc::new(resource_metadata(backend, None))),
        ..DestinationSetting::default()
    })
}

fn endpoint(endpoint: &BackendEndpoint) -> Option<(DestinationAddressType, DestinationEndpoint)> {
    let BackendEndpoint { hostname, fqdn, ip, unix, zone } = endpoint;
    let number = |port| u32::try_from(port).unwrap_or_default();
    let bare = DestinationEndpoint { hostname: hostname.clone(), zone: zone.clone(), ..DestinationEndpoint::default() };
    match (ip, fqdn, unix) {
        (Some(ip), _, _) => Some((
            DestinationAddressType::Ip,
            DestinationEndpoint { host: ip.address.clone(), port: number(ip.port), ..bare },
        )),
        (None, Some(name), _) => {
            let named = DestinationEndpoint { host: name.hostname.clone(), port: number(name.port), ..bare };
            Some((DestinationAddressType::Fqdn, named))
        }
        (None, None, Some(socket)) => {
            Some((DestinationAddressType::Uds, DestinationEndpoint { path: Some(socket.path.clone()), ..bare }))
        }
        (None, None, None) => None,
    }
}
