//! Whether a Backend can be used as it is written: the rules behind its `Accepted` condition, too.

use crate::api::backend::{Backend, BackendEndpoint, BackendType};
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::gatewayapi::routes::hostname::{ip_address, is_ip_address, is_subdomain};
use crate::gatewayapi::routes::outcome::reason;

/// Why `backend` can't be used, if so. Where proxies run on this host, loopback addresses and short names are fine.
#[must_use]
pub fn fault(backend: &Backend, running_on_host: bool) -> Option<Diagnostic> {
    if backend.spec.r#type == Some(BackendType::DynamicResolver) && !backend.spec.endpoints.is_empty() {
        let message = "a DynamicResolver finds its endpoints at run time: remove the endpoints, or the type";
        return Some(spec_fault(FieldPath::field("endpoints"), reason::INVALID_BACKEND_REF, message));
    }
    tls_fault(backend).or_else(|| {
        backend
            .spec
            .endpoints
            .iter()
            .enumerate()
            .find_map(|(index, endpoint)| endpoint_fault(index, endpoint, running_on_host))
    })
}

fn spec_fault(path: FieldPath, reason: &'static str, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(path.within("spec"), reason, message)
}

/// TLS needs something to check certificates with, and a client certificate from the Backend's own namespace.
fn tls_fault(backend: &Backend) -> Option<Diagnostic> {
    let tls = backend.spec.tls.as_ref()?;
    let checked = tls.insecure_skip_verify != Some(true);
    if checked && tls.well_known_ca_certificates.is_none() && tls.ca_certificate_refs.is_empty() {
        let message = "nothing says which certificates to trust: set caCertificateRefs or wellKnownCACertificates, \
                       or insecureSkipVerify";
        return Some(spec_fault(FieldPath::field("tls"), reason::INVALID_BACKEND_REF, message));
    }
    let own = backend.metadata.namespace.as_deref().unwrap_or("default");
    let other =
        tls.client_certificate_ref.as_ref()?.namespace.as_deref().filter(|name| !name.is_empty() && *name != own)?;
    let path = FieldPath::field("namespace").within("clientCertificateRef").within("tls");
    let message = format!("the Secret with the client certificate must be in namespace {own}, not in {other}");
    Some(spec_fault(path, reason::INVALID_BACKEND_REF, message))
}

fn endpoint_fault(index: usize, endpoint: &BackendEndpoint, running_on_host: bool) -> Option<Diagnostic> {
    let BackendEndpoint { hostname, fqdn, ip, unix: _, zone: _ } = endpoint;
    let fault =
        |path: FieldPath, message| spec_fault(path.within_item("endpoints", index), reason::INVALID_ADDRESS, message);
    if let Some(message) = hostname.as_deref().and_then(|name| hostname_fault(name, running_on_host)) {
        return Some(fault(FieldPath::field("hostname"), message));
    }
    match (fqdn, ip) {
        (Some(fqdn), _) => {
            let message = hostname_fault(&fqdn.hostname, running_on_host)?;
            Some(fault(FieldPath::field("hostname").within("fqdn"), message))
        }
        (None, Some(ip)) => {
            let message = address_fault(&ip.address, running_on_host)?;
            Some(fault(FieldPath::field("address").within("ip"), message))
        }
        (None, None) => None,
    }
}

fn hostname_fault(name: &str, running_on_host: bool) -> Option<String> {
    if !is_subdomain(name.strip_suffix('.').unwrap_or(name)) {
        Some(format!("{name:?} is no hostname"))
    } else if !running_on_host && !name.contains('.') {
        Some(format!("{name:?} needs at least two labels with a dot between them"))
    } else if is_ip_address(name) {
        Some(format!("{name:?} is an IP address: write it as ip.address"))
    } else {
        None
    }
}

fn address_fault(text: &str, running_on_host: bool) -> Option<String> {
    match ip_address(text) {
        None => Some(format!("{text:?} is no IP address")),
        Some(address) if address.is_loopback() && !running_on_host => Some(format!(
            "{text} is a loopback address, which leads to the proxy itself unless proxies run on this host"
        )),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backend(spec: &str) -> Backend {
        serde_json::from_str(&format!(r#"{{"metadata":{{"name":"b","namespace":"shop"}},"spec":{spec}}}"#)).unwrap()
    }

    #[test]
    fn endpoints_by_name_and_address() {
        for (spec, path) in [
            (
                r#"{"endpoints":[{"fqdn":{"hostname":"a.example.com","port":80}},{"ip":{"address":"10.0.0.1","port":80}}]}"#,
                None,
            ),
            (r#"{"endpoints":[{"fqdn":{"hostname":"a.example.com.","port":80}}]}"#, None),
            (r#"{"endpoints":[{"fqdn":{"hostname":"jaeger","port":80}}]}"#, Some("spec.endpoints[0].fqdn.hostname")),
            (r#"{"endpoints":[{"fqdn":{"hostname":"10.0.0.1","port":80}}]}"#, Some("spec.endpoints[0].fqdn.hostname")),
            (r#"{"endpoints":[{"ip":{"address":"127.0.0.1","port":80}}]}"#, Some("spec.endpoints[0].ip.address")),
            (r#"{"endpoints":[{"ip":{"address":"a","port":80}}]}"#, Some("spec.endpoints[0].ip.address")),
            (
                r#"{"endpoints":[{"hostname":"A","ip":{"address":"10.0.0.1","port":80}}]}"#,
                Some("spec.endpoints[0].hostname"),
            ),
            (
                r#"{"type":"DynamicResolver","endpoints":[{"ip":{"address":"10.0.0.1","port":80}}]}"#,
                Some("spec.endpoints"),
            ),
            (r#"{"tls":{}}"#, Some("spec.tls")),
            (r#"{"tls":{"insecureSkipVerify":true}}"#, None),
            (
                r#"{"tls":{"wellKnownCACertificates":"System","clientCertificateRef":{"name":"c","namespace":"x"}}}"#,
                Some("spec.tls.clientCertificateRef.namespace"),
            ),
        ] {
            assert_eq!(fault(&backend(spec), false).map(|fault| fault.path.to_string()).as_deref(), path, "{spec}");
        }
    }

    #[test]
    fn on_this_host_loopback_and_short_names_are_fine() {
        let spec = r#"{"endpoints":[{"fqdn":{"hostname":"jaeger","port":80}},{"ip":{"address":"::1","port":80}}]}"#;
        assert_eq!(fault(&backend(spec), true), None);
    }
}
