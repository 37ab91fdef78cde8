//! Listeners as IR, before any route.

use std::sync::Arc;

use super::faults::{ListenerCondition, ListenerFault};
use super::overlaps::Overlap;
use super::{Candidate, GatewayInput};
use crate::api::client_traffic::PathEscapedSlashAction;
use crate::api::envoy_proxy::EnvoyProxy;
use crate::api::listener::{Listener, ProtocolType};
use crate::diagnostic::FieldPath;
use crate::gatewayapi::frontend_validation::{ClientValidation, FrontendValidation};
use crate::gatewayapi::ip_family;
use crate::gatewayapi::metadata::resource_metadata;
use crate::ir::client_settings::{GrpcSettings, PathSettings};
use crate::ir::http_listener::HttpListener;
use crate::ir::listener::CoreListenerDetails;
use crate::ir::tcp_listener::TcpListener;
use crate::ir::tls::TlsConfig;
use crate::ir::udp_listener::UdpListener;
use crate::ir::xds::Xds;

/// Adds a listener that is fit to serve.
pub(super) fn add(
    xds: &mut Xds,
    candidate: &Candidate<'_>,
    input: &GatewayInput<'_>,
    port: i32,
    overlap: Option<&Overlap>,
) {
    let core = core(candidate, input.envoy_proxy, port);
    let validation = validation(candidate.listener, input.frontend);
    match candidate.listener.protocol {
        ProtocolType::Http | ProtocolType::Https => {
            let tls = tls(candidate, validation);
            let no_http2 = overlap.is_some_and(|overlap| overlap.no_http2);
            xds.http.push(http(core, candidate.listener, input.envoy_proxy, tls, no_http2));
        }
        ProtocolType::Tcp | ProtocolType::Tls => {
            // No ALPN by default: what is inside the connection isn't known.
            let tls = tls(candidate, validation);
            xds.tcp.push(TcpListener { core, tls, ..TcpListener::default() });
        }
        ProtocolType::Udp => xds.udp.push(UdpListener { core, route: None }),
        ProtocolType::Other(_) => {}
    }
}

fn core(candidate: &Candidate<'_>, envoy_proxy: Option<&EnvoyProxy>, port: i32) -> CoreListenerDetails {
    let family = ip_family::of(envoy_proxy);
    let gateway = candidate.gateway;
    CoreListenerDetails {
        name: candidate.ir_name(),
        address: ip_family::any_address(family).to_owned(),
        port: u32::try_from(port).unwrap_or_default(),
        external_port: u32::try_from(candidate.listener.port).unwrap_or_default(),
        extension_refs: Vec::new(),
        metadata: Some(Arc::new(resource_metadata(gateway, Some(candidate.listener.name.clone())))),
        ip_family: family,
    }
}

fn http(
    core: CoreListenerDetails,
    listener: &Listener,
    envoy_proxy: Option<&EnvoyProxy>,
    tls: Option<TlsConfig>,
    tls_overlaps: bool,
) -> HttpListener {
    let spec = envoy_proxy.map(|proxy| &proxy.spec);
    let telemetry = spec.and_then(|spec| spec.telemetry.as_ref());
    let grpc_stats = telemetry.and_then(|telemetry| telemetry.metrics.as_ref()?.enable_grpc_stats);
    HttpListener {
        core,
        hostnames: vec![listener.hostname.clone().unwrap_or_else(|| "*".to_owned())],
        tls,
        tls_overlaps,
        path: PathSettings {
            merge_slashes: true,
            escaped_slashes_action: Some(PathEscapedSlashAction::UnescapeAndRedirect),
        },
        grpc: grpc_stats.map(|stats| GrpcSettings { enable_grpc_stats: Some(stats), ..GrpcSettings::default() }),
        preserve_route_order: spec.and_then(|spec| spec.preserve_route_order).unwrap_or(false),
        request_id: telemetry.and_then(|telemetry| telemetry.request_id.as_ref()?.tracing),
        ..HttpListener::default()
    }
}

/// TLS as the listener ends it; none when it has neither certificates nor clients to validate.
fn tls(candidate: &Candidate<'_>, validation: Option<&ClientValidation>) -> Option<TlsConfig> {
    let certificates = candidate.spec.tls.certificates.clone();
    if certificates.is_empty() && validation.is_none() {
        return None;
    }
    let mut tls = TlsConfig { certificates, ..TlsConfig::default() };
    if let Some(ClientValidation { ca, insecure_fallback }) = validation {
        tls.ca_certificate = Some(ca.clone());
        tls.client_validation_enabled = true;
        tls.require_client_certificate = !insecure_fallback;
        tls.accept_untrusted = *insecure_fallback;
    }
    Some(tls)
}

/// How clients of a listener are validated: only those of HTTPS listeners are.
fn validation<'f>(listener: &Listener, frontend: &'f FrontendValidation) -> Option<&'f ClientValidation> {
    let https = listener.protocol == ProtocolType::Https;
    frontend.on_port(listener.port).filter(|_| https).and_then(|validation| validation.as_ref().ok())
}

/// The faults of a listener whose clients can't be validated: it must not serve without.
pub(super) fn frontend_fault(listener: &Listener, frontend: &FrontendValidation) -> Vec<ListenerFault> {
    let fault = match frontend.on_port(listener.port) {
        Some(Err(fault)) if listener.protocol == ProtocolType::Https => fault,
        _ => return Vec::new(),
    };
    let message = format!("clients on port {} can't be validated: {fault}", listener.port);
    let reasons = [
        (ListenerCondition::ResolvedRefs, fault.reason),
        (ListenerCondition::Programmed, fault.reason),
        (ListenerCondition::Accepted, "NoValidCACertificate"),
    ];
    reasons
        .into_iter()
        .map(|(condition, reason)| ListenerFault::new(condition, FieldPath::field("port"), reason, message.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_without_hostname_takes_every_name() {
        let listener: Listener = serde_json::from_str(r#"{"name":"l","port":80,"protocol":"HTTP"}"#).unwrap();
        let listener = http(CoreListenerDetails::default(), &listener, None, None, false);
        assert_eq!(listener.hostnames, ["*"]);
        assert!(listener.path.merge_slashes && listener.tls.is_none());
    }
}
