//! Every fault that `explain` has to tell apart: the layer that is the first broken, the code, and a fix that works
//! when it is followed.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use std::ffi::OsString;

use kubectl_gateway::exit::Exit;
use kubectl_gateway::render::style::Environment;
use serde_json::Value;

/// Manifests in which everything is well.
const GOOD: &str = "\
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
  - name: http
    port: 80
    protocol: HTTP
    hostname: '*.example.com'
    allowedRoutes: {namespaces: {from: All}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: checkout, namespace: shop}
spec:
  parentRefs:
  - {name: edge, namespace: infra, sectionName: http, port: 80}
  hostnames: [shop.example.com]
  rules:
  - matches: [{path: {type: PathPrefix, value: /cart}}]
    backendRefs:
    - {name: cart, port: 8080}
---
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: shop}
spec:
  clusterIP: 10.0.0.7
  ports: [{name: http, port: 8080, targetPort: 8080, protocol: TCP}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: cart-1, namespace: shop, labels: {kubernetes.io/service-name: cart}}
addressType: IPv4
ports: [{name: http, port: 8080, protocol: TCP}]
endpoints: [{addresses: [10.1.0.4], conditions: {ready: true}}]
---
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {kubernetes.io/metadata.name: shop}}
---
apiVersion: v1
kind: Namespace
metadata: {name: infra, labels: {kubernetes.io/metadata.name: infra}}
";

/// What the plugin answers on `manifests`.
fn run(words: &[&str], manifests: &str) -> (Exit, String, String) {
    let mut arguments: Vec<OsString> = vec!["kubectl-gateway".into()];
    arguments.extend(words.iter().map(OsString::from));
    arguments.extend(["-f".into(), "-".into()]);
    let environment =
        Environment { variables: [("LANG".to_owned(), "C.UTF-8".to_owned())].into(), terminal: false, columns: None };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = kubectl_gateway::run(arguments, &environment, &mut manifests.as_bytes(), &mut out, &mut err);
    (exit, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

/// `GOOD` with `pairs` replaced in turn; each has to be there.
fn changed(manifests: &str, pairs: &[(&str, &str)]) -> String {
    pairs.iter().fold(manifests.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from:?} isn't in the manifests");
        text.replace(from, to)
    })
}

/// One fault: what it is made of, and what has to be said about it.
struct Fault {
    /// Replacements that break `GOOD`.
    broken: &'static [(&'static str, &'static str)],
    /// The first broken layer.
    layer: &'static str,
    /// The finding's code.
    code: &'static str,
    /// What the cause has to say.
    cause: &'static str,
    /// What the fix has to say.
    fix: &'static str,
    /// Replacements that follow the fix.
    fixed: &'static [(&'static str, &'static str)],
}

impl Fault {
    /// Holds the answer about `object` to what it has to be, broken and fixed.
    fn check_on(&self, object: &[&str]) {
        let broken = changed(GOOD, self.broken);
        let mut words = vec!["explain"];
        words.extend(object);
        let (exit, text, err) = run(&words, &broken);
        assert_eq!(exit, Exit::Problem, "{text}{err}");
        words.extend(["-o", "json"]);
        let (_, json, _) = run(&words, &broken);
        let report: Value = serde_json::from_str(&json).unwrap();
        let layers = report.get("layers").and_then(Value::as_array).unwrap();
        let first = layers.iter().find(|layer| layer.get("verdict").unwrap() == "no").unwrap();
        assert_eq!(first.get("name").unwrap(), self.layer, "{text}");
        let finding = first.pointer("/findings/0").unwrap_or_else(|| panic!("no finding\n{text}"));
        assert_eq!(finding.get("code").unwrap(), self.code, "{text}");
        let cause = finding.get("cause").and_then(Value::as_str).unwrap();
        assert!(cause.contains(self.cause), "cause {cause:?} lacks {:?}\n{text}", self.cause);
        let fix = finding.get("fix").unwrap().to_string().replace("\\\"", "\"");
        assert!(fix.contains(self.fix), "fix {fix} lacks {:?}\n{text}", self.fix);
        let behind = layers.iter().skip_while(|layer| *layer != first).skip(1);
        assert!(behind.clone().all(|layer| layer.get("verdict").unwrap() == "notReached"), "{text}");

        let fixed = changed(&broken, self.fixed);
        words.truncate(words.len() - 2);
        let (exit, text, err) = run(&words, &fixed);
        assert_eq!(exit, Exit::Fine, "the fix doesn't work:\n{text}{err}");
    }

    fn check(&self) {
        self.check_on(&["httproute/checkout", "-n", "shop"]);
    }
}

#[test]
fn nothing_is_wrong() {
    let (exit, text, err) = run(&["explain", "httproute/checkout", "-n", "shop"], GOOD);
    assert_eq!((exit, err.as_str()), (Exit::Fine, ""), "{text}");
    let version = text.split("snapshot     ").nth(1).and_then(|rest| rest.get(..8)).unwrap().to_owned();
    let want = "\
HTTPRoute shop/checkout (stdin:18)

✓ attachment   infra/edge, listener http (80): shop.example.com
✓ IR           infra/edge: 1 route to 1 destination with 1 endpoint
✓ snapshot     VERSION: route configuration infra/edge/http, cluster
               httproute/shop/checkout/rule/0
? delivery     unknown, because no agent was asked
? warming      unknown, because no agent was asked
";
    assert_eq!(text.replace(&version, "VERSION"), want);
}

#[test]
fn foreign_gateway_class() {
    Fault {
        broken: &[("gateway.envoyproxy.io/gatewayclass-controller}", "example.com/other}\n---\napiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {name: ours}\nspec: {controllerName: gateway.envoyproxy.io/gatewayclass-controller}")],
        layer: "attachment",
        code: "EGX-1104",
        cause: "GatewayClass eg belongs to the controller example.com/other",
        fix: "spec.gatewayClassName: ours",
        fixed: &[("gatewayClassName: eg", "gatewayClassName: ours")],
    }
    .check();
}

#[test]
fn missing_gateway_class() {
    Fault {
        broken: &[("gatewayClassName: eg", "gatewayClassName: nginx")],
        layer: "attachment",
        code: "EGX-1105",
        cause: "asks for GatewayClass nginx, which doesn't exist",
        fix: "spec.gatewayClassName: eg",
        fixed: &[("gatewayClassName: nginx", "gatewayClassName: eg")],
    }
    .check();
}

#[test]
fn missing_gateway() {
    Fault {
        broken: &[("{name: edge, namespace: infra, sectionName", "{name: egde, namespace: infra, sectionName")],
        layer: "attachment",
        code: "EGX-1103",
        cause: "there is no Gateway infra/egde",
        fix: "did you mean edge?",
        fixed: &[("egde", "edge")],
    }
    .check();
}

#[test]
fn gateway_in_another_namespace() {
    Fault {
        broken: &[("{name: edge, namespace: infra, sectionName", "{name: edge, sectionName")],
        layer: "attachment",
        code: "EGX-1103",
        cause: "there is no Gateway shop/edge",
        fix: "spec.parentRefs[0].namespace: infra",
        fixed: &[("{name: edge, sectionName", "{name: edge, namespace: infra, sectionName")],
    }
    .check();
}

#[test]
fn wrong_section_name() {
    Fault {
        broken: &[("sectionName: http,", "sectionName: htpp,")],
        layer: "attachment",
        code: "EGX-1201",
        cause: "Gateway infra/edge has no listener htpp",
        fix: "spec.parentRefs[0].sectionName: http",
        fixed: &[("htpp", "http")],
    }
    .check();
}

#[test]
fn wrong_port() {
    Fault {
        broken: &[("sectionName: http, port: 80}", "sectionName: http, port: 8080}")],
        layer: "attachment",
        code: "EGX-1202",
        cause: "listener http of infra/edge doesn't have port 8080",
        fix: "spec.parentRefs[0].port: 80`",
        fixed: &[("sectionName: http, port: 8080}", "sectionName: http, port: 80}")],
    }
    .check();
}

#[test]
fn namespace_not_allowed() {
    Fault {
        broken: &[("{from: All}", "{from: Same}")],
        layer: "attachment",
        code: "EGX-1204",
        cause: "takes no Routes from namespace shop",
        fix: "spec.listeners[0].allowedRoutes.namespaces: {from: Selector, selector: {matchLabels: {kubernetes.io/metadata.name: shop}}}",
        fixed: &[("{from: Same}", "{from: Selector, selector: {matchLabels: {kubernetes.io/metadata.name: shop}}}")],
    }
    .check();
}

#[test]
fn namespace_not_selected() {
    Fault {
        broken: &[("{from: All}", "{from: Selector, selector: {matchLabels: {team: web}}}")],
        layer: "attachment",
        code: "EGX-1204",
        cause: "takes no Routes from namespace shop",
        fix: "label namespace shop so that it fits team=web",
        fixed: &[("{name: shop, labels: {", "{name: shop, labels: {team: web, ")],
    }
    .check();
}

#[test]
fn kind_not_allowed() {
    Fault {
        broken: &[("{namespaces: {from: All}}", "{namespaces: {from: All}, kinds: [{kind: GRPCRoute}]}")],
        layer: "attachment",
        code: "EGX-1205",
        cause: "listener http of infra/edge doesn't take the kind HTTPRoute",
        fix: "add `{kind: HTTPRoute}` to `spec.listeners[0].allowedRoutes.kinds`",
        fixed: &[("[{kind: GRPCRoute}]", "[{kind: GRPCRoute}, {kind: HTTPRoute}]")],
    }
    .check();
}

#[test]
fn hostnames_do_not_meet() {
    Fault {
        broken: &[("[shop.example.com]", "[shop.example.org]")],
        layer: "attachment",
        code: "EGX-1203",
        cause: "the Route is for shop.example.org, listener http of infra/edge for *.example.com",
        fix: "a hostname like shop.example.com",
        fixed: &[("shop.example.org", "shop.example.com")],
    }
    .check();
}

#[test]
fn listener_conflict() {
    Fault {
        broken: &[(
            "    allowedRoutes: {namespaces: {from: All}}",
            "    allowedRoutes: {namespaces: {from: All}}\n  - {name: twin, port: 80, protocol: HTTP, hostname: '*.example.com', allowedRoutes: {namespaces: {from: All}}}",
        ), ("sectionName: http,", "sectionName: twin,")],
        layer: "attachment",
        code: "EGX-1206",
        cause: "listener twin",
        fix: "give listener twin a hostname of its own",
        fixed: &[("{name: twin, port: 80, protocol: HTTP, hostname: '*.example.com'", "{name: twin, port: 80, protocol: HTTP, hostname: shop.example.com")],
    }
    .check();
}

#[test]
fn missing_certificate() {
    let key = rcgen::generate_simple_self_signed(["shop.example.com".to_owned()]).unwrap();
    let secret = serde_json::json!({
        "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls",
        "metadata": {"name": "shop-cert", "namespace": "infra"},
        "stringData": {"tls.crt": key.cert.pem(), "tls.key": key.signing_key.serialize_pem()},
    });
    let secret: &'static str =
        Box::leak(format!("---\n{secret}\n---\napiVersion: v1\nkind: Service\n").into_boxed_str());
    Fault {
        broken: &[
            (
                "    port: 80\n    protocol: HTTP\n",
                "    port: 443\n    protocol: HTTPS\n    tls: {certificateRefs: [{name: shop-cert}]}\n",
            ),
            ("sectionName: http, port: 80}", "sectionName: http, port: 443}"),
        ],
        layer: "IR",
        code: "EGX-2101",
        cause: "listener http",
        fix: "kubectl create secret tls shop-cert -n infra",
        fixed: Box::leak(vec![("---\napiVersion: v1\nkind: Service\n", secret)].into_boxed_slice()),
    }
    .check();
}

#[test]
fn missing_reference_grant_is_not_a_missing_service() {
    Fault {
        broken: &[("{name: cart, port: 8080}", "{name: cart, namespace: infra, port: 8080}"), ("{name: cart, namespace: shop}", "{name: cart, namespace: infra}"), ("{name: cart-1, namespace: shop,", "{name: cart-1, namespace: infra,")],
        layer: "attachment",
        code: "EGX-1301",
        cause: "infra",
        fix: "create a ReferenceGrant (gateway.networking.k8s.io/v1) in namespace infra",
        fixed: &[("---\napiVersion: v1\nkind: Service\n", "---\napiVersion: gateway.networking.k8s.io/v1\nkind: ReferenceGrant\nmetadata: {name: shop, namespace: infra}\nspec: {from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: shop}], to: [{group: \"\", kind: Service, name: cart}]}\n---\napiVersion: v1\nkind: Service\n")],
    }
    .check();
}

#[test]
fn missing_service() {
    Fault {
        broken: &[("{name: cart, port: 8080}", "{name: crat, port: 8080}")],
        layer: "IR",
        code: "EGX-2201",
        cause: "crat",
        fix: "did you mean Service cart?",
        fixed: &[("crat", "cart")],
    }
    .check();
}

#[test]
fn no_ready_endpoints() {
    Fault {
        broken: &[("ready: true", "ready: false")],
        layer: "IR",
        code: "EGX-2203",
        cause: "cart",
        fix: "make a pod of Service shop/cart ready",
        fixed: &[("ready: false", "ready: true")],
    }
    .check();
}

#[test]
fn no_such_object() {
    Fault {
        broken: &[("{name: checkout, namespace: shop}", "{name: chekout, namespace: shop}")],
        layer: "attachment",
        code: "EGX-9101",
        cause: "HTTPRoute shop/checkout",
        fix: "did you mean httproute/chekout -n shop?",
        fixed: &[("chekout", "checkout")],
    }
    .check();
}

#[test]
fn an_object_in_a_broken_file_is_not_just_missing() {
    let broken = changed(GOOD, &[("  hostnames: [shop.example.com]\n", "  hostnames: {shop: example}\n")]);
    let (exit, text, err) = run(&["explain", "httproute/checkout", "-n", "shop"], &broken);
    assert_eq!(exit, Exit::BadInput, "{text}{err}");
    assert!(err.contains("error: stdin:"), "{err}");
    assert!(text.contains("EGX-9102"), "{text}");
    assert!(text.contains("hostnames"), "{text}");
}

#[test]
fn a_gateway_and_its_class_are_explained_too() {
    for object in [&["gateway/edge", "-n", "infra"][..], &["gatewayclass/eg"]] {
        let mut words = vec!["explain"];
        words.extend(object);
        let (exit, text, err) = run(&words, GOOD);
        assert_eq!((exit, err.as_str()), (Exit::Fine, ""), "{text}");
        assert!(text.contains("✓ attachment") && text.contains("✓ IR") && text.contains("✓ snapshot"), "{text}");
    }
    let foreign = changed(GOOD, &[("gateway.envoyproxy.io/gatewayclass-controller", "example.com/other")]);
    let (exit, text, _) = run(&["explain", "gc", "eg"], &foreign);
    assert_eq!(exit, Exit::Problem);
    assert!(text.contains("✗ attachment   it belongs to another controller: example.com/other"), "{text}");
}

#[test]
fn status_is_one_line_an_object_worst_first() {
    let broken = changed(GOOD, &[("[shop.example.com]", "[shop.example.org]")]);
    let (exit, text, err) = run(&["status"], &broken);
    assert_eq!((exit, err.as_str()), (Exit::Problem, ""), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.first().unwrap().starts_with("KIND"), "{text}");
    let first = lines.get(1).unwrap();
    assert!(first.contains("checkout") && first.contains("✗ attachment") && first.contains("(EGX-1203)"), "{text}");
    assert_eq!(*lines.last().unwrap(), "3 objects: 2 unknown, 1 broken", "{text}");
    let foreign = changed(GOOD, &[("gateway.envoyproxy.io/gatewayclass-controller", "example.com/other")]);
    let (exit, text, err) = run(&["status"], &foreign);
    assert_eq!((exit, err.as_str()), (Exit::Fine, ""), "{text}");
    assert!(text.contains("not ours") && text.ends_with("3 objects: 3 of other controllers\n"), "{text}");
    let (exit, text, _) = run(&["status", "gateways", "-o", "name"], &broken);
    assert_eq!((exit, text.as_str()), (Exit::Fine, "gateway/edge\n"));
    let (exit, text, _) = run(&["status", "-l", "team=web"], &broken);
    assert_eq!((exit, text.as_str()), (Exit::Fine, ""));
}

/// Routes below HTTP: each on a listener of its own of one Gateway, the last one on a Service that isn't there.
const BELOW_HTTP: &str = "\
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: streams, namespace: shop}
spec:
  gatewayClassName: eg
  listeners:
  - {name: tls, port: 8443, protocol: TLS, hostname: db.example.com, tls: {mode: Passthrough}}
  - {name: tcp, port: 9000, protocol: TCP}
  - {name: udp, port: 9001, protocol: UDP}
---
apiVersion: gateway.networking.k8s.io/v1
kind: TLSRoute
metadata: {name: secret, namespace: shop}
spec:
  parentRefs: [{name: streams, sectionName: tls}]
  hostnames: [db.example.com]
  rules: [{backendRefs: [{name: cart, port: 8080}]}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: TCPRoute
metadata: {name: plain, namespace: shop}
spec:
  parentRefs: [{name: streams, sectionName: tcp}]
  rules: [{backendRefs: [{name: cart, port: 8080}]}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: UDPRoute
metadata: {name: names, namespace: shop}
spec:
  parentRefs: [{name: streams, sectionName: udp}]
  rules: [{backendRefs: [{name: nowhere, port: 53}]}]
";

#[test]
fn routes_below_http_are_explained_to_their_clusters_and_listeners() {
    let manifests = format!("{GOOD}{BELOW_HTTP}");
    for (object, listener, cluster) in [
        ("tlsroute/secret", "shop/streams/tls", "tlsroute/shop/secret/rule/-1"),
        ("tcproute/plain", "shop/streams/tcp", "tcproute/shop/plain/rule/-1"),
    ] {
        let (_, text, err) = run(&["explain", object, "-n", "shop", "-o", "json"], &manifests);
        let report: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}{err}"));
        let became = report.pointer("/became/0").unwrap_or_else(|| panic!("{text}"));
        assert_eq!(became["clusters"], serde_json::json!([cluster]), "{text}");
        let listeners = became["listeners"].as_array().unwrap();
        assert_eq!(listeners.len(), 1, "{listener}: {text}");
    }
    let (exit, text, _) = run(&["explain", "udproute/names", "-n", "shop"], &manifests);
    assert_eq!(exit, Exit::Problem, "{text}");
    assert!(text.contains("nowhere"), "{text}");
    let (_, text, err) = run(&["status", "-A"], &manifests);
    for object in ["TLSRoute", "TCPRoute", "UDPRoute"] {
        assert!(text.contains(object), "{text}{err}");
    }
}
