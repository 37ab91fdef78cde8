//! HTTPS listeners: certificates from Secrets, the right one chosen by the name the client asks for.

use gateway_shared::xds::table::ResourceType;
use gateway_tests::agent::served;
use gateway_tests::certificates::{Authority, Pair, secret};
use gateway_tests::contains::assert_contains;
use gateway_tests::manifests::{GATEWAY, http_route, service};

fn gateway(listeners: &str) -> String {
    GATEWAY.replace("  - {name: http, protocol: HTTP, port: 8080, allowedRoutes: {namespaces: {from: All}}}", listeners)
}

fn checkout() -> String {
    http_route("checkout", "  rules: [{backendRefs: [{name: cart, port: 80}]}]")
}

#[tokio::test]
async fn two_certificates_by_server_name() {
    let authority = Authority::new();
    let listeners = "
  - name: shop
    protocol: HTTPS
    port: 8443
    hostname: shop.example.com
    tls: {certificateRefs: [{name: shop}]}
    allowedRoutes: {namespaces: {from: All}}
  - name: help
    protocol: HTTPS
    port: 8443
    hostname: help.example.com
    tls: {certificateRefs: [{name: help}]}
    allowedRoutes: {namespaces: {from: All}}";
    let proxy = served(&[
        &gateway(listeners),
        &secret("infra", "shop", &authority.certificate("shop.example.com")),
        &secret("infra", "help", &authority.certificate("help.example.com")),
        &service("shop", "cart", &[("10.0.0.1", 8080)]),
        &checkout(),
    ])
    .await;
    proxy.expect_listener(
        "infra/edge/shop",
        "
filterChains:
- filterChainMatch: {serverNames: [shop.example.com]}
  transportSocket: {typedConfig: {commonTlsContext: {tlsCertificateSdsSecretConfigs: [{name: infra/shop}]}}}
- filterChainMatch: {serverNames: [help.example.com]}
  transportSocket: {typedConfig: {commonTlsContext: {tlsCertificateSdsSecretConfigs: [{name: infra/help}]}}}",
    );
    assert_eq!(proxy.names(ResourceType::Secret), ["infra/help", "infra/shop"]);
}

#[tokio::test]
async fn the_certificate_travels_as_a_secret() {
    let pair = Authority::new().certificate("shop.example.com");
    let listeners = "
  - name: shop
    protocol: HTTPS
    port: 8443
    tls: {certificateRefs: [{name: shop}]}
    allowedRoutes: {namespaces: {from: All}}";
    let proxy = served(&[
        &gateway(listeners),
        &secret("infra", "shop", &pair),
        &service("shop", "cart", &[("10.0.0.1", 8080)]),
        &checkout(),
    ])
    .await;
    assert_contains(
        proxy.resource(ResourceType::Secret, "infra/shop"),
        "tlsCertificate: {certificateChain: {}, privateKey: {}}",
    );
}

#[tokio::test]
async fn a_key_that_does_not_fit_costs_only_its_own_listener() {
    let authority = Authority::new();
    let (good, other) = (authority.certificate("shop.example.com"), authority.certificate("help.example.com"));
    let mixed = Pair { certificate: other.certificate, key: good.key.clone() };
    let listeners = "
  - name: shop
    protocol: HTTPS
    port: 8443
    hostname: shop.example.com
    tls: {certificateRefs: [{name: shop}]}
    allowedRoutes: {namespaces: {from: All}}
  - name: help
    protocol: HTTPS
    port: 8443
    hostname: help.example.com
    tls: {certificateRefs: [{name: help}]}
    allowedRoutes: {namespaces: {from: All}}";
    let proxy = served(&[
        &gateway(listeners),
        &secret("infra", "shop", &good),
        &secret("infra", "help", &mixed),
        &service("shop", "cart", &[("10.0.0.1", 8080)]),
        &checkout(),
    ])
    .await;
    assert_eq!(proxy.names(ResourceType::Secret), ["infra/shop"]);
    proxy.expect_listener("infra/edge/shop", "filterChains: [{filterChainMatch: {serverNames: [shop.example.com]}}]");
}
