//! TLS towards backends: versions, ciphers, trust and the client certificate.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::constraints::DnsName;
use crate::api::references::LocalObjectReference;
use crate::api::references::SecretObjectReference;
use crate::api::rules::CIPHERS_BELOW_TLS_1_3;
use crate::api::rules::TLS_VERSIONS_IN_ORDER;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// TLS towards the endpoints of a Backend.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "!(has(self.caCertificateRefs) && size(self.caCertificateRefs) > 0 && has(self.wellKnownCACertificates) \
         && self.wellKnownCACertificates != \"\")",
        "set caCertificateRefs or wellKnownCACertificates, not both",
    ),
    rule(
        "!((has(self.insecureSkipVerify) && self.insecureSkipVerify) && ((has(self.caCertificateRefs) && \
         size(self.caCertificateRefs) > 0) || (has(self.wellKnownCACertificates) && self.wellKnownCACertificates \
         != \"\")))",
        "insecureSkipVerify checks nothing: remove caCertificateRefs and wellKnownCACertificates",
    ),
    rule(
        "!(has(self.sni) && has(self.autoSNIFromEndpointHostname) && self.autoSNIFromEndpointHostname)",
        "set sni or autoSNIFromEndpointHostname, not both",
    ),
    CIPHERS_BELOW_TLS_1_3,
    TLS_VERSIONS_IN_ORDER,
]))]
pub struct BackendTlsSettings {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 8))]
    pub ca_certificate_refs: Vec<LocalObjectReference>,
    #[serde(rename = "wellKnownCACertificates", default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    #[schemars(length(min = 1, max = 253))]
    #[schemars(regex(
        pattern = r"^(System|([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]))$"
    ))]
    pub well_known_ca_certificates: Option<WellKnownCaCertificatesType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub insecure_skip_verify: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DnsName")]
    pub sni: Option<String>,
    #[serde(rename = "autoSNIFromEndpointHostname", default, skip_serializing_if = "Option::is_none")]
    pub auto_sni_from_endpoint_hostname: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_certificate_ref: Option<SecretObjectReference>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_version: Option<TlsVersion>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_version: Option<TlsVersion>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ciphers: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ecdh_curves: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signature_algorithms: Vec<String>,
    /// An empty list switches ALPN off; none at all leaves it to others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>")]
    pub alpn_protocols: Option<Vec<AlpnProtocol>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fingerprints: Vec<TlsFingerprintType>,
}

string_enum! {
    /// A protocol offered in the TLS handshake.
    pub open enum AlpnProtocol {
        HttpProtocolVersion10 = "http/1.0",
        HttpProtocolVersion11 = "http/1.1",
        H2 = "h2",
    }
}

string_enum! {
    /// A fingerprint of a client hello.
    pub closed enum TlsFingerprintType {
        Ja3 = "JA3",
        Ja4 = "JA4",
    }
}

/// TLS towards all backends, and the certificate shown to them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    CIPHERS_BELOW_TLS_1_3,
    TLS_VERSIONS_IN_ORDER,
]))]
pub struct BackendTlsConfig {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_certificate_ref: Option<SecretObjectReference>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_version: Option<TlsVersion>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_version: Option<TlsVersion>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ciphers: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ecdh_curves: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signature_algorithms: Vec<String>,
    /// An empty list switches ALPN off; none at all leaves it to others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>")]
    pub alpn_protocols: Option<Vec<AlpnProtocol>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fingerprints: Vec<TlsFingerprintType>,
}

string_enum! {
    /// Certificates that come with the system.
    pub open enum WellKnownCaCertificatesType {
        System = "System",
    }
}

string_enum! {
    /// A TLS version.
    pub open enum TlsVersion {
        Auto = "Auto",
        V1_0 = "1.0",
        V1_1 = "1.1",
        V1_2 = "1.2",
        V1_3 = "1.3",
    }
}
