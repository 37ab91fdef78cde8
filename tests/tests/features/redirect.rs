//! `RequestRedirect`: the client is sent elsewhere.

use crate::route;

#[tokio::test]
async fn to_https() {
    let proxy = route(
        "
  rules:
  - filters: [{type: RequestRedirect, requestRedirect: {scheme: https, statusCode: 301}}]",
    )
    .await;
    proxy.expect_route("*", "{redirect: {schemeRedirect: https, responseCode: null}, route: null}");
}

#[tokio::test]
async fn to_another_host_port_and_path() {
    let proxy = route(
        "
  rules:
  - matches: [{path: {value: /old}}]
    filters:
    - type: RequestRedirect
      requestRedirect:
        hostname: new.example.com
        port: 8443
        path: {type: ReplaceFullPath, replaceFullPath: /new}",
    )
    .await;
    proxy.expect_route(
        "*",
        "redirect: {hostRedirect: new.example.com, portRedirect: 8443, pathRedirect: /new, responseCode: FOUND}",
    );
}

#[tokio::test]
async fn to_another_prefix() {
    let proxy = route(
        "
  rules:
  - matches: [{path: {value: /old}}]
    filters:
    - type: RequestRedirect
      requestRedirect: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /new}}",
    )
    .await;
    proxy.expect_route("*", "redirect: {prefixRewrite: /new, portRedirect: 8080, responseCode: FOUND}");
}
