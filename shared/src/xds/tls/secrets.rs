//! Secrets that the agent itself serves. One that a foreign SDS server has is not among them.

use super::super::pb::core::{DataSource, data_source::Specifier};
use super::super::pb::tls::{
    CertificateValidationContext, GenericSecret, Secret, TlsCertificate as EnvoyCertificate, secret,
};
use super::super::values::inline_bytes;
use crate::ir::{CredentialInjection, TlsCaCertificate, TlsCertificate, TlsCrl};

/// Where the proxy image keeps the system's authorities.
const SYSTEM_AUTHORITIES: &str = "/etc/ssl/certs/ca-certificates.crt";

/// A certificate with its key.
pub(in crate::xds) fn certificate(source: &TlsCertificate) -> Option<Secret> {
    let TlsCertificate { name, sds, certificate, private_key, ocsp_staple } = source;
    sds.is_none().then(|| Secret {
        name: name.clone(),
        r#type: Some(secret::Type::TlsCertificate(EnvoyCertificate {
            certificate_chain: Some(inline_bytes(certificate.as_slice())),
            private_key: Some(inline_bytes(private_key.as_slice())),
            ocsp_staple: (!ocsp_staple.is_empty()).then(|| inline_bytes(ocsp_staple.as_slice())),
            ..EnvoyCertificate::default()
        })),
    })
}

/// An authority, with the certificates it revoked.
pub(in crate::xds) fn authority(source: &TlsCaCertificate, crl: Option<&TlsCrl>) -> Option<Secret> {
    let TlsCaCertificate { name, certificate, sds } = source;
    let context = || CertificateValidationContext {
        trusted_ca: Some(inline_bytes(certificate.as_slice())),
        crl: crl.map(|crl| inline_bytes(crl.data.as_slice())),
        only_verify_leaf_cert_crl: crl.is_some_and(|crl| crl.only_verify_leaf_certificate),
        ..CertificateValidationContext::default()
    };
    sds.is_none().then(|| validation(name, context()))
}

/// The system's authorities under this name.
pub(in crate::xds) fn system_authorities(name: &str) -> Secret {
    validation(
        name,
        CertificateValidationContext {
            trusted_ca: Some(DataSource {
                specifier: Some(Specifier::Filename(SYSTEM_AUTHORITIES.to_owned())),
                ..DataSource::default()
            }),
            ..CertificateValidationContext::default()
        },
    )
}

/// The name of the secret with an injected credential.
pub(in crate::xds) fn credential_name(source: &CredentialInjection) -> String {
    format!("credential_injector/credential/{}", source.name)
}

/// An injected credential.
pub(in crate::xds) fn credential(source: &CredentialInjection) -> Secret {
    Secret {
        name: credential_name(source),
        r#type: Some(secret::Type::GenericSecret(GenericSecret {
            secret: Some(inline_bytes(source.credential.as_slice())),
            ..GenericSecret::default()
        })),
    }
}

fn validation(name: &str, context: CertificateValidationContext) -> Secret {
    Secret { name: name.to_owned(), r#type: Some(secret::Type::ValidationContext(context)) }
}
