//! TLS from clients.

use super::super::encode::pack;
use super::super::pb::core::{TransportSocket, transport_socket};
use super::super::pb::extensions::transport_sockets::quic::v3::QuicDownstreamTransport;
use super::super::pb::tls::{
    CertificateValidationContext, CommonTlsContext, DownstreamTlsContext, SubjectAltNameMatcher,
    certificate_validation_context::TrustChainVerification, common_tls_context,
    common_tls_context::ValidationContextType, downstream_tls_context::SessionTicketKeysType,
    subject_alt_name_matcher::SanType,
};
use super::super::string_match::string_matcher;
use super::super::values::boolean;
use super::parameters::parameters;
use super::sds::secret_reference;
use crate::ir::{StringMatch, TlsConfig};

/// The transport socket of a TCP filter chain that offers these protocols by ALPN.
pub(in crate::xds) fn downstream_socket(source: &TlsConfig, alpn: Vec<String>) -> TransportSocket {
    TransportSocket {
        name: "envoy.transport_sockets.tls".to_owned(),
        config_type: Some(transport_socket::ConfigType::TypedConfig(pack(&context(source, alpn)))),
    }
}

/// The transport socket of a QUIC filter chain.
pub(in crate::xds) fn quic_socket(source: &TlsConfig) -> TransportSocket {
    let config = QuicDownstreamTransport {
        downstream_tls_context: Some(context(source, vec!["h3".to_owned()])),
        ..QuicDownstreamTransport::default()
    };
    TransportSocket {
        name: "envoy.transport_sockets.quic".to_owned(),
        config_type: Some(transport_socket::ConfigType::TypedConfig(pack(&config))),
    }
}

/// The protocols offered when the IR doesn't say; HTTP/1.1 alone where certificates overlap, since a client would reuse
/// an HTTP/2 connection for the other listener's hosts (GEP-3567).
pub(in crate::xds) fn alpn(source: &TlsConfig, overlaps: bool) -> Vec<String> {
    if let Some(protocols) = &source.alpn_protocols {
        return protocols.clone();
    }
    let protocols: &[&str] = if overlaps { &["http/1.1"] } else { &["h2", "http/1.1"] };
    protocols.iter().map(|protocol| (*protocol).to_owned()).collect()
}

fn context(source: &TlsConfig, alpn_protocols: Vec<String>) -> DownstreamTlsContext {
    let validates = source.ca_certificate.is_some() || source.client_validation_enabled;
    DownstreamTlsContext {
        common_tls_context: Some(CommonTlsContext {
            tls_params: parameters(source),
            alpn_protocols,
            tls_certificate_sds_secret_configs: source
                .certificates
                .iter()
                .map(|certificate| secret_reference(&certificate.name, certificate.sds.as_ref()))
                .collect(),
            validation_context_type: validates.then(|| validation(source)),
            ..CommonTlsContext::default()
        }),
        require_client_certificate: validates.then(|| boolean(source.require_client_certificate)),
        disable_stateful_session_resumption: !source.stateful_session_resumption,
        session_ticket_keys_type: (!source.stateless_session_resumption)
            .then_some(SessionTicketKeysType::DisableStatelessSessionResumption(true)),
        ..DownstreamTlsContext::default()
    }
}

fn validation(source: &TlsConfig) -> ValidationContextType {
    let trust = if source.accept_untrusted {
        TrustChainVerification::AcceptUntrusted
    } else {
        TrustChainVerification::VerifyTrustChain
    };
    let context = CertificateValidationContext {
        trust_chain_verification: trust.into(),
        allow_expired_certificate: source.allow_expired_certificate,
        verify_certificate_spki: source.verify_certificate_spki.clone(),
        verify_certificate_hash: source.verify_certificate_hash.clone(),
        match_typed_subject_alt_names: source.match_typed_subject_alt_names.iter().map(name_matcher).collect(),
        ..CertificateValidationContext::default()
    };
    let Some(authority) = &source.ca_certificate else {
        return ValidationContextType::ValidationContext(context);
    };
    let reference = secret_reference(&authority.name, authority.sds.as_ref());
    if context == CertificateValidationContext::default() {
        return ValidationContextType::ValidationContextSdsSecretConfig(reference);
    }
    ValidationContextType::CombinedValidationContext(common_tls_context::CombinedCertificateValidationContext {
        default_validation_context: Some(context),
        validation_context_sds_secret_config: Some(reference),
        ..common_tls_context::CombinedCertificateValidationContext::default()
    })
}

/// The match's name is the kind of name, or the object identifier of another kind.
fn name_matcher(source: &StringMatch) -> SubjectAltNameMatcher {
    let (kind, oid) = match source.name.as_str() {
        "" => (SanType::Unspecified, ""),
        "EMAIL" => (SanType::Email, ""),
        "DNS" => (SanType::Dns, ""),
        "URI" => (SanType::Uri, ""),
        "IP_ADDRESS" => (SanType::IpAddress, ""),
        oid => (SanType::OtherName, oid),
    };
    SubjectAltNameMatcher { san_type: kind.into(), matcher: Some(string_matcher(source)), oid: oid.to_owned() }
}
