//! TLS towards the endpoints of a Backend: what its certificates are checked with, and what the proxy shows.
//!
//! A BackendTLSPolicy will have a say here as well; until then the Backend's own settings are all there is.

use std::sync::Arc;

use crate::api::backend::Backend;
use crate::api::backend_tls::{BackendTlsSettings, TlsVersion, WellKnownCaCertificatesType};
use crate::api::metadata::{Object, ObjectKey};
use crate::api::references::{LocalObjectReference, ObjectReference};
use crate::diagnostic::FieldPath;
use crate::gatewayapi::backends::client_certificate;
use crate::gatewayapi::ca_certificates::{self, Authorities};
use crate::gatewayapi::decision::RouteFault;
use crate::gatewayapi::reference_grants::ReferenceFrom;
use crate::gatewayapi::routes::outcome::reason;
use crate::gatewayapi::routes::scope::Scope;
use crate::ir::bytes::Bytes;
use crate::ir::tls::{TlsCaCertificate, TlsConfig, TlsUpstreamConfig};

/// The SDS name of the system's trust store, which all clusters share.
const SYSTEM_TRUST_STORE: &str = "system_ca_certificates";

/// TLS for a valid Backend; none if it has no `tls`.
///
/// # Errors
/// A certificate isn't there. The path begins at the backendRef.
pub fn tls(scope: &Scope<'_, '_>, backend: &Arc<Backend>) -> Result<Option<TlsUpstreamConfig>, RouteFault> {
    let Some(settings) = &backend.spec.tls else { return Ok(None) };
    let key = backend.key();
    let made = upstream(scope, &key, settings);
    made.map(Some).map_err(|(field, words)| {
        let message = format!("Backend {key}, spec.tls.{field}: {words}");
        RouteFault::reference(FieldPath::field("name"), reason::INVALID_BACKEND_TLS, message)
    })
}

fn upstream(
    scope: &Scope<'_, '_>,
    key: &ObjectKey,
    settings: &BackendTlsSettings,
) -> Result<TlsUpstreamConfig, (&'static str, String)> {
    let BackendTlsSettings {
        ca_certificate_refs,
        well_known_ca_certificates,
        insecure_skip_verify,
        sni,
        auto_sni_from_endpoint_hostname,
        client_certificate_ref,
        min_version,
        max_version,
        ciphers,
        ecdh_curves,
        signature_algorithms,
        alpn_protocols,
        fingerprints: _,
    } = settings;
    let insecure_skip_verify = *insecure_skip_verify == Some(true);
    let use_system_trust_store =
        !insecure_skip_verify && *well_known_ca_certificates == Some(WellKnownCaCertificatesType::System);
    let ca_certificate = if insecure_skip_verify {
        None
    } else if use_system_trust_store {
        Some(TlsCaCertificate { name: system_trust_store(scope, key), ..TlsCaCertificate::default() })
    } else {
        Some(authorities(scope, key, ca_certificate_refs).map_err(|words| ("caCertificateRefs", words))?)
    };
    let shared = client_certificate::of_gateway(scope).map_err(|words| ("clientCertificateRef", words))?;
    let client_certificates = match client_certificate_ref {
        Some(reference) => {
            vec![
                client_certificate::of_backend(scope, key, reference)
                    .map_err(|words| ("clientCertificateRef", words))?,
            ]
        }
        None => shared.client_certificates,
    };
    let or = |own: &[String], shared: Vec<String>| if own.is_empty() { shared } else { own.to_vec() };
    Ok(TlsUpstreamConfig {
        sni: sni.clone(),
        auto_sni_from_endpoint_hostname: *auto_sni_from_endpoint_hostname == Some(true),
        use_system_trust_store,
        tls: TlsConfig {
            client_certificates,
            ca_certificate,
            min_version: min_version.clone().or(shared.min_version).or(Some(TlsVersion::V1_2)),
            max_version: max_version.clone().or(shared.max_version).or(Some(TlsVersion::V1_3)),
            ciphers: or(ciphers, shared.ciphers),
            ecdh_curves: or(ecdh_curves, shared.ecdh_curves),
            signature_algorithms: or(signature_algorithms, shared.signature_algorithms),
            alpn_protocols: alpn_protocols.as_deref().map(client_certificate::names).or(shared.alpn_protocols),
            ..TlsConfig::default()
        },
        subject_alt_names: Vec::new(),
        insecure_skip_verify,
    })
}

fn ca_name(key: &ObjectKey) -> String {
    format!("{}/{}-ca", key.name, key.namespace)
}

fn system_trust_store(scope: &Scope<'_, '_>, key: &ObjectKey) -> String {
    if scope.view.config().per_resource_system_ca_secret { ca_name(key) } else { SYSTEM_TRUST_STORE.to_owned() }
}

/// The certificates of all references.
fn authorities(
    scope: &Scope<'_, '_>,
    owner: &ObjectKey,
    references: &[LocalObjectReference],
) -> Result<TlsCaCertificate, String> {
    let from = ReferenceFrom { group: Backend::GROUP, kind: Backend::KIND, namespace: &owner.namespace };
    let references: Vec<ObjectReference> = references
        .iter()
        .map(|LocalObjectReference { group, kind, name }| ObjectReference {
            group: group.clone(),
            kind: kind.clone(),
            name: name.clone(),
            namespace: None,
        })
        .collect();
    let (certificate, sds) = match ca_certificates::read(scope.view, from, &references) {
        Ok(Authorities::Pem(pem)) => (Bytes::from(pem), None),
        Ok(Authorities::Sds(sds)) => (Bytes::default(), Some(sds)),
        Err(fault) => return Err(fault.to_string()),
    };
    Ok(TlsCaCertificate { name: ca_name(owner), certificate, sds })
}
