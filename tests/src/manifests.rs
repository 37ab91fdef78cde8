//! The objects most tests begin with.

/// The GatewayClass `eg`, the Gateway `infra/edge` with one HTTP listener on port 8080 that takes every Route, and the
/// namespaces `infra` and `shop`.
pub const GATEWAY: &str = "
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: eg}
spec: {controllerName: gateway.envoyproxy.io/gatewayclass-controller}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: infra}
spec:
  gatewayClassName: eg
  listeners:
  - {name: http, protocol: HTTP, port: 8080, allowedRoutes: {namespaces: {from: All}}}
---
apiVersion: v1
kind: Namespace
metadata: {name: infra}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {team: shop}}
";

/// The Service `namespace/name` (port 80) with endpoints at these addresses.
#[must_use]
pub fn service(namespace: &str, name: &str, endpoints: &[(&str, u16)]) -> String {
    let mut text = format!(
        "
apiVersion: v1
kind: Service
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  clusterIP: 10.96.0.10
  ports: [{{name: http, port: 80, targetPort: 8080, protocol: TCP}}]
"
    );
    // Endpoints that listen on different ports are different slices.
    for (index, (address, port)) in endpoints.iter().enumerate() {
        text.push_str(&format!(
            "---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {{name: {name}-{index}, namespace: {namespace}, labels: {{kubernetes.io/service-name: {name}}}}}
addressType: IPv4
ports: [{{name: http, port: {port}, protocol: TCP}}]
endpoints: [{{addresses: [{address}], conditions: {{ready: true}}}}]
"
        ));
    }
    text
}

/// The HTTPRoute `shop/name` on the Gateway `infra/edge`, with `spec` (YAML members, indented by two) below its parent.
#[must_use]
pub fn http_route(name: &str, spec: &str) -> String {
    format!(
        "
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {{name: {name}, namespace: shop}}
spec:
  parentRefs: [{{name: edge, namespace: infra}}]
{spec}
"
    )
}

/// These documents as one file.
#[must_use]
pub fn file(documents: &[&str]) -> String {
    documents.join("\n---\n")
}
