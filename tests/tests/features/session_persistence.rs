//! `sessionPersistence`: a client stays with the backend it began with.

use crate::route;

#[tokio::test]
async fn by_cookie() {
    let proxy = route(
        "
  rules:
  - matches: [{path: {value: /cart}}]
    sessionPersistence:
      sessionName: cart-session
      type: Cookie
      absoluteTimeout: 1h
      cookieConfig: {lifetimeType: Permanent}
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_route(
        "*",
        "
typedPerFilterConfig:
  envoy.filters.http.stateful_session:
    statefulSession:
      sessionState:
        name: envoy.http.stateful_session.cookie
        typedConfig: {cookie: {name: cart-session, path: /cart, ttl: 3600s}}",
    );
}

#[tokio::test]
async fn by_header() {
    let proxy = route(
        "
  rules:
  - sessionPersistence: {sessionName: x-session, type: Header}
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_route(
        "*",
        "
typedPerFilterConfig:
  envoy.filters.http.stateful_session:
    statefulSession:
      sessionState: {name: envoy.http.stateful_session.header, typedConfig: {name: x-session}}",
    );
}
