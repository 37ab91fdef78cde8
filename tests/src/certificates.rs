//! Certificates made for one test, signed by an authority of its own.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// A certificate authority that exists for one test.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// A certificate and its key, as PEM.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The certificate.
    pub certificate: String,
    /// The private key.
    pub key: String,
}

impl Authority {
    /// A new authority.
    ///
    /// # Panics
    /// When no key can be made.
    #[must_use]
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no names are good names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key can be made");
        Self { issuer: CertifiedIssuer::self_signed(params, key).expect("an authority signs itself") }
    }

    /// A certificate for `host`.
    ///
    /// # Panics
    /// When `host` is no host name.
    #[must_use]
    pub fn certificate(&self, host: &str) -> Pair {
        let key = KeyPair::generate().expect("a key can be made");
        let params = CertificateParams::new(vec![host.to_owned()]).expect("a host name");
        let certificate = params.signed_by(&key, &self.issuer).expect("the authority signs");
        Pair { certificate: certificate.pem(), key: key.serialize_pem() }
    }

    /// A client that trusts this authority and nobody else, and checks the name it asked for.
    ///
    /// # Panics
    /// When the authority's own certificate can't be read.
    #[must_use]
    pub fn client_config(&self) -> Arc<ClientConfig> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from(self.issuer.der().to_vec())).expect("the authority's certificate is good");
        let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the provider speaks TLS 1.2 and 1.3")
            .with_root_certificates(roots)
            .with_no_client_auth();
        Arc::new(config)
    }
}

impl Default for Authority {
    fn default() -> Self {
        Self::new()
    }
}

/// The Secret `namespace/name` with this pair.
#[must_use]
pub fn secret(namespace: &str, name: &str, pair: &Pair) -> String {
    let indented = |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<String>();
    format!(
        "
apiVersion: v1
kind: Secret
metadata: {{name: {name}, namespace: {namespace}}}
type: kubernetes.io/tls
stringData:
  tls.crt: |
{}  tls.key: |
{}",
        indented(&pair.certificate),
        indented(&pair.key)
    )
}
