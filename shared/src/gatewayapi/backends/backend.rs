//! A Backend as a backend: endpoints by address, name or socket, or found at run time.

use std::sync::Arc;

use crate::api::backend::{AppProtocolType, Backend, BackendEndpoint, BackendType};
use crate::diagnostic::FieldPath;
use crate::gatewayapi::backends::{address_types, app_protocol};
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::metadata::resource_metadata;
use crate::gatewayapi::routes::outcome::reason;
use crate::ir::destination::{DestinationAddressType, DestinationEndpoint, DestinationSetting};

/// The setting for a Backend that is valid ([`super::validity`]).
///
/// # Errors
/// Names are mixed with addresses.
pub fn setting(backend: &Arc<Backend>) -> Result<DestinationSetting, RouteFault> {
    let (protocol, force_http1_upstream) =
        app_protocol::of_several(backend.spec.app_protocols.iter().map(AppProtocolType::as_str));
    let bare = DestinationSetting { protocol: Some(protocol), force_http1_upstream, ..DestinationSetting::default() };
    if backend.spec.r#type == Some(BackendType::DynamicResolver) {
        return Ok(DestinationSetting { is_dynamic_resolver: true, ..bare });
    }
    let (kinds, endpoints): (Vec<_>, Vec<_>) = backend.spec.endpoints.iter().filter_map(endpoint).unzip();
    // Addresses and sockets get on with each other; names don't get on with either.
    let mixture = if kinds.contains(&DestinationAddressType::Fqdn) {
        DestinationAddressType::Mixed
    } else {
        DestinationAddressType::Static
    };
    let address_type = address_types::common(kinds, mixture);
    if address_type == Some(DestinationAddressType::Mixed) {
        let message = "the Backend mixes names with addresses or sockets: make one Backend for each kind";
        return Err(RouteFault::reference(FieldPath::field("name"), reason::UNSUPPORTED_ADDRESS_TYPE, message));
    }
    Ok(DestinationSetting {
        endpoints,
        address_type,
        priority: (backend.spec.fallback == Some(true)).then_some(1),
        metadata: Some(Arc::new(resource_metadata(&**backend, None))),
        ..bare
    })
}

/// One endpoint and the kind of its address.
fn endpoint(endpoint: &BackendEndpoint) -> Option<(DestinationAddressType, DestinationEndpoint)> {
    let BackendEndpoint { hostname, fqdn, ip, unix, zone } = endpoint;
    let number = |port| u32::try_from(port).unwrap_or(0);
    let (kind, host, port, path) = match (ip, fqdn, unix) {
        (Some(ip), _, _) => (DestinationAddressType::Ip, ip.address.clone(), number(ip.port), None),
        (None, Some(fqdn), _) => (DestinationAddressType::Fqdn, fqdn.hostname.clone(), number(fqdn.port), None),
        (None, None, Some(unix)) => (DestinationAddressType::Uds, String::new(), 0, Some(unix.path.clone())),
        (None, None, None) => return None,
    };
    let (hostname, zone) = (hostname.clone(), zone.clone());
    Some((kind, DestinationEndpoint { hostname, host, port, path, draining: false, zone }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(spec: &str) -> Result<DestinationSetting, RouteFault> {
        setting(&Arc::new(serde_json::from_str(&format!(r#"{{"metadata":{{"name":"b"}},"spec":{spec}}}"#)).unwrap()))
    }

    #[test]
    fn names_do_not_mix_with_addresses() {
        let ip = r#"{"ip":{"address":"10.0.0.1","port":80}}"#;
        let name = r#"{"fqdn":{"hostname":"a.com","port":80},"zone":"z"}"#;
        let socket = r#"{"unix":{"path":"/run/s"}}"#;
        let kind =
            |endpoints: &str| of(&format!(r#"{{"endpoints":[{endpoints}]}}"#)).map(|setting| setting.address_type);
        assert_eq!(kind(ip), Ok(Some(DestinationAddressType::Ip)));
        assert_eq!(kind(name), Ok(Some(DestinationAddressType::Fqdn)));
        assert_eq!(kind(&format!("{ip},{socket}")), Ok(Some(DestinationAddressType::Static)));
        assert_eq!(kind(&format!("{ip},{name}")).unwrap_err().diagnostic.reason, "UnsupportedAddressType");
    }

    #[test]
    fn a_fallback_has_the_second_priority() {
        assert_eq!(of(r#"{"fallback":true}"#).unwrap().priority, Some(1));
        assert_eq!(of(r#"{"fallback":false}"#).unwrap().priority, None);
        assert!(of(r#"{"type":"DynamicResolver"}"#).unwrap().is_dynamic_resolver);
    }
}
