//! Requests find their backend by path, header, query and method.

use gateway_tests::client::get;

use crate::Serving;

#[tokio::test]
async fn by_path() {
    let rules = "
  rules:
  - matches: [{path: {type: Exact, value: /login}}]
    backendRefs: [{name: stock, port: 80}]
  - matches: [{path: {value: /cart}}, {path: {type: RegularExpression, value: '/item/[0-9]+'}}]
    backendRefs: [{name: cart, port: 80}]";
    let Some(serving) = Serving::route(rules).await else { return };
    for (path, backend) in [("x/login", "stock"), ("x/cart", "cart"), ("x/cart/2?a=b", "cart"), ("x/item/42", "cart")] {
        assert_eq!(serving.ask(&get(path)).await.backend(), backend, "{path}");
    }
    for path in ["x/login/", "x/cartoon", "x/item/x", "x/"] {
        assert_eq!(serving.status_once_serving(&get("x/cart"), &get(path)).await, 404, "{path}");
    }
}

#[tokio::test]
async fn by_header_query_and_method() {
    let rules = "
  rules:
  - matches: [{headers: [{name: x-tenant, value: acme}]}, {queryParams: [{name: debug, value: 'yes'}]}, {method: POST}]
    backendRefs: [{name: stock, port: 80}]
  - backendRefs: [{name: cart, port: 80}]";
    let Some(serving) = Serving::route(rules).await else { return };
    for (ask, backend) in [
        (get("x/"), "cart"),
        (get("x/").header("X-Tenant", "acme"), "stock"),
        (get("x/").header("x-tenant", "other"), "cart"),
        (get("x/?debug=yes"), "stock"),
        (get("x/?debug=no"), "cart"),
        (get("x/").method("POST"), "stock"),
    ] {
        assert_eq!(serving.ask(&ask).await.backend(), backend, "{ask:?}");
    }
}

#[tokio::test]
async fn by_host() {
    let rules = "
  hostnames: [shop.example.com, '*.example.org']
  rules: [{backendRefs: [{name: cart, port: 80}]}]";
    let Some(serving) = Serving::route(rules).await else { return };
    for url in ["shop.example.com/", "shop.example.com:8080/", "a.example.org/", "a.b.example.org/"] {
        assert_eq!(serving.ask(&get(url)).await.backend(), "cart", "{url}");
    }
    for url in ["example.org/", "other.example.com/"] {
        assert_eq!(serving.status_once_serving(&get("shop.example.com/"), &get(url)).await, 404, "{url}");
    }
}

#[tokio::test]
async fn by_weight() {
    let rules = "
  rules:
  - backendRefs:
    - {name: cart, port: 80, weight: 4}
    - {name: stock, port: 80, weight: 1}";
    let Some(serving) = Serving::route(rules).await else { return };
    serving.ask(&get("x/")).await;
    let before = (serving.cart.served(), serving.stock.served());
    for _ in 0..500 {
        assert_eq!(get("x/").of(serving.port).await.map(|answer| answer.status).ok(), Some(200));
    }
    let (cart, stock) = (serving.cart.served() - before.0, serving.stock.served() - before.1);
    assert_eq!(cart + stock, 500);
    // 100 are expected of `stock`, with a standard deviation of 9.
    assert!((50..=150).contains(&stock), "cart {cart}, stock {stock}");
}
