//! Certificates and TLS options, towards clients and upstreams.

use crate::api::backend_tls::TlsFingerprintType;
use crate::api::backend_tls::TlsVersion;
use crate::diagnostic::Diagnostic;
use crate::ir::absence::is_default;
use crate::ir::bytes::Bytes;
use crate::ir::bytes::PrivateBytes;
use crate::ir::string_match::StringMatch;
use crate::ir::validation::fault;
use crate::ir::validation::fault_here;
use crate::ir::validation::within;
use crate::ir::validation::within_item;
use serde::Deserialize;
use serde::Serialize;

/// TLS options; on a listener the server's, on an upstream the client's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TlsConfig {
    /// Certificates a listener serves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub certificates: Vec<TlsCertificate>,
    /// Certificates to present to an upstream.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub client_certificates: Vec<TlsCertificate>,
    /// The authority that signs the peer's certificates.
    #[serde(alias = "CACertificate", default, skip_serializing_if = "Option::is_none")]
    pub ca_certificate: Option<TlsCaCertificate>,
    /// Whether clients must present a certificate.
    #[serde(default, skip_serializing_if = "is_default")]
    pub require_client_certificate: bool,
    /// Whether client certificates are validated at all.
    #[serde(default, skip_serializing_if = "is_default")]
    pub client_validation_enabled: bool,
    /// Whether unverifiable client certificates are accepted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub accept_untrusted: bool,
    /// Whether expired peer certificates are accepted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub allow_expired_certificate: bool,
    /// Accepted public key hashes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verify_certificate_spki: Vec<String>,
    /// Accepted certificate hashes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verify_certificate_hash: Vec<String>,
    /// Revoked certificates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crl: Option<TlsCrl>,
    /// Accepted subject alternative names; the match's name is the type.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub match_typed_subject_alt_names: Vec<StringMatch>,
    /// Lowest TLS version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_version: Option<TlsVersion>,
    /// Highest TLS version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_version: Option<TlsVersion>,
    /// Cipher suites in order of preference.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ciphers: Vec<String>,
    /// Curves in order of preference.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ecdh_curves: Vec<String>,
    /// Accepted signature algorithms.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signature_algorithms: Vec<String>,
    /// Protocols offered by ALPN: the listener's defaults when not set, no ALPN at all when empty.
    #[serde(default)]
    pub alpn_protocols: Option<Vec<String>>,
    /// Whether session tickets are issued.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stateless_session_resumption: bool,
    /// Whether sessions are resumed by id.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stateful_session_resumption: bool,
    /// Fingerprints of the client's hello to compute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fingerprints: Vec<TlsFingerprintType>,
}

/// A certificate with its key, or where to get it from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TlsCertificate {
    /// The SDS name it is served under.
    #[serde(alias = "Name", default)]
    pub name: String,
    /// An SDS server that has it; then the rest is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sds: Option<SdsConfig>,
    /// PEM chain.
    #[serde(alias = "Certificate", default, skip_serializing_if = "Bytes::is_empty")]
    pub certificate: Bytes,
    /// PEM key.
    #[serde(alias = "PrivateKey", default, skip_serializing_if = "PrivateBytes::is_empty")]
    pub private_key: PrivateBytes,
    /// DER OCSP response.
    #[serde(default, skip_serializing_if = "Bytes::is_empty")]
    pub ocsp_staple: Bytes,
}

/// A secret on a foreign SDS server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SdsConfig {
    /// Its name there.
    #[serde(default)]
    pub secret_name: String,
    /// How to reach the server.
    #[serde(default)]
    pub scheme: String,
    /// The server's address.
    #[serde(default)]
    pub address: String,
}

/// A list of revoked certificates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TlsCrl {
    /// The SDS name it is served under.
    #[serde(default)]
    pub name: String,
    /// PEM list.
    #[serde(default, skip_serializing_if = "Bytes::is_empty")]
    pub data: Bytes,
    /// Whether only the leaf is checked against it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub only_verify_leaf_certificate: bool,
}

/// An authority's certificates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TlsCaCertificate {
    /// The SDS name they are served under.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// PEM bundle.
    #[serde(default, skip_serializing_if = "Bytes::is_empty")]
    pub certificate: Bytes,
    /// An SDS server that has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sds: Option<SdsConfig>,
}

/// An accepted subject alternative name of an upstream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubjectAltName {
    /// A DNS name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    /// A URI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}

/// TLS towards an upstream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TlsUpstreamConfig {
    /// The server name to send.
    #[serde(alias = "SNI", default, skip_serializing_if = "Option::is_none")]
    pub sni: Option<String>,
    /// Whether the endpoint's hostname is the server name.
    #[serde(rename = "autoSNIFromEndpointHostname", default, skip_serializing_if = "is_default")]
    pub auto_sni_from_endpoint_hostname: bool,
    /// Whether the system's authorities are trusted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub use_system_trust_store: bool,
    /// The options shared with listeners.
    #[serde(flatten)]
    pub tls: TlsConfig,
    /// Accepted names of the upstream.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subject_alt_names: Vec<SubjectAltName>,
    /// Whether the upstream's certificate goes unchecked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub insecure_skip_verify: bool,
}

impl SdsConfig {
    /// The address of the server with its scheme, if it has one.
    #[must_use]
    pub fn url(&self) -> String {
        if self.scheme.is_empty() { self.address.clone() } else { format!("{}://{}", self.scheme, self.address) }
    }

    /// Faults: all parts are needed.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let Self { secret_name, scheme, address } = self;
        [("secretName", secret_name), ("scheme", scheme), ("address", address)]
            .into_iter()
            .filter(|(_, value)| value.is_empty())
            .map(|(field, _)| fault(field, "the reference to an SDS server is incomplete without it"))
            .collect()
    }
}

impl TlsCertificate {
    /// Faults: a certificate has PEM with a key, or an SDS server, not both.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        if let Some(sds) = &self.sds {
            if !(self.certificate.is_empty() && self.private_key.is_empty() && self.ocsp_staple.is_empty()) {
                faults.push(fault_here("the certificate is given here and by an SDS server; keep one"));
            }
            faults.extend(within("sds", sds.validate()));
            return faults;
        }
        if self.certificate.is_empty() {
            faults.push(fault("certificate", "there is no certificate; check the Secret it comes from"));
        }
        if self.private_key.is_empty() {
            faults.push(fault("privateKey", "there is no private key; check the Secret it comes from"));
        }
        faults
    }
}

impl TlsConfig {
    /// Faults of the certificates. Ciphers and curves are Envoy's to judge: they depend on how it was built.
    #[must_use]
    pub fn validate(&self) -> Vec<Diagnostic> {
        let certificates = self.certificates.iter().enumerate();
        certificates
            .flat_map(|(index, certificate)| within_item("certificates", index, certificate.validate()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_has_one_source() {
        let inline =
            TlsCertificate { certificate: "pem".into(), private_key: "pem".into(), ..TlsCertificate::default() };
        assert!(inline.validate().is_empty());
        let sds = SdsConfig { secret_name: "s".into(), scheme: String::new(), address: "sds:80".into() };
        assert_eq!(sds.url(), "sds:80");
        let both = TlsCertificate { sds: Some(sds), ..inline };
        let paths: Vec<String> = both.validate().iter().map(|fault| fault.path.to_string()).collect();
        assert_eq!(paths, ["", "sds.scheme"]);
    }
}
