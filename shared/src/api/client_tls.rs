//! TLS with clients in ClientTrafficPolicy.

#![expect(
    missing_docs,
    reason = "the fields carry the names of the API they mirror, whose reference says what each does"
)]

use crate::api::backend_tls::AlpnProtocol;
use crate::api::backend_tls::TlsFingerprintType;
use crate::api::backend_tls::TlsVersion;
use crate::api::references::SecretObjectReference;
use crate::api::rules::CIPHERS_BELOW_TLS_1_3;
use crate::api::rules::TLS_VERSIONS_IN_ORDER;
use crate::api::rules::rule;
use crate::api::string_enum::string_enum;
use crate::api::string_match::StringMatch;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

/// TLS with clients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    CIPHERS_BELOW_TLS_1_3,
    TLS_VERSIONS_IN_ORDER,
]))]
pub struct ClientTlsSettings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_validation: Option<ClientValidationContext>,
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub alpn_protocols: Vec<AlpnProtocol>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fingerprints: Vec<TlsFingerprintType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Session>,
}

/// What certificates clients must show.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    rule(
        "!has(self.allowExpiredCertificate) || !self.allowExpiredCertificate || !has(self.mode) || self.mode in \
         ['VerifyIfGiven', 'RequireAndVerify']",
        "allowExpiredCertificate needs mode VerifyIfGiven or RequireAndVerify",
    ),
]))]
pub struct ClientValidationContext {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ClientValidationModeType>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 8))]
    pub ca_certificate_refs: Vec<SecretObjectReference>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spki_hashes: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub certificate_hashes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject_alt_names: Option<SubjectAltNames>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crl: Option<CrlContext>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_expired_certificate: Option<bool>,
}

string_enum! {
    /// How much is asked of them.
    pub closed enum ClientValidationModeType {
        Request = "Request",
        RequireAny = "RequireAny",
        VerifyIfGiven = "VerifyIfGiven",
        RequireAndVerify = "RequireAndVerify",
    }
}

/// Names one of which the certificate must carry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubjectAltNames {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dns_names: Vec<StringMatch>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub email_addresses: Vec<StringMatch>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ip_addresses: Vec<StringMatch>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uris: Vec<StringMatch>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_names: Vec<OtherSanMatch>,
}

/// A name of another kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OtherSanMatch {
    pub oid: String,
    #[serde(flatten)]
    pub string_match: StringMatch,
}

/// Lists of certificates that were revoked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrlContext {
    #[schemars(length(min = 1, max = 8))]
    pub refs: Vec<SecretObjectReference>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_verify_leaf_certificate: Option<bool>,
}

/// TLS sessions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumption: Option<SessionResumption>,
}

/// Ways a session may be taken up again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionResumption {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stateless: Option<StatelessTlsSessionResumption>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stateful: Option<StatefulTlsSessionResumption>,
}

/// By tickets; it has no settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatelessTlsSessionResumption {}

/// By session identifiers; it has no settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatefulTlsSessionResumption {}
