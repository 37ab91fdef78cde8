//! What the agent proves itself with, and whose proof it takes: files, made into a TLS configuration, kept fresh.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::sync::watch;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::version::TLS13;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};
use tokio_util::sync::CancellationToken;

/// How often the files are looked at. The kubelet swaps all of them at once, minutes after the Secret changed.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// What is spoken: gRPC, and with an API server that calls a webhook HTTP/1.1, since it offers nothing else.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// What a TLS handshake is made with; every handshake takes what is here then.
pub type Current = Arc<ArcSwap<ServerConfig>>;

/// The files of one directory, as a Secret of type `kubernetes.io/tls` is mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Material {
    /// `tls.crt`: our certificate and those between it and its authority.
    pub certificate: Vec<u8>,
    /// `tls.key`: its key.
    pub key: Vec<u8>,
    /// `ca.crt`: the authorities that are trusted.
    pub authorities: Vec<u8>,
}

/// Whose certificates are asked for in a handshake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Peers {
    /// Nobody's: who calls is proven in another way, or not at all.
    Anyone,
    /// Everybody's, signed by an authority in `ca.crt` beside our own certificate.
    OfOurAuthority,
    /// Those of whoever has one from these authorities; others come without.
    MayBeKnownTo(Arc<Vec<CertificateDer<'static>>>),
}

/// Why TLS can't be served with some files.
#[derive(Debug, thiserror::Error)]
pub enum MaterialError {
    /// A file can't be read.
    #[error("can't read {}: {cause}", file.display())]
    Unreadable {
        /// Which one.
        file: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The content of a file is wrong.
    #[error("{file} in {} can't be used: {why}", directory.display())]
    Unusable {
        /// The directory.
        directory: PathBuf,
        /// `tls.crt`, `tls.key` or `ca.crt`.
        file: &'static str,
        /// What is wrong with it.
        why: String,
    },
}

impl Material {
    /// Reads the files of `directory`.
    ///
    /// # Errors
    /// When one can't be read.
    pub fn read(directory: &Path) -> Result<Self, MaterialError> {
        let file = |name: &str| {
            let file = directory.join(name);
            std::fs::read(&file).map_err(|cause| MaterialError::Unreadable { file, cause })
        };
        Ok(Self { certificate: file("tls.crt")?, key: file("tls.key")?, authorities: file("ca.crt")? })
    }

    /// The configuration of a server that shows this material to `peers`: TLS 1.3, HTTP/2 first.
    ///
    /// # Errors
    /// When a file holds something else than it should, or certificate and key don't belong together.
    pub fn server(&self, directory: &Path, peers: &Peers) -> Result<ServerConfig, MaterialError> {
        let Self { certificate, key, authorities } = self;
        let unusable = |file, why: String| MaterialError::Unusable { directory: directory.to_path_buf(), file, why };
        let chain = certificates(certificate).map_err(|why| unusable("tls.crt", why))?;
        let key = PrivateKeyDer::from_pem_slice(key)
            .map_err(|error| unusable("tls.key", format!("it holds no private key in PEM ({error})")))?;
        let provider = Arc::new(ring::default_provider());
        let verifier = match peers {
            Peers::Anyone => WebPkiClientVerifier::no_client_auth(),
            Peers::OfOurAuthority => {
                let trusted = certificates(authorities).map_err(|why| unusable("ca.crt", why))?;
                WebPkiClientVerifier::builder_with_provider(Arc::new(roots(&trusted)), Arc::clone(&provider))
                    .build()
                    .map_err(|error| unusable("ca.crt", error.to_string()))?
            }
            Peers::MayBeKnownTo(trusted) => {
                WebPkiClientVerifier::builder_with_provider(Arc::new(roots(trusted)), Arc::clone(&provider))
                    .allow_unauthenticated()
                    .build()
                    .map_err(|error| unusable("ca.crt", error.to_string()))?
            }
        };
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])
            .map_err(|error| unusable("tls.crt", error.to_string()))?
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain, key)
            .map_err(|error| unusable("tls.key", format!("it doesn't belong to tls.crt ({error})")))?;
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
        Ok(config)
    }
}

/// The certificates in a PEM file.
///
/// # Errors
/// When there are none, or one is broken.
pub fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match found {
        Ok(found) if found.is_empty() => Err("it holds no certificate in PEM".to_owned()),
        Ok(found) => Ok(found),
        Err(error) => Err(format!("it is not PEM ({error})")),
    }
}

/// The authorities as rustls takes them. One it can't read trusts nobody, which is said where it is made.
fn roots(authorities: &[CertificateDer<'static>]) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(authorities.iter().cloned());
    roots
}

/// Reads the files of `directory` now; the future reads them again whenever they or `peers` change, until `stop`. Files
/// that can't be used leave what was used before in place.
///
/// # Errors
/// When they can't be used now.
pub fn keep_fresh(
    directory: PathBuf,
    peers: watch::Receiver<Peers>,
    stop: CancellationToken,
) -> Result<(Current, impl Future<Output = ()> + Send + 'static), MaterialError> {
    let asked = peers.borrow().clone();
    let material = Material::read(&directory)?;
    let current: Current = Arc::new(ArcSwap::from_pointee(material.server(&directory, &asked)?));
    let fresh = Arc::clone(&current);
    let refresh = async move {
        let mut used = (material, asked);
        let mut said = String::new();
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            let (from, asked) = (directory.clone(), peers.borrow().clone());
            let Ok(read) = tokio::task::spawn_blocking(move || Material::read(&from)).await else { continue };
            let newer = match read {
                Ok(material) if (&material, &asked) == (&used.0, &used.1) => {
                    said.clear();
                    continue;
                }
                Ok(material) => material.server(&directory, &asked).map(|config| (config, material)),
                Err(error) => Err(error),
            };
            match newer {
                Ok((config, material)) => {
                    tracing::info!(directory = %directory.display(), "the certificates were read again");
                    fresh.store(Arc::new(config));
                    used = (material, asked);
                    said.clear();
                }
                Err(error) if error.to_string() != said => {
                    tracing::warn!("{error}; what was read before is used further on");
                    said = error.to_string();
                }
                Err(_) => {}
            }
        }
    };
    Ok((current, refresh))
}
