//! `RequestHeaderModifier` and `ResponseHeaderModifier`: set, add and remove headers on the way there and back.

use crate::route;

#[tokio::test]
async fn on_requests() {
    let proxy = route(
        "
  rules:
  - filters:
    - type: RequestHeaderModifier
      requestHeaderModifier:
        set: [{name: x-set, value: a}]
        add: [{name: x-add, value: b}]
        remove: [x-gone]
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_route(
        "*",
        "
requestHeadersToAdd:
- {header: {key: x-add, value: b}, appendAction: null}
- {header: {key: x-set, value: a}, appendAction: OVERWRITE_IF_EXISTS_OR_ADD}
requestHeadersToRemove: [x-gone]",
    );
}

#[tokio::test]
async fn on_responses() {
    let proxy = route(
        "
  rules:
  - filters:
    - type: ResponseHeaderModifier
      responseHeaderModifier:
        set: [{name: x-set, value: a}]
        add: [{name: x-add, value: b}]
        remove: [x-gone]
    backendRefs: [{name: cart, port: 80}]",
    )
    .await;
    proxy.expect_route(
        "*",
        "
responseHeadersToAdd:
- {header: {key: x-add, value: b}, appendAction: null}
- {header: {key: x-set, value: a}, appendAction: OVERWRITE_IF_EXISTS_OR_ADD}
responseHeadersToRemove: [x-gone]",
    );
}
