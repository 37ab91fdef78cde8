//! Versions, ciphers and the like, equal on both sides.

use super::super::pb::tls::{TlsParameters, tls_parameters::TlsProtocol};
use crate::api::backend_tls::TlsVersion;
use crate::ir::TlsConfig;

/// The parameters a configuration sets, if any.
pub(in crate::xds) fn parameters(source: &TlsConfig) -> Option<TlsParameters> {
    let version = |version: &Option<TlsVersion>| version.as_ref().map_or(TlsProtocol::TlsAuto, protocol).into();
    let set = source.min_version.is_some()
        || source.max_version.is_some()
        || !source.ciphers.is_empty()
        || !source.ecdh_curves.is_empty()
        || !source.signature_algorithms.is_empty();
    set.then(|| TlsParameters {
        tls_minimum_protocol_version: version(&source.min_version),
        tls_maximum_protocol_version: version(&source.max_version),
        cipher_suites: source.ciphers.clone(),
        ecdh_curves: source.ecdh_curves.clone(),
        signature_algorithms: source.signature_algorithms.clone(),
        ..TlsParameters::default()
    })
}

const fn protocol(version: &TlsVersion) -> TlsProtocol {
    match version {
        TlsVersion::Auto | TlsVersion::Other(_) => TlsProtocol::TlsAuto,
        TlsVersion::V1_0 => TlsProtocol::TlSv10,
        TlsVersion::V1_1 => TlsProtocol::TlSv11,
        TlsVersion::V1_2 => TlsProtocol::TlSv12,
        TlsVersion::V1_3 => TlsProtocol::TlSv13,
    }
}
