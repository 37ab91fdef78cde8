//! Making certificates: an authority of our own that lives as long as it takes to sign with it. Its key is never stored.

use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    SerialNumber, date_time_ymd,
};
use tokio_rustls::rustls::crypto::ring;

/// How long everything is valid, as in Envoy Gateway: five years.
const VALID_FOR: Duration = Duration::from_hours(24 * 365 * 5);

/// Clocks may differ by this much.
const VALID_BEFORE: Duration = Duration::from_hours(24);

/// The attribute `serialNumber` of a distinguished name, which tells authorities of one name apart.
const SERIAL_NUMBER: &[u64] = &[2, 5, 4, 5];

/// The name of our authority, and of the server it is made for first.
pub const SERVICE: &str = "envoy-gateway";

/// Who certificates are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holder {
    /// The control plane.
    Server,
    /// The proxies.
    Proxy,
    /// The rate limit service.
    RateLimit,
}

impl Holder {
    /// All of them, the one others trust first.
    pub const ALL: [Self; 3] = [Self::Server, Self::Proxy, Self::RateLimit];

    /// The Secret their certificate is in, as Envoy Gateway names it.
    #[must_use]
    pub const fn secret(self) -> &'static str {
        match self {
            Self::Server => SERVICE,
            Self::Proxy => "envoy",
            Self::RateLimit => "envoy-rate-limit",
        }
    }

    const fn common_name(self) -> &'static str {
        match self {
            Self::Server => SERVICE,
            Self::Proxy | Self::RateLimit => "*",
        }
    }
}

/// Where the control plane is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The namespace of the control plane.
    pub namespace: String,
    /// The cluster's DNS domain.
    pub dns_domain: String,
    /// Whether the control plane runs on this host and is called `localhost`, too.
    pub local: bool,
}

impl Place {
    /// The DNS names of `holder`.
    #[must_use]
    pub fn names(&self, holder: Holder) -> Vec<String> {
        let Self { namespace, dns_domain, local } = self;
        let mut names = match holder {
            Holder::Server => vec![
                SERVICE.to_owned(),
                format!("{SERVICE}.{namespace}"),
                format!("{SERVICE}.{namespace}.svc"),
                format!("{SERVICE}.{namespace}.svc.{dns_domain}"),
            ],
            Holder::Proxy | Holder::RateLimit => vec![format!("*.{namespace}")],
        };
        if *local {
            names.push("localhost".to_owned());
        }
        names
    }
}

/// A certificate and its key, in PEM.
#[derive(Clone, PartialEq, Eq)]
pub struct Pair {
    /// The certificate.
    pub certificate: String,
    /// The key.
    pub key: String,
}

impl std::fmt::Debug for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pair").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

/// An authority, and what it signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fresh {
    /// The authority's certificate, in PEM.
    pub authority: String,
    /// The certificate of the control plane.
    pub server: Pair,
    /// The certificate of proxies.
    pub proxy: Pair,
    /// The certificate of the rate limit service.
    pub rate_limit: Pair,
}

impl Fresh {
    /// Makes all of it, valid from `now`.
    ///
    /// # Errors
    /// When a name can't stand in a certificate, or there is no randomness.
    pub fn make(place: &Place, now: SystemTime) -> anyhow::Result<Self> {
        let authority = authority(now)?;
        let pair = |holder| pair(place, holder, now, &authority.issuer);
        Ok(Self {
            server: pair(Holder::Server)?,
            proxy: pair(Holder::Proxy)?,
            rate_limit: pair(Holder::RateLimit)?,
            authority: authority.certificate,
        })
    }

    /// What was made for `holder`.
    #[must_use]
    pub const fn pair(&self, holder: Holder) -> &Pair {
        match holder {
            Holder::Server => &self.server,
            Holder::Proxy => &self.proxy,
            Holder::RateLimit => &self.rate_limit,
        }
    }
}

/// A secret of 32 random bytes.
///
/// # Errors
/// When there is no randomness.
pub fn random_secret() -> anyhow::Result<Vec<u8>> {
    let mut secret = vec![0; 32];
    random(&mut secret)?;
    Ok(secret)
}

struct Authority {
    certificate: String,
    issuer: Issuer<'static, KeyPair>,
}

fn authority(now: SystemTime) -> anyhow::Result<Authority> {
    let (serial, shown) = serial()?;
    let mut params = params(SERVICE, now)?;
    params.distinguished_name.push(DnType::CustomDnType(SERIAL_NUMBER.to_vec()), shown);
    params.serial_number = Some(serial);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages =
        vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment, KeyUsagePurpose::KeyCertSign];
    let key = KeyPair::generate()?;
    let certificate = params.self_signed(&key)?.pem();
    Ok(Authority { certificate, issuer: Issuer::new(params, key) })
}

fn pair(place: &Place, holder: Holder, now: SystemTime, issuer: &Issuer<'_, KeyPair>) -> anyhow::Result<Pair> {
    let mut params = params(holder.common_name(), now)?;
    params.subject_alt_names = CertificateParams::new(place.names(holder))?.subject_alt_names;
    params.serial_number = Some(serial()?.0);
    params.use_authority_key_identifier_extension = true;
    params.key_usages = vec![
        KeyUsagePurpose::DigitalSignature,
        KeyUsagePurpose::ContentCommitment,
        KeyUsagePurpose::KeyEncipherment,
        KeyUsagePurpose::DataEncipherment,
    ];
    let key = KeyPair::generate()?;
    let certificate = params.signed_by(&key, issuer)?.pem();
    Ok(Pair { certificate, key: key.serialize_pem() })
}

/// What all certificates share.
fn params(common_name: &str, now: SystemTime) -> anyhow::Result<CertificateParams> {
    let now = now.duration_since(SystemTime::UNIX_EPOCH)?;
    let epoch = date_time_ymd(1970, 1, 1);
    let mut params = CertificateParams::default();
    params.not_before = epoch + now.saturating_sub(VALID_BEFORE);
    params.not_after = epoch + now + VALID_FOR;
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, common_name);
    Ok(params)
}

/// A serial number nobody can guess, and how it is written in decimal.
fn serial() -> anyhow::Result<(SerialNumber, String)> {
    let mut bytes = [0; 8];
    random(&mut bytes)?;
    // Positive, and never zero.
    let number = u64::from_be_bytes(bytes) >> 1 | 1;
    Ok((SerialNumber::from(number), number.to_string()))
}

fn random(bytes: &mut [u8]) -> anyhow::Result<()> {
    ring::default_provider()
        .secure_random
        .fill(bytes)
        .map_err(|_| anyhow::anyhow!("the system gives no random numbers"))
}
