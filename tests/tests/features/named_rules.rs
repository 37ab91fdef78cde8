//! `rules[].name`: a name for people, seen in the metadata of what the rule became.

use crate::route;

#[tokio::test]
async fn the_name_travels_with_the_route() {
    let proxy = route(
        "
  rules:
  - name: pay
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_route(
        "*",
        "
metadata:
  filterMetadata:
    envoy-gateway: {resources: [{kind: HTTPRoute, namespace: shop, name: checkout, sectionName: pay}]}",
    );
}
