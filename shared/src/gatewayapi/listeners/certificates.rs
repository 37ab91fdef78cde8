//! Serving certificates out of Secrets: the whole chain must be readable and valid now, and the key must belong to it.
//!
//! A chain is refused as a whole: with one member missing, Envoy would refuse it, and everything pushed along with it
//! (design §6 rule 15).

use std::collections::BTreeSet;

use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::FromDer;

use super::{pem_blocks, private_key};
use crate::api::metadata::Timestamp;
use crate::api::secret::Secret;
use crate::ir::Bytes;
use crate::ir::PrivateBytes;
use crate::ir::tls::TlsCertificate;

/// The key of a Secret with the chain.
pub(super) const CERTIFICATE: &str = "tls.crt";
/// The key of a Secret with the private key.
pub(super) const PRIVATE_KEY: &str = "tls.key";
/// The key of a Secret with an OCSP response to staple.
const OCSP_STAPLE: &str = "tls.ocsp-staple";

/// A certificate that can be served.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Serving {
    /// As the IR has it.
    pub(super) certificate: TlsCertificate,
    /// The DNS names among the leaf's alternative names, in order.
    pub(super) dns_names: Vec<String>,
    /// What the leaf is for: its DNS names or else its common name.
    pub(super) domains: Vec<String>,
    /// The leaf's kind of key.
    pub(super) algorithm: &'static str,
    /// The moment (seconds since 1970) from which the answer may be another: a member of the chain expires.
    pub(super) holds_until: Option<i64>,
}

/// A certificate that can't be served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    /// The key of the Secret that is at fault, and what is wrong with it.
    pub(super) message: String,
    /// The moment (seconds since 1970) from which the answer may be another: a member of the chain becomes valid.
    pub(super) holds_until: Option<i64>,
}

impl From<String> for Refused {
    fn from(message: String) -> Self {
        Self { message, holds_until: None }
    }
}

/// Reads the certificate of a Secret. Without `now`, nothing is expired.
///
/// # Errors
/// Why it can't be served.
pub(super) fn serving(secret: &Secret, name: &str, now: Option<Timestamp>) -> Result<Serving, Refused> {
    let chain = pem_blocks::blocks(secret.value(CERTIFICATE).unwrap_or_default());
    let Some(leaf_block) = chain.first() else {
        return Err(format!("{CERTIFICATE} holds no certificate in PEM form").into());
    };
    let mut holds_until: Option<i64> = None;
    for block in &chain {
        let expires = check_member(block.contents(), now)?;
        holds_until = Some(holds_until.map_or(expires, |until| until.min(expires)));
    }
    let (_, leaf) = X509Certificate::from_der(leaf_block.contents())
        .map_err(|error| format!("{CERTIFICATE} can't be read: {error}"))?;
    let key = private_key::key_block(pem_blocks::blocks(secret.value(PRIVATE_KEY).unwrap_or_default()))
        .ok_or_else(|| format!("{PRIVATE_KEY} holds no key in PEM form"))?;
    let half = private_key::parse(&key).map_err(|fault| format!("{PRIVATE_KEY} {fault}"))?;
    if !private_key::belongs_to(&half, leaf.public_key()) {
        return Err(format!("{PRIVATE_KEY} isn't the key of the first certificate in {CERTIFICATE}").into());
    }
    let dns_names = dns_names(&leaf);
    let domains = if dns_names.is_empty() { common_name(&leaf).into_iter().collect() } else { dns_names.clone() };
    Ok(Serving {
        certificate: TlsCertificate {
            name: name.to_owned(),
            sds: None,
            certificate: Bytes::from(pem_blocks::encode(&chain).into_bytes()),
            private_key: PrivateBytes::from(pem_blocks::encode(std::slice::from_ref(&key)).into_bytes()),
            ocsp_staple: Bytes::from(secret.value(OCSP_STAPLE).unwrap_or_default()),
        },
        dns_names,
        domains,
        algorithm: algorithm(&leaf),
        holds_until,
    })
}

/// Checks one block of a chain: certificates that are valid now. Gives the moment the first of them expires.
fn check_member(mut der: &[u8], now: Option<Timestamp>) -> Result<i64, Refused> {
    let mut first_expiry = i64::MAX;
    loop {
        let (rest, certificate) =
            X509Certificate::from_der(der).map_err(|error| format!("{CERTIFICATE} can't be read: {error}"))?;
        let validity = certificate.validity();
        let (from, until) = (validity.not_before.timestamp(), validity.not_after.timestamp());
        let subject = || common_name(&certificate).unwrap_or_else(|| certificate.subject().to_string());
        if let Some(now) = now.map(|now| now.unix_seconds()) {
            if now > until {
                return Err(format!("certificate {:?} expired at {}; renew it", subject(), time(until)).into());
            }
            if now < from {
                let message = format!("certificate {:?} isn't valid before {}", subject(), time(from));
                return Err(Refused { message, holds_until: Some(from) });
            }
        }
        first_expiry = first_expiry.min(until.saturating_add(1));
        if rest.is_empty() {
            return Ok(first_expiry);
        }
        der = rest;
    }
}

fn time(seconds: i64) -> String {
    Timestamp::from_unix_seconds(seconds).map_or_else(|| format!("second {seconds}"), |time| time.to_string())
}

fn dns_names(certificate: &X509Certificate<'_>) -> Vec<String> {
    let names = certificate.subject_alternative_name().ok().flatten();
    names
        .iter()
        .flat_map(|names| &names.value.general_names)
        .filter_map(|name| match name {
            GeneralName::DNSName(name) => Some((*name).to_owned()),
            _ => None,
        })
        .collect()
}

fn common_name(certificate: &X509Certificate<'_>) -> Option<String> {
    certificate
        .subject()
        .iter_common_name()
        .filter_map(|name| name.as_str().ok())
        .find(|name| !name.is_empty())
        .map(str::to_owned)
}

fn algorithm(certificate: &X509Certificate<'_>) -> &'static str {
    use x509_parser::public_key::PublicKey;
    match certificate.public_key().parsed() {
        Ok(PublicKey::RSA(_)) => "RSA",
        Ok(PublicKey::EC(_)) => "ECDSA",
        Ok(PublicKey::DSA(_)) => "DSA",
        _ => "Ed25519",
    }
}

/// The domain and kind of key that an earlier certificate of the listener already serves: Envoy can't choose between two.
///
/// What this certificate serves is added to `served`, up to the first that is taken.
pub(super) fn taken_domain<'s>(serving: &'s Serving, served: &mut BTreeSet<(&'static str, String)>) -> Option<&'s str> {
    let mut seen = BTreeSet::new();
    let mut taken =
        |domain: &String| seen.insert(domain.clone()) && !served.insert((serving.algorithm, domain.clone()));
    serving.domains.iter().find(|domain| taken(domain)).map(String::as_str)
}

#[cfg(test)]
pub(in crate::gatewayapi) mod tests {
    use super::*;
    use rcgen::{CertificateParams, DnType, KeyPair, date_time_ymd};

    /// A Secret with a certificate for `names`, valid from 2020 to 2030.
    pub(in crate::gatewayapi) fn secret(name: &str, names: &[&str]) -> Secret {
        let key = KeyPair::generate().unwrap();
        secret_with(name, &chain(names, &key), &key.serialize_pem())
    }

    fn chain(names: &[&str], key: &KeyPair) -> String {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.distinguished_name.push(DnType::CommonName, "common.example.com");
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2030, 1, 1);
        params.self_signed(key).unwrap().pem()
    }

    fn secret_with(name: &str, certificate: &str, key: &str) -> Secret {
        let mut secret = Secret::default();
        secret.metadata.name = name.to_owned();
        secret.metadata.namespace = Some("infra".to_owned());
        secret.r#type = Some("kubernetes.io/tls".to_owned());
        secret.string_data.insert(CERTIFICATE.to_owned(), certificate.to_owned());
        secret.string_data.insert(PRIVATE_KEY.to_owned(), key.to_owned());
        secret
    }

    fn at(time: &str) -> Option<Timestamp> {
        Some(time.parse().unwrap())
    }

    #[test]
    fn a_certificate_and_its_key_are_served() {
        let secret = secret("tls", &["a.example.com", "b.example.com"]);
        let serving = serving(&secret, "infra/tls", at("2025-01-01T00:00:00Z")).unwrap();
        assert_eq!(serving.certificate.name, "infra/tls");
        assert_eq!(serving.dns_names, ["a.example.com", "b.example.com"]);
        assert_eq!(serving.algorithm, "ECDSA");
        assert_eq!(serving.holds_until, at("2030-01-01T00:00:01Z").map(|time| time.unix_seconds()));
    }

    #[test]
    fn a_certificate_without_names_is_for_its_common_name() {
        let serving = serving(&secret("tls", &[]), "infra/tls", None).unwrap();
        assert!(serving.dns_names.is_empty());
        assert_eq!(serving.domains, ["common.example.com"]);
    }

    #[test]
    fn a_certificate_out_of_its_time_is_refused() {
        let secret = secret("tls", &["a.example.com"]);
        let late = serving(&secret, "infra/tls", at("2030-01-01T00:00:01Z")).unwrap_err();
        assert!(late.message.contains("expired at 2030-01-01T00:00:00Z"), "{}", late.message);
        let early = serving(&secret, "infra/tls", at("2019-12-31T23:59:59Z")).unwrap_err();
        assert!(early.message.contains("isn't valid before 2020-01-01T00:00:00Z"), "{}", early.message);
        assert_eq!(early.holds_until, at("2020-01-01T00:00:00Z").map(|time| time.unix_seconds()));
        assert!(serving(&secret, "infra/tls", None).is_ok());
    }

    #[test]
    fn the_key_of_another_certificate_is_refused() {
        let (one, two) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
        let secret = secret_with("tls", &chain(&["a.example.com"], &one), &two.serialize_pem());
        let refused = serving(&secret, "infra/tls", None).unwrap_err();
        assert_eq!(refused.message, "tls.key isn't the key of the first certificate in tls.crt");
    }

    #[test]
    fn one_broken_member_refuses_the_chain() {
        let key = KeyPair::generate().unwrap();
        let broken = "-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n";
        let secret = secret_with("tls", &format!("{}{broken}", chain(&["a.example.com"], &key)), &key.serialize_pem());
        assert!(serving(&secret, "infra/tls", None).unwrap_err().message.starts_with("tls.crt can't be read"));
        let empty = secret_with("tls", "nothing", "nothing");
        assert!(serving(&empty, "infra/tls", None).unwrap_err().message.starts_with("tls.crt holds no certificate"));
    }

    #[test]
    fn two_certificates_for_one_domain_need_different_keys() {
        let mut served = BTreeSet::new();
        let first = serving(&secret("one", &["a.example.com", "a.example.com"]), "infra/one", None).unwrap();
        let second = serving(&secret("two", &["b.example.com", "a.example.com"]), "infra/two", None).unwrap();
        assert_eq!(taken_domain(&first, &mut served), None);
        assert_eq!(taken_domain(&second, &mut served), Some("a.example.com"));
    }
}
