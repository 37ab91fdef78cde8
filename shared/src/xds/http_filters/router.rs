//! The router, which ends every chain.

use super::super::access_log::{Place, access_logs};
use super::super::encode::pack;
use super::super::hcm::{HcmSource, Sharer};
use super::super::pb::accesslog::AccessLog;
use super::super::pb::extensions::filters::http::router::v3::{Router, router::UpstreamAccessLogOptions};
use super::super::pb::hcm::{HttpFilter, http_filter};
use super::super::problem::Invalid;

pub(super) fn chain(source: &HcmSource<'_>, sharer: &Sharer<'_>) -> Result<Vec<HttpFilter>, Invalid> {
    let envoy_headers = sharer.listener.headers.as_ref().is_some_and(|headers| headers.enable_envoy_headers);
    Ok(vec![filter(envoy_headers, access_logs(source.access_log, Place::Upstream)?)])
}

/// The filter; with logs of upstream attempts, each is written when its stream ends.
pub(in crate::xds) fn filter(envoy_headers: bool, upstream_log: Vec<AccessLog>) -> HttpFilter {
    let config = Router {
        suppress_envoy_headers: !envoy_headers,
        upstream_log_options: (!upstream_log.is_empty()).then(|| UpstreamAccessLogOptions {
            flush_upstream_log_on_upstream_stream: true,
            ..UpstreamAccessLogOptions::default()
        }),
        upstream_log,
        ..Router::default()
    };
    HttpFilter {
        name: "envoy.filters.http.router".to_owned(),
        config_type: Some(http_filter::ConfigType::TypedConfig(pack(&config))),
        ..HttpFilter::default()
    }
}
