//! How clients stay with their endpoint. The filter is off; each route that wants it brings its own options.

use super::super::encode::pack;
use super::super::hcm::{HcmSource, Sharer};
use super::super::pb::core::TypedExtensionConfig;
use super::super::pb::extensions::filters::http::stateful_session::v3::{
    StatefulSession, StatefulSessionPerRoute, stateful_session_per_route::Override,
};
use super::super::pb::extensions::http::stateful_session::cookie::v3::CookieBasedSessionState;
use super::super::pb::extensions::http::stateful_session::header::v3::HeaderBasedSessionState;
use super::super::pb::hcm::{HttpFilter, http_filter};
use super::super::pb::route::Route;
use super::super::problem::Invalid;
use super::super::values::{duration, extension};
use crate::ir::{HttpListener, HttpRoute, SessionPersistence, StringMatch};
use envoy_types::pb::envoy::r#type::http::v3::Cookie;

const NAME: &str = "envoy.filters.http.stateful_session";

pub(super) fn chain(_: &HcmSource<'_>, sharer: &Sharer<'_>) -> Result<Vec<HttpFilter>, Invalid> {
    // Envoy wants options here although every route overrides them: the first route's do.
    let first = sharer.routes.iter().find_map(|route| session(route));
    Ok(first
        .map(|session| HttpFilter {
            name: NAME.to_owned(),
            config_type: Some(http_filter::ConfigType::TypedConfig(pack(&session))),
            disabled: true,
            ..HttpFilter::default()
        })
        .into_iter()
        .collect())
}

pub(super) fn route(route: &mut Route, source: &HttpRoute, _: &HttpListener) {
    if let Some(session) = session(source) {
        let config = StatefulSessionPerRoute { r#override: Some(Override::StatefulSession(session)) };
        route.typed_per_filter_config.insert(NAME.to_owned(), pack(&config));
    }
}

fn session(source: &HttpRoute) -> Option<StatefulSession> {
    let SessionPersistence { cookie, header } = source.session_persistence.as_deref()?;
    let state: TypedExtensionConfig = if let Some(cookie) = cookie {
        let config = CookieBasedSessionState {
            cookie: Some(Cookie {
                name: cookie.name.clone(),
                path: cookie_path(source.path_match.as_ref()),
                ttl: cookie.ttl.map(duration),
                ..Cookie::default()
            }),
        };
        extension("envoy.http.stateful_session.cookie", &config)
    } else {
        let name = header.as_ref()?.name.clone();
        extension("envoy.http.stateful_session.header", &HeaderBasedSessionState { name })
    };
    Some(StatefulSession { session_state: Some(state), ..StatefulSession::default() })
}

/// The cookie is for the paths that the route matches; of an expression, for what stands before its first star (GEP-1619).
fn cookie_path(path: Option<&StringMatch>) -> String {
    let Some(path) = path else { return "/".to_owned() };
    if let Some(plain) = path.exact.as_ref().or(path.prefix.as_ref()) {
        return plain.clone();
    }
    let Some(regex) = &path.safe_regex else { return "/".to_owned() };
    regex.split('/').take_while(|part| !part.contains('*')).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expressions_cookie_path_ends_before_the_first_star() {
        let path = StringMatch { safe_regex: Some("/p1/p2/.*/p3".to_owned()), ..StringMatch::default() };
        assert_eq!(cookie_path(Some(&path)), "/p1/p2");
    }
}
