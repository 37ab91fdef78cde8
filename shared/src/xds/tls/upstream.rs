//! TLS towards upstreams.

use std::sync::LazyLock;

use super::super::destination::EndpointType;
use super::super::encode::pack;
use super::super::pb::core::{TransportSocket, transport_socket};
use super::super::pb::tls::{
    CertificateValidationContext, CommonTlsContext, SubjectAltNameMatcher, UpstreamTlsContext, common_tls_context,
    subject_alt_name_matcher::SanType,
};
use super::super::string_match::exact;
use super::parameters::parameters;
use super::sds::secret_reference;
use crate::ir::TlsUpstreamConfig;

/// Envoy wants a transport socket wherever the HTTP version is negotiated; the ones of the endpoints take effect.
static PLACEHOLDER: LazyLock<TransportSocket> = LazyLock::new(|| TransportSocket {
    name: "dummy.transport_socket".to_owned(),
    config_type: Some(transport_socket::ConfigType::TypedConfig(pack(&UpstreamTlsContext {
        common_tls_context: Some(CommonTlsContext::default()),
        ..UpstreamTlsContext::default()
    }))),
});

/// The socket that stands where Envoy demands one.
pub(in crate::xds) fn placeholder_socket() -> TransportSocket {
    PLACEHOLDER.clone()
}

/// The transport socket for one backend; `auto_sni` tells that the cluster sends the request's host as server name.
pub(in crate::xds) fn upstream_socket(
    source: &TlsUpstreamConfig,
    auto_sni: bool,
    endpoint_type: EndpointType,
) -> TransportSocket {
    // The authority's certificates are a secret of their own; `use_system_trust_store` decides what it holds.
    let TlsUpstreamConfig {
        sni,
        auto_sni_from_endpoint_hostname,
        use_system_trust_store: _,
        tls,
        subject_alt_names,
        insecure_skip_verify,
    } = source;
    let names: Vec<SubjectAltNameMatcher> = if subject_alt_names.is_empty() {
        // Without accepted names, the server name is what the certificate must be for.
        sni.iter().map(|name| name_matcher(SanType::Dns, name)).collect()
    } else {
        subject_alt_names
            .iter()
            .map(|name| match (&name.hostname, &name.uri) {
                (Some(hostname), _) => name_matcher(SanType::Dns, hostname),
                (None, uri) => name_matcher(SanType::Uri, uri.as_deref().unwrap_or_default()),
            })
            .collect()
    };
    let knows_server_name = sni.is_some() || auto_sni || *auto_sni_from_endpoint_hostname;
    let context = UpstreamTlsContext {
        sni: sni.clone().unwrap_or_default(),
        auto_host_sni: *auto_sni_from_endpoint_hostname,
        // A dynamic resolver checks names by an option of the cluster.
        auto_sni_san_validation: !insecure_skip_verify
            && names.is_empty()
            && knows_server_name
            && endpoint_type != EndpointType::DynamicResolver,
        common_tls_context: Some(CommonTlsContext {
            tls_params: parameters(tls),
            alpn_protocols: tls.alpn_protocols.clone().unwrap_or_default(),
            tls_certificate_sds_secret_configs: tls
                .client_certificates
                .iter()
                .map(|certificate| secret_reference(&certificate.name, certificate.sds.as_ref()))
                .collect(),
            validation_context_type: (!insecure_skip_verify).then(|| validation(source, names)),
            ..CommonTlsContext::default()
        }),
        ..UpstreamTlsContext::default()
    };
    TransportSocket {
        name: "envoy.transport_sockets.tls".to_owned(),
        config_type: Some(transport_socket::ConfigType::TypedConfig(pack(&context))),
    }
}

fn validation(
    source: &TlsUpstreamConfig,
    names: Vec<SubjectAltNameMatcher>,
) -> common_tls_context::ValidationContextType {
    let (name, sds) = match &source.tls.ca_certificate {
        Some(authority) => (authority.name.as_str(), authority.sds.as_ref()),
        None => ("", None),
    };
    common_tls_context::ValidationContextType::CombinedValidationContext(
        common_tls_context::CombinedCertificateValidationContext {
            default_validation_context: Some(CertificateValidationContext {
                match_typed_subject_alt_names: names,
                ..CertificateValidationContext::default()
            }),
            validation_context_sds_secret_config: Some(secret_reference(name, sds)),
            ..common_tls_context::CombinedCertificateValidationContext::default()
        },
    )
}

fn name_matcher(kind: SanType, value: &str) -> SubjectAltNameMatcher {
    SubjectAltNameMatcher { san_type: kind.into(), matcher: Some(exact(value)), ..SubjectAltNameMatcher::default() }
}
