//! Credentials added to the requests of single routes: one filter for each credential, enabled by its routes.

use super::super::credential_injector::{filter, filter_name};
use super::super::encode::pack;
use super::super::hcm::{HcmSource, Sharer};
use super::super::pb::hcm::HttpFilter;
use super::super::pb::route::{FilterConfig, Route};
use super::super::pb::wkt::Any;
use super::super::problem::Invalid;
use crate::ir::{HttpListener, HttpRoute};

pub(super) fn chain(_: &HcmSource<'_>, sharer: &Sharer<'_>) -> Result<Vec<HttpFilter>, Invalid> {
    Ok(sharer.routes.iter().filter_map(|route| route.credential_injection.as_deref()).map(filter).collect())
}

pub(super) fn route(route: &mut Route, source: &HttpRoute, _: &HttpListener) {
    if let Some(injection) = source.credential_injection.as_deref() {
        // An empty configuration enables the filter as it is.
        let enabled = FilterConfig { config: Some(Any::default()), ..FilterConfig::default() };
        route.typed_per_filter_config.insert(filter_name(injection), pack(&enabled));
    }
}
