//! `URLRewrite`: the backend sees another host or path.

use crate::route;

fn rewrite(what: &str) -> String {
    format!(
        "
  rules:
  - matches: [{{path: {{value: /old}}}}]
    filters: [{{type: URLRewrite, urlRewrite: {what}}}]
    backendRefs: [{{name: cart, port: 80}}]"
    )
}

#[tokio::test]
async fn the_host() {
    let proxy = route(&rewrite("{hostname: cart.internal}")).await;
    proxy.expect_route("*", "route: {hostRewriteLiteral: cart.internal, appendXForwardedHost: true}");
}

#[tokio::test]
async fn the_prefix() {
    let proxy = route(&rewrite("{path: {type: ReplacePrefixMatch, replacePrefixMatch: /new}}")).await;
    proxy.expect_route("*", "{match: {pathSeparatedPrefix: /old}, route: {prefixRewrite: /new}}");
}

#[tokio::test]
async fn the_prefix_away() {
    // A plain prefix rewrite would leave two slashes.
    let proxy = route(&rewrite("{path: {type: ReplacePrefixMatch, replacePrefixMatch: /}}")).await;
    proxy.expect_route(
        "*",
        r"route: {regexRewrite: {pattern: {regex: '^/old\/*'}, substitution: /}, prefixRewrite: null}",
    );
}

#[tokio::test]
async fn the_whole_path() {
    let proxy = route(&rewrite("{path: {type: ReplaceFullPath, replaceFullPath: /new}}")).await;
    proxy.expect_route("*", "route: {regexRewrite: {pattern: {regex: '^/.*$'}, substitution: /new}}");
}
