//! Manifests, good and bad, and what is said about them.

use super::*;
use crate::api::any_object::AnyObject;

const GOOD: &str = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: good\n";

/// (line, path, message) of each finding.
fn told(findings: &[Finding]) -> Vec<(usize, &str, &str)> {
    findings.iter().map(|finding| (finding.line, finding.path.as_str(), finding.message.as_str())).collect()
}

#[test]
fn an_unknown_field_is_a_warning_with_its_line() {
    let text = "# a comment\n---\napiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata:\n  name: r\n  namespace: shop\n\
                spec:\n  rules:\n  - backendRefs:\n    - name: a\n      prot: 80\n  colour: red\n";
    let decoded = manifests("r.yaml", text);
    assert_eq!(
        told(&decoded.warnings),
        [(12, "spec.rules[0].backendRefs[0].prot", UNKNOWN_FIELD), (13, "spec.colour", UNKNOWN_FIELD)]
    );
    assert_eq!(decoded.errors, []);
    let [object] = decoded.objects.as_slice() else { panic!() };
    assert_eq!((object.line, object.document), (3, 0));
    assert_eq!(decoded.warnings[1].to_string(), format!("r.yaml:13: HTTPRoute shop/r: spec.colour: {UNKNOWN_FIELD}"));
}

#[test]
fn a_wrong_type_is_an_error_with_its_line_and_the_others_are_used() {
    let text = format!(
        "{GOOD}---\napiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {{name: g}}\nspec:\n  \
         gatewayClassName: eg\n  listeners:\n  - name: http\n    protocol: HTTP\n    port: eighty\n---\n{GOOD}"
    );
    let decoded = manifests("g.yaml", &text);
    let [error] = decoded.errors.as_slice() else { panic!("{:?}", decoded.errors) };
    assert_eq!((error.line, error.document, error.path.as_str()), (14, 1, "spec.listeners[0].port"));
    assert_eq!(error.message, "must be a whole number in its range, not string \"eighty\"");
    assert_eq!(error.object.as_deref(), Some("Gateway g"));
    assert_eq!(decoded.objects.len(), 2);
    assert_eq!(decoded.objects[1].document, 2);
}

#[test]
fn kinds_that_are_not_read_say_why() {
    let object = |api_version: &str, kind: &str| {
        format!("apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: x}}\n---\n")
    };
    let text = [
        object("gateway.networking.k8s.io/v1", "GRPCRoute"),
        object("apps/v1", "Deployment"),
        object("example.com/v1", "Thing"),
        object("gateway.networking.k8s.io/v1alpha9", "HTTPRoute"),
        object("networking.k8s.io/v1", "Gateway"),
    ]
    .concat();
    let decoded = manifests("k.yaml", &text);
    let messages: Vec<_> = decoded.warnings.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "GRPCRoute is not supported yet, so the object is ignored",
            "Deployment is a kind the gateway has no use for, so the object is ignored",
            "unknown kind Thing of \"example.com/v1\", so the object is ignored",
            "HTTPRoute is not read in version \"v1alpha9\", so the object is ignored; write it in v1 or v1beta1",
            "Gateway of \"networking.k8s.io/v1\" is not read, so the object is ignored; did you mean apiVersion \
             gateway.networking.k8s.io/v1?",
        ]
    );
    assert!(decoded.errors.is_empty() && decoded.objects.is_empty());
}

#[test]
fn text_that_is_not_yaml_stops_only_its_document() {
    let decoded = manifests("b.yaml", &format!("{GOOD}---\na: [1,\nb: }}\n---\n{GOOD}---\njust text\n"));
    assert_eq!(decoded.objects.len(), 2);
    assert_eq!(decoded.errors.len(), 2);
    assert!(decoded.errors[0].message.starts_with("not YAML: "), "{}", decoded.errors[0]);
    assert_eq!(decoded.errors[0].line, 7);
    assert_eq!(decoded.errors[1].line, 13);
}

#[test]
fn binary_and_empty_files() {
    let decoded = bytes("x.png", b"\x89PNG\n\x00");
    assert_eq!(told(&decoded.errors), [(2, "", "this is a binary file, not a manifest: it has a zero byte here")]);
    assert_eq!(bytes("latin.yaml", b"a: b\nc: \xe9\n").errors[0].line, 2);
    assert_eq!(told(&bytes("e.yaml", b"").warnings), [(1, "", "the file holds no objects")]);
}

#[test]
fn lists_and_json() {
    let text = r#"{"apiVersion":"v1","kind":"List","items":[
	{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"data":{"k":"dg=="}},
	{"apiVersion":"v1","kind":"Secret","metadata":{"name":"b"},"data":{"k":"?"}},
	{"apiVersion":"v1","kind":"ServiceList","items":[{"metadata":{"name":"s"},"spec":{"color":1}}]}
]}"#;
    let decoded = manifests("l.json", text);
    assert_eq!(decoded.objects.len(), 2, "{:?}", decoded.errors);
    assert!(matches!(&decoded.objects[0].object, AnyObject::Secret(secret) if secret.value("k") == Some(b"v")));
    assert_eq!(told(&decoded.warnings), [(4, "items[2].items[0].spec.color", UNKNOWN_FIELD)]);
    let [error] = decoded.errors.as_slice() else { panic!() };
    assert_eq!((error.line, error.path.as_str()), (3, "items[1].data.k"));
}

#[test]
fn what_an_api_server_shows_is_read_without_a_word() {
    let text = "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata:\n  name: g\n  creationTimestamp: null\n  \
                managedFields:\n  - manager: kubectl\nspec:\n  gatewayClassName: eg\n  listeners: null\n";
    let decoded = manifests("g.yaml", text);
    assert!(decoded.warnings.is_empty() && decoded.errors.is_empty(), "{decoded:?}");
    assert_eq!(decoded.objects.len(), 1);
}

#[test]
fn amounts_may_be_bare_numbers() {
    let text = "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: EnvoyProxy\nmetadata: {name: p}\nspec:\n  provider:\n    \
                type: Kubernetes\n    kubernetes:\n      envoyDeployment:\n        container:\n          resources:\n            \
                limits: {cpu: 2, memory: 1Gi}\n        patch: {value: {spec: {replicas: null}}}\n";
    let decoded = manifests("p.yaml", text);
    assert!(decoded.warnings.is_empty() && decoded.errors.is_empty(), "{decoded:?}");
    let json = decoded.objects[0].object.manifest().unwrap();
    let deployment = &json["spec"]["provider"]["kubernetes"]["envoyDeployment"];
    assert_eq!(deployment["container"]["resources"]["limits"]["cpu"], "2");
    assert_eq!(deployment["patch"]["value"]["spec"], serde_json::json!({"replicas": null}));
}

#[test]
fn an_alias_bomb_is_refused() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let above = format!("*a{}, ", level - 1).repeat(10);
        text.push_str(&format!("a{level}: &a{level} [{above}]\n"));
    }
    let decoded = manifests("bomb.yaml", &text);
    assert!(decoded.errors[0].message.contains("repetition limit"), "{:?}", decoded.errors);
}

#[test]
fn ten_thousand_documents() {
    let mut text = String::new();
    for index in 0..10_000 {
        text.push_str(&format!("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: n{index}\n  odd: 1\n---\n"));
    }
    let decoded = manifests("many.yaml", &text);
    assert_eq!(decoded.objects.len(), 10_000);
    assert_eq!(decoded.warnings.len(), 10_000);
    assert_eq!((decoded.warnings[9_999].line, decoded.warnings[9_999].document), (9_999 * 6 + 5, 9_999));
}

#[test]
fn a_number_where_text_belongs_is_read_as_text_with_a_warning() {
    let text =
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: s\n  labels: {app.kubernetes.io/version: 2, live: true}\n";
    let decoded = manifests("s.yaml", text);
    assert_eq!(
        told(&decoded.warnings),
        [(5, "metadata.labels.app.kubernetes.io/version", UNQUOTED), (5, "metadata.labels.live", UNQUOTED)]
    );
    assert_eq!(decoded.objects[0].object.metadata().labels.get("app.kubernetes.io/version"), Some("2"));
}

#[test]
fn a_field_with_a_capital_is_read_as_what_it_means_with_a_warning() {
    let text = "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: Backend\nmetadata: {name: b, namespace: n}\nspec:\n  \
                AppProtocols: [gateway.envoyproxy.io/h2c]\n  Nonsense: 1\n";
    let decoded = manifests("b.yaml", text);
    assert_eq!(told(&decoded.warnings), [(6, "spec.Nonsense", UNKNOWN_FIELD), (5, "spec.AppProtocols", CAPITALIZED)]);
    let json = decoded.objects[0].object.manifest().unwrap();
    assert_eq!(json["spec"]["appProtocols"][0], "gateway.envoyproxy.io/h2c");
}
