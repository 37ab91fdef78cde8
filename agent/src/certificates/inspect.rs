//! Looking at certificates that exist: who signed them, until when they are valid, and what is wrong with them.

use std::time::{Duration, SystemTime};

use tokio_rustls::rustls::RootCertStore;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::sign::CertifiedKey;
use x509_parser::prelude::{FromDer as _, GeneralName, X509Certificate};

use super::authority::{Holder, SERVICE};
use crate::tls::material::{Material, certificates};

/// From when on an end is said to be near.
pub const NEAR: Duration = Duration::from_hours(24 * 30);

/// A certificate that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sound {
    /// The authorities beside it that signed it, in PEM.
    pub issuers: Vec<String>,
    /// When it ends.
    pub ends: SystemTime,
}

/// Looks at what is stored for `holder`.
///
/// # Errors
/// Why it can't be used.
pub fn inspect(material: &Material, holder: Holder, now: SystemTime) -> Result<Sound, String> {
    let Material { certificate, key, authorities } = material;
    let chain = certificates(certificate).map_err(|why| format!("tls.crt: {why}"))?;
    let Some((leaf, between)) = chain.split_first() else { return Err("tls.crt: it is empty".to_owned()) };
    let (_, parsed) = X509Certificate::from_der(leaf).map_err(|error| format!("tls.crt: {error}"))?;
    let ends = moment(parsed.validity().not_after.timestamp());
    if ends <= now {
        return Err(format!("tls.crt has expired {} ago", days(now, ends)));
    }
    if holder == Holder::Server && !dns_names(&parsed).any(|name| name == SERVICE) {
        return Err(format!("tls.crt is not made out to {SERVICE}, the name under which proxies accept it"));
    }
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| format!("tls.key: {error}"))?;
    CertifiedKey::from_der(chain.clone(), key, &ring::default_provider())
        .map_err(|error| format!("tls.key doesn't belong to tls.crt: {error}"))?;
    let trusted = certificates(authorities).map_err(|why| format!("ca.crt: {why}"))?;
    let issuers: Vec<String> =
        trusted.iter().filter(|authority| signed(authority, leaf, between, now)).map(|it| to_pem(it)).collect();
    if issuers.is_empty() {
        return Err("tls.crt is signed by none of the authorities in ca.crt".to_owned());
    }
    Ok(Sound { issuers, ends })
}

/// Whole days from one time to another, as people say it.
#[must_use]
pub fn days(later: SystemTime, earlier: SystemTime) -> String {
    let days = later.duration_since(earlier).unwrap_or_default().as_secs() / (24 * 3600);
    if days == 1 { "1 day".to_owned() } else { format!("{days} days") }
}

/// Whether `authority` vouches for `leaf`.
fn signed(
    authority: &CertificateDer<'static>,
    leaf: &CertificateDer<'_>,
    between: &[CertificateDer<'_>],
    now: SystemTime,
) -> bool {
    let mut roots = RootCertStore::empty();
    if roots.add(authority.clone()).is_err() {
        return false;
    }
    let provider = std::sync::Arc::new(ring::default_provider());
    let Ok(verifier) = WebPkiClientVerifier::builder_with_provider(roots.into(), provider).build() else {
        return false;
    };
    let now = UnixTime::since_unix_epoch(now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default());
    verifier.verify_client_cert(leaf, between, now).is_ok()
}

fn dns_names<'a>(certificate: &'a X509Certificate<'a>) -> impl Iterator<Item = &'a str> {
    let names = certificate.subject_alternative_name().ok().flatten();
    names.into_iter().flat_map(|names| &names.value.general_names).filter_map(|name| match name {
        GeneralName::DNSName(name) => Some(*name),
        _ => None,
    })
}

fn moment(seconds: i64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).unwrap_or_default())
}

/// A certificate in PEM.
fn to_pem(certificate: &CertificateDer<'_>) -> String {
    pem::encode_config(
        &pem::Pem::new("CERTIFICATE", certificate.as_ref()),
        pem::EncodeConfig::new().set_line_ending(pem::LineEnding::LF),
    )
}
