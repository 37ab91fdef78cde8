//! The certificate proxies show to backends: the Gateway's, the EnvoyProxy's, or a Backend's own.

use crate::api::backend_tls::{AlpnProtocol, BackendTlsConfig};
use crate::api::metadata::{Object, ObjectKey};
use crate::api::references::SecretObjectReference;
use crate::gatewayapi::attachment::kinds::ROUTE_GROUP;
use crate::gatewayapi::reference_grants::{ReferenceFrom, ReferenceTo, permitted};
use crate::gatewayapi::routes::scope::Scope;
use crate::gatewayapi::sds::{self, SDS_SECRET_TYPE};
use crate::ir::bytes::{Bytes, PrivateBytes};
use crate::ir::tls::{TlsCertificate, TlsConfig};

/// What all backends of a Gateway have in common: `Gateway.spec.tls.backend`, or else `EnvoyProxy.spec.backendTLS`.
///
/// # Errors
/// The EnvoyProxy's certificate isn't there. (That of a Gateway is reported by the Gateway itself.)
pub fn of_gateway(scope: &Scope<'_, '_>) -> Result<TlsConfig, String> {
    let Some(context) = scope.gateway else { return Ok(TlsConfig::default()) };
    if let Some(backend) = context.gateway.spec.tls.as_ref().and_then(|tls| tls.backend.as_ref()) {
        let own = context.gateway.key();
        let certificate = backend.client_certificate_ref.as_ref().and_then(|reference| {
            let namespace = reference.namespace.as_deref().unwrap_or(&own.namespace);
            let from = ReferenceFrom { group: ROUTE_GROUP, kind: "Gateway", namespace: &own.namespace };
            let to = ReferenceTo { group: "", kind: "Secret", namespace, name: &reference.name };
            if !permitted(scope.view, from, to) {
                return None;
            }
            certificate(scope, &ObjectKey::new(namespace, &reference.name)).ok()
        });
        return Ok(TlsConfig { client_certificates: certificate.into_iter().collect(), ..TlsConfig::default() });
    }
    let Some(proxy) = &context.envoy_proxy else { return Ok(TlsConfig::default()) };
    let Some(settings) = &proxy.spec.backend_tls else { return Ok(TlsConfig::default()) };
    let BackendTlsConfig {
        client_certificate_ref,
        min_version,
        max_version,
        ciphers,
        ecdh_curves,
        signature_algorithms,
        alpn_protocols,
        fingerprints: _,
    } = settings;
    let certificate = match client_certificate_ref {
        Some(reference) => Some(of_backend(scope, &proxy.key(), reference)?),
        None => None,
    };
    Ok(TlsConfig {
        client_certificates: certificate.into_iter().collect(),
        min_version: min_version.clone(),
        max_version: max_version.clone(),
        ciphers: ciphers.clone(),
        ecdh_curves: ecdh_curves.clone(),
        signature_algorithms: signature_algorithms.clone(),
        alpn_protocols: alpn_protocols.as_deref().map(names),
        ..TlsConfig::default()
    })
}

/// The names of protocols. None at all is an answer as well: ALPN is off then.
pub(super) fn names(protocols: &[AlpnProtocol]) -> Vec<String> {
    protocols.iter().map(|protocol| protocol.as_str().to_owned()).collect()
}

/// The certificate that the object `owner` (a Backend or an EnvoyProxy) refers to, in its own namespace.
///
/// # Errors
/// It is elsewhere, or isn't there.
pub fn of_backend(
    scope: &Scope<'_, '_>,
    owner: &ObjectKey,
    reference: &SecretObjectReference,
) -> Result<TlsCertificate, String> {
    let namespace = reference.namespace.as_deref().filter(|name| !name.is_empty()).unwrap_or(&owner.namespace);
    if *namespace != *owner.namespace {
        return Err(format!("the Secret must be in namespace {}, not in {namespace}", owner.namespace));
    }
    certificate(scope, &ObjectKey::new(namespace, &reference.name))
}

fn certificate(scope: &Scope<'_, '_>, key: &ObjectKey) -> Result<TlsCertificate, String> {
    let secret = scope.view.secret(key).ok_or_else(|| format!("there is no Secret {key}"))?;
    if secret.r#type.as_deref() == Some(SDS_SECRET_TYPE) {
        if !scope.view.config().sds_secret_ref_enabled {
            return Err(format!(
                "Secret {key} stands for a secret of an SDS server, and those are off: set \
                 extensionApis.enableSDSSecretRef in the configuration"
            ));
        }
        let sds = sds::config(secret).map_err(|fault| format!("Secret {key} {fault}"))?;
        return Ok(TlsCertificate { sds: Some(sds), ..TlsCertificate::default() });
    }
    let bytes = |name: &str| secret.value(name).unwrap_or_default().to_vec();
    Ok(TlsCertificate {
        name: key.to_string(),
        sds: None,
        certificate: Bytes::from(bytes("tls.crt")),
        private_key: PrivateBytes::from(bytes("tls.key")),
        ocsp_staple: Bytes::from(bytes("tls.ocsp-staple")),
    })
}
