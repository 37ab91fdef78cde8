//! Requests and responses are changed on their way: redirects, rewrites, headers, copies.

use gateway_tests::client::get;
use gateway_tests::wait;

use crate::Serving;

#[tokio::test]
async fn a_redirect_names_the_other_place() {
    let rules = "
  rules:
  - matches: [{path: {value: /old}}]
    filters:
    - type: RequestRedirect
      requestRedirect: {scheme: https, hostname: new.example.com, statusCode: 301, path: {type: ReplacePrefixMatch, replacePrefixMatch: /new}}";
    let Some(serving) = Serving::route(rules).await else { return };
    let answer = serving.ask(&get("x/old/page?a=b")).await;
    assert_eq!((answer.status, answer.header("location")), (301, Some("https://new.example.com/new/page?a=b")));
}

#[tokio::test]
async fn a_rewrite_shows_the_backend_another_address() {
    let rules = "
  rules:
  - matches: [{path: {value: /prefix}}]
    filters: [{type: URLRewrite, urlRewrite: {hostname: cart.internal, path: {type: ReplacePrefixMatch, replacePrefixMatch: /new}}}]
    backendRefs: [{name: cart, port: 80}]
  - matches: [{path: {value: /strip}}]
    filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /}}}]
    backendRefs: [{name: cart, port: 80}]
  - matches: [{path: {value: /full}}]
    filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplaceFullPath, replaceFullPath: /whole}}}]
    backendRefs: [{name: cart, port: 80}]";
    let Some(serving) = Serving::route(rules).await else { return };
    for (asked, seen) in [
        ("x/prefix/a?b=c", "/new/a?b=c"),
        ("x/prefix", "/new"),
        ("x/strip/a", "/a"),
        ("x/strip", "/"),
        ("x/full/a/b", "/whole"),
    ] {
        assert_eq!(serving.ask(&get(asked)).await.asked("path"), seen, "{asked}");
    }
    let answer = serving.ask(&get("shop.example.com/prefix")).await;
    assert_eq!(answer.asked("host"), "cart.internal");
    assert_eq!(answer.seen_header("x-forwarded-host").as_deref(), Some("shop.example.com"));
}

#[tokio::test]
async fn headers_are_set_added_and_removed_both_ways() {
    let rules = "
  rules:
  - filters:
    - {type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: x-set, value: s}], add: [{name: x-add, value: b}], remove: [x-gone]}}
    - {type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-answered, value: 'yes'}], remove: [content-type]}}
    backendRefs: [{name: cart, port: 80}]";
    let Some(serving) = Serving::route(rules).await else { return };
    let ask = get("x/").header("x-set", "client").header("x-add", "a").header("x-gone", "secret");
    let answer = serving.ask(&ask).await;
    assert_eq!(answer.seen_header("x-set").as_deref(), Some("s"));
    assert_eq!(answer.seen_header("x-add").as_deref(), Some("a,b"));
    assert_eq!(answer.seen_header("x-gone"), None);
    assert_eq!((answer.header("x-answered"), answer.header("content-type")), (Some("yes"), None));
}

#[tokio::test]
async fn a_mirror_gets_a_copy_and_nobody_waits_for_it() {
    let rules = "
  rules:
  - filters: [{type: RequestMirror, requestMirror: {backendRef: {name: stock, port: 80}}}]
    backendRefs: [{name: cart, port: 80}]";
    let Some(serving) = Serving::route(rules).await else { return };
    serving.ask(&get("x/")).await;
    let before = serving.stock.served();
    for _ in 0..20 {
        assert_eq!(serving.ask(&get("x/")).await.backend(), "cart");
    }
    wait::until("20 copies", async || match serving.stock.served() - before {
        20.. => Ok(()),
        fewer => Err(fewer),
    })
    .await;
}

#[tokio::test]
async fn a_preflight_request_is_answered_by_envoy() {
    let rules = "
  rules:
  - filters: [{type: CORS, cors: {allowOrigins: ['https://*.example.com'], allowMethods: [GET]}}]
    backendRefs: [{name: cart, port: 80}]";
    let Some(serving) = Serving::route(rules).await else { return };
    serving.ask(&get("x/")).await;
    let before = serving.cart.served();
    let preflight = |origin: &str| {
        get("x/").method("OPTIONS").header("origin", origin).header("access-control-request-method", "GET")
    };
    let answer = serving.ask(&preflight("https://app.example.com")).await;
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example.com"));
    assert_eq!(serving.cart.served(), before, "the backend was asked");
    let answer = serving.ask(&preflight("https://app.example.org")).await;
    assert_eq!(answer.header("access-control-allow-origin"), None);
}
