//! Properties of the whole pipeline: an incremental result equals one from an empty cache, the order of the inputs
//! changes nothing, and one broken object leaves the others alone.
#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a test that can't go on has failed")]

use std::sync::LazyLock;

use gateway_shared::api::any_object::AnyObject;
use gateway_shared::config::Config;
use gateway_shared::pipeline::{self, Cache, Outcome};
use gateway_shared::resources::{Resources, decode};
use gateway_tests::certificates::{Authority, Pair, secret};
use proptest::prelude::*;
use proptest::sample::Index;

/// One of a small universe of objects, in one of several variants, so that histories collide often.
#[derive(Clone, Debug)]
struct Change {
    object: u8,
    variant: u8,
    remove: bool,
}

fn change() -> impl Strategy<Value = Change> {
    (0..OBJECTS, any::<u8>(), prop::bool::weighted(0.25)).prop_map(|(object, variant, remove)| Change {
        object,
        variant,
        remove,
    })
}

const OBJECTS: u8 = 39;

/// Two certificates with their keys; the same ones as long as the process runs.
static PAIRS: LazyLock<[Pair; 2]> =
    LazyLock::new(|| ["shop.example.com", "a.example.com"].map(|host| Authority::new().certificate(host)));

/// Settings under which everything in the universe is looked at.
fn config() -> Config {
    Config { backend_enabled: true, ..Config::default() }
}

/// The object `number` of the universe in one of its variants.
fn object(number: u8, variant: u8) -> AnyObject {
    let v = usize::from(variant);
    let pick = |choices: &[&'static str], shift: usize| choices[(v >> shift) % choices.len()];
    let text = match number {
        0 => format!(
            r#"{{"apiVersion":"gateway.networking.k8s.io/v1","kind":"GatewayClass","metadata":{{"name":"eg"}},"spec":{{"controllerName":"{}"{}}}}}"#,
            pick(
                &[
                    "gateway.envoyproxy.io/gatewayclass-controller",
                    "gateway.envoyproxy.io/gatewayclass-controller",
                    "example.com/other"
                ],
                0
            ),
            pick(
                &[
                    "",
                    "",
                    r#","parametersRef":{"group":"gateway.envoyproxy.io","kind":"EnvoyProxy","name":"settings","namespace":"infra"}"#
                ],
                1
            ),
        ),
        1 | 2 => format!(
            r#"{{"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway","metadata":{{"name":"gw{number}","namespace":"infra","generation":{v}}},"spec":{{"gatewayClassName":"{}","listeners":[{{"name":"a","protocol":"HTTP","port":{},"hostname":"{}","allowedRoutes":{{"namespaces":{}}}}},{{"name":"b","protocol":"{}","port":8080}},{{"name":"c","protocol":"TLS","port":8443,"hostname":"*.example.com","tls":{{"mode":"Passthrough"}},"allowedRoutes":{{"namespaces":{{"from":"All"}}}}}},{{"name":"d","protocol":"{}","port":5353,"allowedRoutes":{{"namespaces":{{"from":"All"}}}}}},{{"name":"e","protocol":"HTTPS","port":9443,"hostname":"{}","tls":{{"certificateRefs":[{}]}},"allowedRoutes":{{"namespaces":{{"from":"All"}}}}}}]{}}}}}"#,
            pick(&["eg", "eg", "eg", "absent"], 0),
            pick(&["80", "80", "8080"], 2),
            pick(&["*.example.com", "shop.example.com", "*"], 3),
            pick(
                &[
                    r#"{"from":"All"}"#,
                    r#"{"from":"Same"}"#,
                    r#"{"from":"Selector","selector":{"matchLabels":{"team":"x"}}}"#
                ],
                4
            ),
            pick(&["HTTP", "HTTP", "TCP", "BOGUS"], 5),
            pick(&["TCP", "UDP"], 6),
            pick(&["*", "shop.example.com"], 7),
            pick(&[r#"{"name":"one"}"#, r#"{"name":"one"},{"name":"two"}"#, r#"{"name":"two","namespace":"apps"}"#], 1),
            pick(
                &[
                    "",
                    r#","infrastructure":{"parametersRef":{"group":"gateway.envoyproxy.io","kind":"EnvoyProxy","name":"settings"}}"#
                ],
                1
            ),
        ),
        3..=10 => format!(
            r#"{{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{{"name":"r{number}","namespace":"{}"{}}},"spec":{{"parentRefs":[{{"name":"gw{}","namespace":"infra"{}}}],{}"rules":[{{"matches":[{{"path":{{"type":"{}","value":"/{}"}}{}}}]{},"backendRefs":[{{"name":"s{}","port":80{}}}]}}]}}}}"#,
            pick(&["apps", "infra"], 0),
            pick(&["", r#","creationTimestamp":"2026-01-01T00:00:00Z""#], 1),
            1 + v % 2,
            pick(&["", r#","sectionName":"a""#, r#","sectionName":"zzz""#, r#","port":8080"#], 2),
            pick(
                &[
                    "",
                    r#""hostnames":["shop.example.com"],"#,
                    r#""hostnames":["a.example.com","b.example.com"],"#,
                    r#""hostnames":["other.org"],"#
                ],
                3
            ),
            pick(&["PathPrefix", "Exact", "RegularExpression"], 4),
            pick(&["", "a", "a(", "b/c"], 5),
            pick(&["", r#","headers":[{"name":"x","value":"1"}]"#], 6),
            pick(
                &[
                    "",
                    r#","filters":[{"type":"RequestRedirect","requestRedirect":{"scheme":"https"}}]"#,
                    r#","filters":[{"type":"RequestMirror","requestMirror":{"backendRef":{"name":"s1","port":80}}}]"#
                ],
                7
            ),
            v % 3,
            pick(&["", r#","namespace":"infra""#, r#","weight":0"#], 1),
        ),
        11..=16 => format!(
            r#"{{"apiVersion":"v1","kind":"Service","metadata":{{"name":"s{}","namespace":"{}"}},"spec":{{"type":"{}","clusterIP":"{}","ports":[{{"name":"http","port":{},"targetPort":8080,"protocol":"TCP"}}]}}}}"#,
            (number - 11) % 3,
            if number < 14 { "apps" } else { "infra" },
            pick(&["ClusterIP", "ClusterIP", "ExternalName"], 0),
            pick(&["10.0.0.1", "None"], 2),
            pick(&["80", "80", "81"], 3),
        ),
        17..=20 => format!(
            r#"{{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{{"name":"s{number}","namespace":"{}","labels":{{"kubernetes.io/service-name":"s{}"}}}},"addressType":"IPv4","ports":[{{"name":"http","port":8080,"protocol":"TCP"}}],"endpoints":[{{"addresses":["10.1.{number}.{variant}"],"conditions":{{"ready":{}}}}}]}}"#,
            if number < 19 { "apps" } else { "infra" },
            v % 3,
            v % 4 != 0,
        ),
        21 => format!(
            r#"{{"apiVersion":"gateway.networking.k8s.io/v1","kind":"ReferenceGrant","metadata":{{"name":"g","namespace":"infra"}},"spec":{{"from":[{{"group":"gateway.networking.k8s.io","kind":"HTTPRoute","namespace":"{}"}}],"to":[{{"group":"","kind":"Service"}}]}}}}"#,
            pick(&["apps", "infra"], 0)
        ),
        22 => format!(
            r#"{{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"apps","labels":{{"team":"{}"}}}}}}"#,
            pick(&["x", "y"], 0)
        ),
        23 => r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"infra"}}"#.to_owned(),
        30 | 31 => {
            let [first, second] = &*PAIRS;
            let pair = match v % 4 {
                0 | 1 => first.clone(),
                2 => second.clone(),
                _ => Pair { certificate: second.certificate.clone(), key: first.key.clone() },
            };
            secret(pick(&["infra", "apps"], 2), if number == 30 { "one" } else { "two" }, &pair)
        }
        32 => format!(
            "{{apiVersion: gateway.envoyproxy.io/v1alpha1, kind: EnvoyProxy, metadata: {{name: settings, namespace: infra}}, spec: {{routingType: {}, mergeGateways: {}}}}}",
            pick(&["Endpoint", "Service"], 0),
            pick(&["false", "true"], 1),
        ),
        33 => format!(
            "{{apiVersion: gateway.envoyproxy.io/v1alpha1, kind: Backend, metadata: {{name: outside, namespace: apps}}, spec: {{endpoints: [{}]}}}}",
            pick(
                &[
                    "{ip: {address: 192.0.2.1, port: 80}}",
                    "{fqdn: {hostname: outside.example.com, port: 80}}",
                    "{unix: {path: /run/outside.sock}}"
                ],
                0
            ),
        ),
        34 => format!(
            "{{apiVersion: multicluster.x-k8s.io/v1alpha1, kind: ServiceImport, metadata: {{name: far, namespace: apps}}, spec: {{type: {}, ips: [10.9.0.1], ports: [{{name: http, port: 80, protocol: TCP}}]}}}}",
            pick(&["ClusterSetIP", "Headless"], 0),
        ),
        35 => format!(
            "{{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {{name: far, namespace: apps, labels: {{multicluster.kubernetes.io/service-name: far}}}}, addressType: {}, ports: [{{name: http, port: 8080, protocol: TCP}}], endpoints: [{{addresses: [{}]}}]}}",
            pick(&["IPv4", "FQDN"], 0),
            pick(&["10.2.0.1", "far.example.com"], 0),
        ),
        36 => format!(
            "{{apiVersion: gateway.networking.k8s.io/v1, kind: ReferenceGrant, metadata: {{name: secrets, namespace: apps}}, spec: {{from: [{{group: gateway.networking.k8s.io, kind: Gateway, namespace: {}}}], to: [{{group: '', kind: Secret{}}}]}}}}",
            pick(&["infra", "apps"], 0),
            pick(&["", ", name: one"], 1),
        ),
        37 | 38 => format!(
            "{{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {{name: b{number}, namespace: apps}}, spec: {{parentRefs: [{{name: gw1, namespace: infra}}, {{name: gw2, namespace: infra}}], hostnames: [shop.example.com], rules: [{{backendRefs: [{}{}]{}}}]}}}}",
            pick(
                &[
                    "{group: gateway.envoyproxy.io, kind: Backend, name: outside}",
                    "{group: multicluster.x-k8s.io, kind: ServiceImport, name: far, port: 80}"
                ],
                0
            ),
            pick(&["", ", {name: s0, port: 80, weight: 3}"], 1),
            pick(
                &[
                    "",
                    ", timeouts: {request: 1s}",
                    ", retry: {attempts: 2}",
                    ", sessionPersistence: {sessionName: a}",
                    ", filters: [{type: CORS, cors: {allowOrigins: ['*']}}]"
                ],
                2
            ),
        ),
        _ => format!(
            r#"{{"apiVersion":"gateway.networking.k8s.io/v1","kind":"{}","metadata":{{"name":"l{number}","namespace":"{}"{}}},"spec":{{"parentRefs":[{{"name":"gw{}","namespace":"infra"{}}}],{}"rules":[{{"backendRefs":[{{"name":"s{}","port":80{}}}]}}{}]}}}}"#,
            ["TLSRoute", "TCPRoute", "UDPRoute"][usize::from(number) % 3],
            pick(&["apps", "infra"], 0),
            pick(&["", r#","creationTimestamp":"2026-01-01T00:00:00Z""#], 1),
            1 + v % 2,
            pick(&["", "", r#","sectionName":"c""#, r#","port":5353"#], 2),
            if number.is_multiple_of(3) { r#""hostnames":["shop.example.com","other.org"],"# } else { "" },
            v % 3,
            pick(&["", r#","namespace":"infra""#, r#","weight":0"#], 3),
            pick(&["", "", "", r#",{"backendRefs":[{"name":"s0","port":80}]}"#], 5),
        ),
    };
    let decoded = decode::manifests("universe", &text);
    assert!(decoded.errors.is_empty(), "{:?}", decoded.errors);
    decoded.objects.into_iter().next().map(|decoded| decoded.object).expect("one object")
}

/// Everything a consumer can see of an outcome.
fn visible(outcome: &Outcome) -> String {
    let mut text = format!("{:#?}\n", outcome.translation);
    for (key, snapshot) in &outcome.snapshots {
        text.push_str(&format!("{key}: {:#?}\n{:#?}\n{:#?}\n", snapshot.table, snapshot.problems, snapshot.held_back));
    }
    text
}

fn fresh(resources: &Resources) -> Outcome {
    pipeline::run(resources, &config(), &mut Cache::default())
}

fn start() -> Vec<AnyObject> {
    (0..OBJECTS).map(|number| object(number, 0)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_incremental_result_equals_one_from_an_empty_cache(changes in prop::collection::vec(change(), 1..20)) {
        let config = config();
        let mut resources: Resources = start().into_iter().collect();
        let mut cache = Cache::default();
        let _ = pipeline::run(&resources, &config, &mut cache);
        for change in changes {
            let object = object(change.object, change.variant);
            if change.remove { resources.remove(&object) } else { resources.insert(object) }
            let incremental = pipeline::run(&resources, &config, &mut cache);
            prop_assert_eq!(visible(&incremental), visible(&fresh(&resources)));
        }
    }

    #[test]
    fn the_order_of_the_inputs_changes_no_byte(
        variants in prop::collection::vec(any::<u8>(), usize::from(OBJECTS)),
        order in prop::collection::vec(any::<Index>(), usize::from(OBJECTS)),
    ) {
        let objects: Vec<AnyObject> = (0..OBJECTS).zip(variants).map(|(number, variant)| object(number, variant)).collect();
        // Two variants of a route differ in namespace and may be two objects; each (kind, key) stands once here.
        let mut shuffled = objects.clone();
        for (at, index) in order.iter().enumerate() {
            let other = index.index(shuffled.len());
            shuffled.swap(at, other);
        }
        let a: Resources = objects.into_iter().collect();
        let b: Resources = shuffled.into_iter().collect();
        prop_assert_eq!(visible(&fresh(&a)), visible(&fresh(&b)));
    }
}

#[test]
fn one_broken_object_leaves_fifty_good_ones_serving() {
    let mut objects = start();
    for number in 0..50 {
        let text = format!(
            r#"{{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{{"name":"good{number}","namespace":"infra"}},"spec":{{"parentRefs":[{{"name":"gw1"}}],"hostnames":["good{number}.example.com"],"rules":[{{"backendRefs":[{{"name":"s0","port":80}}]}}]}}}}"#
        );
        objects.extend(decode::manifests("good", &text).objects.into_iter().map(|decoded| decoded.object));
    }
    let broken = [
        r#"{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{"name":"broken","namespace":"infra"},"spec":{"parentRefs":[{"name":"gw1"}],"rules":[{"matches":[{"path":{"type":"RegularExpression","value":"a("}}],"backendRefs":[{"name":"s0","port":80}]}]}}"#,
        r#"{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{"name":"broken","namespace":"infra"},"spec":{"parentRefs":[{"name":"gw1"}],"hostnames":["not a host name"],"rules":[{"filters":[{"type":"URLRewrite","urlRewrite":{"path":{"type":"ReplacePrefixMatch"}}}]}]}}"#,
        r#"{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{"name":"broken","namespace":"infra"},"spec":{"parentRefs":[{"name":"gw1"}],"rules":[{"timeouts":{"request":"forever"},"backendRefs":[{"name":"nowhere"}]}]}}"#,
    ];
    for text in broken {
        let mut with_broken = objects.clone();
        with_broken.extend(decode::manifests("broken", text).objects.into_iter().map(|decoded| decoded.object));
        let resources: Resources = with_broken.into_iter().collect();
        let outcome = fresh(&resources);
        let snapshot = outcome.snapshots.get("infra/gw1").expect("the Gateway has a fleet");
        assert!(snapshot.held_back.is_none(), "held back because of {text}");
        let clusters: Vec<&str> = snapshot
            .table
            .of(gateway_shared::xds::table::ResourceType::Cluster)
            .iter()
            .map(|cluster| &*cluster.name)
            .collect();
        for number in 0..50 {
            let name = format!("httproute/infra/good{number}/rule/0");
            assert!(clusters.contains(&name.as_str()), "{name} is not served beside {text}");
        }
    }
}
