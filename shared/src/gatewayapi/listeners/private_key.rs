//! Private keys: which forms are read, and whether a key belongs to a certificate.
//!
//! A key is compared with the certificate by the public half it carries: modulus and exponent of an RSA key, the point
//! of an EC key. Keys that carry none (an EC key without its optional point, Ed25519) can't be compared and are taken.

use pem::Pem;
use x509_parser::public_key::PublicKey;
use x509_parser::x509::SubjectPublicKeyInfo;

/// DER tags.
const INTEGER: u8 = 0x02;
const OCTET_STRING: u8 = 0x04;
const OBJECT_IDENTIFIER: u8 = 0x06;
const SEQUENCE: u8 = 0x30;
const BIT_STRING: u8 = 0x03;
/// `publicKey [1]` of an `ECPrivateKey`.
const EC_PUBLIC_KEY: u8 = 0xa1;
/// `rsaEncryption`.
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
/// `id-ecPublicKey`.
const EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
/// `id-Ed25519`.
const ED25519: &[u8] = &[0x2b, 0x65, 0x70];

/// The public half of a private key, as far as the key carries it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PublicHalf {
    /// Modulus and exponent, without leading zeros.
    Rsa {
        /// The modulus.
        modulus: Vec<u8>,
        /// The exponent.
        exponent: Vec<u8>,
    },
    /// The point, if it is there.
    Ec(Option<Vec<u8>>),
    /// An Ed25519 key.
    Ed25519,
}

/// The first block that holds a key in a form that is read (PKCS#8, PKCS#1, SEC 1), else the first block of any kind.
pub(super) fn key_block(blocks: Vec<Pem>) -> Option<Pem> {
    let position = blocks.iter().position(|block| is_key(block.tag())).unwrap_or(0);
    blocks.into_iter().nth(position)
}

fn is_key(tag: &str) -> bool {
    matches!(tag, "PRIVATE KEY" | "RSA PRIVATE KEY" | "EC PRIVATE KEY")
}

/// Reads a key.
///
/// # Errors
/// What is wrong with it, in words that follow "tls.key".
pub(super) fn parse(block: &Pem) -> Result<PublicHalf, String> {
    let der = block.contents();
    let (half, form) = match block.tag() {
        "PRIVATE KEY" => (pkcs8(der), "PKCS#8"),
        "RSA PRIVATE KEY" => (pkcs1(der), "PKCS#1"),
        "EC PRIVATE KEY" => (sec1(der), "SEC 1"),
        other => return Err(format!("holds {other:?}; a private key in PKCS#8, PKCS#1 or SEC 1 form is needed")),
    };
    half.ok_or_else(|| format!("says it is a {form} key and isn't"))
}

/// Whether a key with this public half belongs to a certificate with that public key.
pub(super) fn belongs_to(half: &PublicHalf, certificate: &SubjectPublicKeyInfo<'_>) -> bool {
    match (half, certificate.parsed()) {
        (PublicHalf::Rsa { modulus, exponent }, Ok(PublicKey::RSA(key))) => {
            significant(key.modulus) == modulus.as_slice() && significant(key.exponent) == exponent.as_slice()
        }
        (PublicHalf::Ec(point), Ok(PublicKey::EC(key))) => {
            point.as_ref().is_none_or(|point| point.as_slice() == key.data())
        }
        (PublicHalf::Ed25519, _) => certificate.algorithm.algorithm.as_bytes() == ED25519,
        _ => false,
    }
}

/// One value: its tag, its content, and what follows it.
fn value(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, der) = der.split_first()?;
    let (&first, der) = der.split_first()?;
    let (length, der) = if first < 0x80 {
        (usize::from(first), der)
    } else {
        let count = usize::from(first & 0x7f);
        if count == 0 || count > 4 {
            return None;
        }
        let (digits, der) = der.split_at_checked(count)?;
        (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), der)
    };
    let (content, rest) = der.split_at_checked(length)?;
    Some((tag, content, rest))
}

/// The content of the next value, which must have this tag, and what follows it.
fn expect(tag: u8, der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (found, content, rest) = value(der)?;
    (found == tag).then_some((content, rest))
}

fn pkcs8(der: &[u8]) -> Option<PublicHalf> {
    let (fields, _) = expect(SEQUENCE, der)?;
    let (_version, fields) = expect(INTEGER, fields)?;
    let (algorithm, fields) = expect(SEQUENCE, fields)?;
    let (algorithm, _) = expect(OBJECT_IDENTIFIER, algorithm)?;
    let (key, _) = expect(OCTET_STRING, fields)?;
    match algorithm {
        RSA => pkcs1(key),
        EC => sec1(key),
        ED25519 => expect(OCTET_STRING, key).filter(|(seed, _)| seed.len() == 32).map(|_| PublicHalf::Ed25519),
        _ => None,
    }
}

fn pkcs1(der: &[u8]) -> Option<PublicHalf> {
    let (mut fields, _) = expect(SEQUENCE, der)?;
    let mut numbers = Vec::new();
    // Version, modulus, both exponents, two primes, three numbers made from them.
    while numbers.len() < 9 {
        let (number, rest) = expect(INTEGER, fields)?;
        numbers.push(significant(number));
        fields = rest;
    }
    match numbers.as_slice() {
        [_, modulus, exponent, ..] => Some(PublicHalf::Rsa { modulus: modulus.to_vec(), exponent: exponent.to_vec() }),
        _ => None,
    }
}

fn sec1(der: &[u8]) -> Option<PublicHalf> {
    let (fields, _) = expect(SEQUENCE, der)?;
    let (_version, fields) = expect(INTEGER, fields)?;
    let (_secret, mut fields) = expect(OCTET_STRING, fields)?;
    while let Some((tag, content, rest)) = value(fields) {
        if tag == EC_PUBLIC_KEY {
            let (bits, _) = expect(BIT_STRING, content)?;
            let (_unused_bits, point) = bits.split_first()?;
            return Some(PublicHalf::Ec(Some(point.to_vec())));
        }
        fields = rest;
    }
    Some(PublicHalf::Ec(None))
}

/// A number without its leading zeros.
fn significant(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|digit| **digit == 0).count();
    number.get(zeros..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_found_behind_its_parameters() {
        let blocks = vec![Pem::new("EC PARAMETERS", vec![6, 1, 1]), Pem::new("EC PRIVATE KEY", vec![1])];
        assert_eq!(key_block(blocks).unwrap().tag(), "EC PRIVATE KEY");
        assert_eq!(key_block(vec![Pem::new("CERTIFICATE", vec![1])]).unwrap().tag(), "CERTIFICATE");
        assert_eq!(key_block(Vec::new()), None);
    }

    #[test]
    fn a_block_that_is_no_key_says_so() {
        assert!(parse(&Pem::new("CERTIFICATE", vec![1])).unwrap_err().contains("CERTIFICATE"));
        assert!(parse(&Pem::new("RSA PRIVATE KEY", vec![0x30, 0x82, 0xff, 0xff, 1])).unwrap_err().contains("PKCS#1"));
    }

    #[test]
    fn an_ec_key_without_its_point_is_taken_as_it_is() {
        let key = [SEQUENCE, 8, INTEGER, 1, 1, OCTET_STRING, 3, 7, 7, 7];
        assert_eq!(parse(&Pem::new("EC PRIVATE KEY", key.to_vec())), Ok(PublicHalf::Ec(None)));
    }
}
