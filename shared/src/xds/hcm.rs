//! The HTTP connection manager of a filter chain.

use super::access_log::{Place, access_logs};
use super::client_ip::original_ip_detection;
use super::config_source::ads;
use super::encode::pack;
use super::header_mutation::early_mutations;
use super::http_filters::http_filters;
use super::options::Options;
use super::pb::core::{Http3ProtocolOptions, HttpProtocolOptions, SchemeHeaderTransformation, http_protocol_options};
use super::pb::extensions::request_id::uuid::v3::UuidRequestIdConfig;
use super::pb::hcm::{
    HttpConnectionManager, Rds, RequestIdExtension, http_connection_manager,
    http_connection_manager::{CodecType, ForwardClientCertDetails, SetCurrentClientCertDetails},
};
use super::problem::Invalid;
use super::protocol_options::{listener_http1, listener_http2};
use super::tracing::listener_tracing;
use super::values::{boolean, duration, uint32};
use crate::api::client_traffic::{
    PathEscapedSlashAction, RequestIdAction, WithUnderscoresAction, XfccCertData, XfccForwardMode,
};
use crate::api::envoy_proxy::RequestIdExtensionAction;
use crate::api::filter_order::FilterPosition;
use crate::ir::{AccessLog, HeaderSettings, HttpListener, HttpRoute, Tracing};

/// All a connection manager is made from.
#[derive(Clone, Copy, Debug)]
pub(super) struct HcmSource<'a> {
    /// The listener it is made for.
    pub(super) listener: &'a HttpListener,
    /// Every listener whose requests come this way, `listener` first.
    pub(super) sharers: &'a [Sharer<'a>],
    /// The name of its route configuration.
    pub(super) route_config: &'a str,
    pub(super) access_log: Option<&'a AccessLog>,
    pub(super) tracing: Option<&'a Tracing>,
    pub(super) filter_order: &'a [FilterPosition],
    pub(super) options: &'a Options,
}

/// A listener whose requests come through a connection manager, with those of its routes that need HTTP filters.
#[derive(Clone, Debug)]
pub(super) struct Sharer<'a> {
    pub(super) listener: &'a HttpListener,
    pub(super) routes: Vec<&'a HttpRoute>,
}

/// The connection manager; for QUIC it speaks HTTP/3 alone.
pub(super) fn connection_manager(source: &HcmSource<'_>, quic: bool) -> Result<HttpConnectionManager, Invalid> {
    let listener = source.listener;
    let headers = listener.headers.as_ref();
    let detection = original_ip_detection(listener.client_ip_detection.as_ref())?;
    let mut manager = HttpConnectionManager {
        access_log: access_logs(source.access_log, Place::Route)?,
        codec_type: if quic { CodecType::Http3 } else { CodecType::Auto }.into(),
        http3_protocol_options: quic.then(Http3ProtocolOptions::default),
        stat_prefix: stat_prefix(listener, source.options),
        route_specifier: Some(http_connection_manager::RouteSpecifier::Rds(Rds {
            config_source: Some(ads()),
            route_config_name: source.route_config.to_owned(),
        })),
        http_protocol_options: listener_http1(listener.http1.as_ref()),
        http2_protocol_options: Some(listener_http2(listener.http2.as_ref())),
        // Envoy doesn't introduce itself.
        server_header_transformation: http_connection_manager::ServerHeaderTransformation::PassThrough.into(),
        use_remote_address: Some(boolean(detection.is_empty())),
        original_ip_detection_extensions: detection,
        normalize_path: Some(boolean(true)),
        merge_slashes: listener.path.merge_slashes,
        path_with_escaped_slashes_action: escaped_slashes(listener.path.escaped_slashes_action).into(),
        common_http_protocol_options: Some(HttpProtocolOptions {
            headers_with_underscores_action: underscores(headers).into(),
            ..HttpProtocolOptions::default()
        }),
        tracing: source.tracing.map(listener_tracing).transpose()?,
        early_header_mutation_extensions: early_mutations(headers)?,
        request_id_extension: listener.request_id.and_then(request_id_extension),
        strip_trailing_host_dot: listener.host.as_ref().is_some_and(|host| host.strip_trailing_host_dot),
        scheme_header_transformation: listener
            .match_backend_scheme
            .then(|| SchemeHeaderTransformation { match_upstream: true, ..SchemeHeaderTransformation::default() }),
        http_filters: http_filters(source)?,
        ..HttpConnectionManager::default()
    };
    forward_client_certificate(&mut manager, headers);
    request_ids(&mut manager, headers);
    timeouts_and_limits(&mut manager, listener);
    Ok(manager)
}

/// What the listener's statistics begin with.
pub(super) fn stat_prefix(listener: &HttpListener, options: &Options) -> String {
    let scheme = if listener.tls.is_some() { "https" } else { "http" };
    let port = if options.name_scheme_v2 { listener.core.external_port } else { listener.core.port };
    format!("{scheme}-{port}")
}

const fn escaped_slashes(
    source: Option<PathEscapedSlashAction>,
) -> http_connection_manager::PathWithEscapedSlashesAction {
    use http_connection_manager::PathWithEscapedSlashesAction as Action;
    match source {
        Some(PathEscapedSlashAction::KeepUnchanged) => Action::KeepUnchanged,
        Some(PathEscapedSlashAction::RejectRequest) => Action::RejectRequest,
        Some(PathEscapedSlashAction::UnescapeAndRedirect) => Action::UnescapeAndRedirect,
        Some(PathEscapedSlashAction::UnescapeAndForward) => Action::UnescapeAndForward,
        None => Action::ImplementationSpecificDefault,
    }
}

fn underscores(headers: Option<&HeaderSettings>) -> http_protocol_options::HeadersWithUnderscoresAction {
    use http_protocol_options::HeadersWithUnderscoresAction as Action;
    match headers.and_then(|headers| headers.with_underscores_action) {
        Some(WithUnderscoresAction::Allow) => Action::Allow,
        Some(WithUnderscoresAction::DropHeader) => Action::DropHeader,
        Some(WithUnderscoresAction::RejectRequest) | None => Action::RejectRequest,
    }
}

/// What becomes of `x-forwarded-client-cert`, and what of the certificate goes into it where Envoy writes it.
fn forward_client_certificate(manager: &mut HttpConnectionManager, headers: Option<&HeaderSettings>) {
    let Some(source) = headers.and_then(|headers| headers.x_forwarded_client_cert.as_ref()) else { return };
    let mode = match source.mode {
        Some(XfccForwardMode::Sanitize) | None => ForwardClientCertDetails::Sanitize,
        Some(XfccForwardMode::ForwardOnly) => ForwardClientCertDetails::ForwardOnly,
        Some(XfccForwardMode::AppendForward) => ForwardClientCertDetails::AppendForward,
        Some(XfccForwardMode::SanitizeSet) => ForwardClientCertDetails::SanitizeSet,
        Some(XfccForwardMode::AlwaysForwardOnly) => ForwardClientCertDetails::AlwaysForwardOnly,
    };
    manager.forward_client_cert_details = mode.into();
    let writes = matches!(mode, ForwardClientCertDetails::AppendForward | ForwardClientCertDetails::SanitizeSet);
    if writes && !source.cert_details_to_add.is_empty() {
        let has = |data| source.cert_details_to_add.contains(&data);
        manager.set_current_client_cert_details = Some(SetCurrentClientCertDetails {
            cert: has(XfccCertData::Cert),
            chain: has(XfccCertData::Chain),
            dns: has(XfccCertData::Dns),
            subject: has(XfccCertData::Subject).then(|| boolean(true)),
            uri: has(XfccCertData::Uri),
            ..SetCurrentClientCertDetails::default()
        });
    }
}

/// Whether `x-request-id` is made and whether a client's is kept.
fn request_ids(manager: &mut HttpConnectionManager, headers: Option<&HeaderSettings>) {
    let Some(action) = headers.and_then(|headers| headers.request_id) else { return };
    let (generate, preserve) = match action {
        RequestIdAction::PreserveOrGenerate => (true, true),
        RequestIdAction::Preserve => (false, true),
        RequestIdAction::Generate => (true, false),
        RequestIdAction::Disable => (false, false),
    };
    manager.generate_request_id = Some(boolean(generate));
    manager.preserve_external_request_id = preserve;
}

/// Envoy does both, packing and sampling, by default.
fn request_id_extension(action: RequestIdExtensionAction) -> Option<RequestIdExtension> {
    let (pack_reason, sample) = match action {
        RequestIdExtensionAction::PackAndSample => return None,
        RequestIdExtensionAction::Pack => (true, false),
        RequestIdExtensionAction::Sample => (false, true),
        RequestIdExtensionAction::Disable => (false, false),
    };
    Some(RequestIdExtension {
        typed_config: Some(pack(&UuidRequestIdConfig {
            pack_trace_reason: Some(boolean(pack_reason)),
            use_request_id_for_trace_sampling: Some(boolean(sample)),
        })),
    })
}

fn timeouts_and_limits(manager: &mut HttpConnectionManager, listener: &HttpListener) {
    let timeout = listener.timeout.as_ref().and_then(|timeout| timeout.http.as_ref());
    let limit = listener.connection.as_ref().and_then(|connection| connection.limit.as_ref());
    let common = manager.common_http_protocol_options.get_or_insert_default();
    if let Some(timeout) = timeout {
        common.idle_timeout = timeout.idle_timeout.map(duration);
        manager.request_timeout = timeout.request_received_timeout.map(duration);
        manager.request_headers_timeout = timeout.request_headers_received_timeout.map(duration);
        manager.stream_idle_timeout = timeout.stream_idle_timeout.map(duration);
    }
    if let Some(limit) = limit {
        common.max_connection_duration = limit.max_connection_duration.map(duration);
        common.max_requests_per_connection = limit.max_requests_per_connection.map(uint32);
        common.max_stream_duration = limit.max_stream_duration.map(duration);
        // HTTP/1 clients are told to close instead of being cut off, unless that is disabled.
        manager.http1_safe_max_connection_duration = limit.max_connection_duration.is_some()
            && !listener.http1.as_ref().is_some_and(|http1| http1.disable_safe_max_connection_duration);
    }
}
