//! Tests of the checks: facts in, words out.

use std::collections::BTreeMap;

use gateway_shared::install::configuration::ConfigFile;
use gateway_shared::install::options::{DEFAULT_INSTANCE, NamespaceMode, Values};
use gateway_shared::install::{self, CONFIG_KEY, CONFIG_MAP, InstallKind, MANAGED_BY, MANAGER, Step};
use serde_json::json;

use super::*;
use crate::args::install::Channel;
use crate::installation::facts::{Class, ControlPlane, Definition, Unusable, key};
use crate::installation::gateway_api::Source;
use crate::installation::rights::Right;

const NAMESPACE: &str = "envoy-gateway-system";

fn options() -> Options {
    Options {
        namespace: NAMESPACE.to_owned(),
        instance: DEFAULT_INSTANCE.to_owned(),
        version: "v1.0.0".to_owned(),
        config: ConfigFile::default(),
        values: Values { gateway_class: Some("eg".to_owned()), ..Values::default() },
        autoscaled: false,
    }
}

fn empty() -> Facts {
    Facts {
        server: "v1.34.1".to_owned(),
        may_escalate: true,
        control_planes: Some(Vec::new()),
        definitions: Some(BTreeMap::new()),
        ..Facts::default()
    }
}

/// All kinds of a release of the Gateway API.
fn gateway_api(bundle: &str, kinds: &[&str]) -> BTreeMap<String, Definition> {
    let definition = Definition {
        bundle: Some(bundle.to_owned()),
        channel: Some("standard".to_owned()),
        stored: vec!["v1".to_owned()],
        ..Definition::default()
    };
    kinds.iter().map(|kind| (format!("{kind}.gateway.networking.k8s.io"), definition.clone())).collect()
}

const ALL: &[&str] = &[
    "gatewayclasses",
    "gateways",
    "httproutes",
    "grpcroutes",
    "tlsroutes",
    "tcproutes",
    "udproutes",
    "listenersets",
    "backendtlspolicies",
    "referencegrants",
];

#[derive(Default)]
struct Ask {
    mode: Option<NamespaceMode>,
    take_over: bool,
    upgrade: bool,
    replace_crds: bool,
    bundle: Option<Bundle>,
    kept_image: Option<&'static str>,
}

fn told(facts: &Facts, ask: Ask) -> Vec<String> {
    let mut options = options();
    options.values.namespace_mode = ask.mode;
    options.config = options.config.with(&options.values);
    let objects = install::render(&options);
    let bundle = ask.bundle.unwrap_or(Bundle { source: Source::Release(Channel::Experimental), objects: Vec::new() });
    let plan = Plan {
        options: &options,
        objects: &objects,
        bundle: &bundle,
        take_over: ask.take_over,
        upgrade: ask.upgrade,
        replace_crds: ask.replace_crds,
        kept_image: ask.kept_image,
    };
    all(facts, &plan)
        .into_iter()
        .map(|Check { mark, text, fix }| {
            let word = match mark {
                Mark::Yes => "good",
                Mark::Warning => "doubtful",
                Mark::No => "bad",
                Mark::Unknown => "unknown",
                other => panic!("{other:?}"),
            };
            assert_eq!(mark == Mark::Yes, fix.is_none(), "whatever isn't good says what to do: {text}");
            format!("{word}: {text}: {}", fix.unwrap_or_default())
        })
        .collect()
}

#[track_caller]
fn says(facts: &Facts, ask: Ask, words: &str) {
    let told = told(facts, ask);
    assert!(told.iter().any(|line| line.starts_with(words)), "{words}\nnot in {told:#?}");
}

#[test]
fn an_empty_cluster_is_all_good() {
    let told = told(&empty(), Ask::default());
    assert!(told.iter().all(|line| line.starts_with("good: ")), "{told:#?}");
    assert!(told.iter().any(|line| line.contains("Kubernetes 1.34, you may create all")), "{told:#?}");
}

#[test]
fn an_old_server_is_refused_and_an_untested_one_doubted() {
    let server = |version: &str| Facts { server: version.to_owned(), ..empty() };
    says(&server("v1.28.3"), Ask::default(), "bad: Kubernetes 1.28.3 is too old");
    says(&server("v1.31.0"), Ask::default(), "doubtful: Kubernetes 1.31.0");
    says(&server("v1.40.0"), Ask::default(), "doubtful: Kubernetes 1.40.0");
    says(&server("dev"), Ask::default(), "doubtful: Kubernetes calls its version `dev`");
}

#[test]
fn missing_rights_are_told_by_resource_and_place() {
    let right = |verb| Right { verb, group: "apps", resource: "deployments", namespace: Some("gw".to_owned()) };
    let facts = Facts { denied: vec![right("create"), right("patch")], ..empty() };
    says(
        &facts,
        Ask::default(),
        "bad: you may not create, patch deployments.apps in namespace gw: ask an administrator",
    );
    says(&Facts { definitions: None, ..empty() }, Ask::default(), "unknown: unknown whether Gateway API is installed");
    says(&Facts { may_escalate: false, ..empty() }, Ask::default(), "doubtful: you may make roles only of rights");
}

#[test]
fn the_gateway_api_is_kept_and_its_version_told() {
    let with = |definitions| Facts { definitions: Some(definitions), ..empty() };
    says(&with(gateway_api("v1.6.1", ALL)), Ask::default(), "good: Gateway API 1.6.1 standard is installed");
    says(&with(gateway_api("v1.7.0", ALL)), Ask::default(), "good: Gateway API 1.7.0 standard is installed");
    says(&with(gateway_api("v1.5.1", ALL)), Ask::default(), "doubtful: Gateway API 1.5.1 standard is installed, older");
    let some: Vec<&str> = ALL.iter().copied().filter(|kind| !["tcproutes", "udproutes"].contains(kind)).collect();
    says(
        &with(gateway_api("v1.5.1", &some)),
        Ask::default(),
        "doubtful: Gateway API 1.5.1 standard is installed, without TCPRoute, UDPRoute: it will be kept",
    );
    says(
        &with(gateway_api("v1.5.1", &["httproutes"])),
        Ask::default(),
        "bad: Gateway API 1.5.1 standard is installed, but without gatewayclasses",
    );
    let none = Bundle { source: Source::None, objects: Vec::new() };
    says(
        &empty(),
        Ask { bundle: Some(none), ..Ask::default() },
        "bad: Gateway API is not installed, and --gateway-api-crds=none",
    );
}

#[test]
fn a_named_release_never_goes_back_nor_forgets_stored_objects() {
    let definition = InstallObject::new(
        Step::Definitions,
        InstallKind::CustomResourceDefinition,
        json!({
            "metadata": {
                "name": "gateways.gateway.networking.k8s.io",
                "annotations": { "gateway.networking.k8s.io/bundle-version": "v1.6.1" },
            },
            "spec": { "versions": [{ "name": "v1" }] },
        }),
    );
    let named = || Some(Bundle { source: Source::File("crds.yaml".to_owned()), objects: vec![definition.clone()] });
    let with = |definitions| Facts { definitions: Some(definitions), ..empty() };
    let ask = || Ask { bundle: named(), ..Ask::default() };
    says(
        &with(gateway_api("v1.7.0", ALL)),
        ask(),
        "bad: Gateway API 1.7.0 standard is installed, newer than 1.6.1 of crds.yaml",
    );
    says(
        &with(gateway_api("v1.5.0", ALL)),
        ask(),
        "good: Gateway API 1.5.0 standard is installed will be replaced by 1.6.1",
    );
    let mut old = gateway_api("v1.5.0", ALL);
    old.get_mut("gateways.gateway.networking.k8s.io").unwrap().stored = vec!["v1alpha2".to_owned(), "v1".to_owned()];
    says(&with(old), ask(), "bad: objects of gateways.gateway.networking.k8s.io are stored as v1alpha2");
}

#[test]
fn our_definitions_are_kept_when_somebody_else_made_them() {
    let definition = |managed_by: Option<&str>, version: Option<&str>| Definition {
        managed_by: managed_by.map(str::to_owned),
        version: version.map(str::to_owned),
        ..Definition::default()
    };
    let with = |one: Definition| {
        let name = "backends.gateway.envoyproxy.io".to_owned();
        Facts { definitions: Some(BTreeMap::from([(name, one)])), ..empty() }
    };
    says(
        &with(definition(None, None)),
        Ask::default(),
        "doubtful: 1 definitions of gateway.envoyproxy.io are somebody else's",
    );
    let replaced = told(&with(definition(None, None)), Ask { replace_crds: true, ..Ask::default() });
    assert!(!replaced.iter().any(|line| line.contains("somebody else's")), "{replaced:#?}");
    says(
        &with(definition(Some(MANAGER), Some("v1.1.0"))),
        Ask::default(),
        "bad: backends.gateway.envoyproxy.io is of v1.1.0, newer than this program",
    );
}

fn plane(namespace: &str, managed_by: &str, version: Option<&str>) -> ControlPlane {
    ControlPlane {
        namespace: namespace.to_owned(),
        managed_by: Some(managed_by.to_owned()),
        version: version.map(str::to_owned),
        image: "docker.io/envoyproxy/gateway:v1.9.0".to_owned(),
        selector: BTreeMap::from([("control-plane".to_owned(), "envoy-gateway".to_owned())]),
        controller_name: Some("gateway.envoyproxy.io/gatewayclass-controller".to_owned()),
    }
}

#[test]
fn another_controller_of_our_name_is_refused() {
    let with = |planes| Facts { control_planes: Some(planes), ..empty() };
    says(
        &with(vec![plane("other", "Helm", Some("v1.9.0"))]),
        Ask::default(),
        "bad: docker.io/envoyproxy/gateway:v1.9.0 in namespace other answers to",
    );
    let mut differs = plane("other", "Helm", None);
    differs.controller_name = Some("example.com/other".to_owned());
    says(&with(vec![differs]), Ask::default(), "good: no other controller answers to");
    says(&Facts { control_planes: None, ..empty() }, Ask::default(), "doubtful: you may not list Deployments");
    let class = Class {
        name: "eg".to_owned(),
        controller_name: "gateway.envoyproxy.io/gatewayclass-controller".to_owned(),
        accepted: true,
    };
    says(&Facts { classes: vec![class], ..empty() }, Ask::default(), "doubtful: somebody accepted GatewayClass eg");
}

#[test]
fn an_envoy_gateway_in_our_place_is_only_replaced_when_asked() {
    let with = |plane| Facts { control_planes: Some(vec![plane]), ..empty() };
    let take_over = || Ask { take_over: true, ..Ask::default() };
    let helm = |version| with(plane(NAMESPACE, "Helm", version));
    says(&helm(Some("v1.9.0")), Ask::default(), "bad: Envoy Gateway v1.9.0 (docker.io");
    says(&helm(Some("v1.9.2")), take_over(), "good: Envoy Gateway v1.9.2 will be replaced");
    says(&helm(Some("v1.7.0")), take_over(), "bad: Envoy Gateway v1.7.0 runs, and only 1.9");
    says(
        &helm(None),
        take_over(),
        "doubtful: docker.io/envoyproxy/gateway:v1.9.0 (installed by Helm) doesn't say its version",
    );
    let mut custom = plane(NAMESPACE, "Helm", Some("v1.9.0"));
    custom.selector.insert("team".to_owned(), "x".to_owned());
    says(&with(custom), take_over(), "bad: its Deployment finds its pods by a label we don't set: team");
    says(&empty(), take_over(), "bad: there is no Envoy Gateway to take over");
}

#[test]
fn our_own_agent_is_changed_in_place_and_never_taken_back() {
    let with = |version| Facts { control_planes: Some(vec![plane(NAMESPACE, MANAGER, Some(version))]), ..empty() };
    says(&with("v1.0.0"), Ask::default(), "good: the agent is there already, v1.0.0");
    says(&with("v0.9.0"), Ask::default(), "bad: the agent is there already, v0.9.0: kubectl gateway upgrade");
    says(&with("v0.9.0"), Ask { upgrade: true, ..Ask::default() }, "good: the agent is there already, v0.9.0");
    says(&with("v1.1.0"), Ask { upgrade: true, ..Ask::default() }, "bad: the agent is v1.1.0, newer than this program");
}

#[test]
fn objects_of_others_are_not_touched() {
    let service = install::render(&options()).into_iter().find(|object| object.kind == InstallKind::Service).unwrap();
    let mut facts = empty();
    let there = json!({ "metadata": { "labels": { "app.kubernetes.io/managed-by": "Helm" } } });
    facts.there.insert(key(&service), there);
    says(&facts, Ask::default(), "bad: Service envoy-gateway-system/envoy-gateway is somebody else's");
    let told = told(&facts, Ask { take_over: true, ..Ask::default() });
    assert!(!told.iter().any(|line| line.contains("somebody else's")), "{told:#?}");
    let class = Class { name: "eg".to_owned(), controller_name: "example.com/x".to_owned(), accepted: false };
    says(&Facts { classes: vec![class], ..empty() }, Ask::default(), "bad: GatewayClass eg is example.com/x's");
}

#[test]
fn proxies_the_agent_may_not_touch_any_more_are_told() {
    let there = |mode| {
        let config = ConfigFile::default().with(&Values { namespace_mode: Some(mode), ..Values::default() });
        let config_map =
            json!({ "metadata": { "labels": { MANAGED_BY: MANAGER } }, "data": { CONFIG_KEY: config.text } });
        let key = (InstallKind::ConfigMap, Some(NAMESPACE.to_owned()), CONFIG_MAP.to_owned());
        Facts { there: BTreeMap::from([(key, config_map)]), ..empty() }
    };
    let (beside, together) = (NamespaceMode::GatewayNamespace, NamespaceMode::ControllerNamespace);
    let asking = |mode| Ask { mode: Some(mode), ..Ask::default() };
    says(&there(beside), asking(together), "doubtful: proxies in the namespaces of their Gateways stay as they are");
    says(&there(together), asking(beside), "doubtful: proxies move into the namespaces");
    for (facts, mode) in [(empty(), beside), (there(beside), beside), (there(together), together)] {
        assert!(!told(&facts, asking(mode)).iter().any(|line| line.contains("proxies")), "{mode:?}");
    }
}

#[test]
fn an_image_of_another_version_does_not_stay_unsaid() {
    let deployment =
        install::render(&options()).into_iter().find(|object| object.kind == InstallKind::Deployment).unwrap();
    let with = |version: &str| {
        let labels = json!({ MANAGED_BY: MANAGER, install::VERSION: version });
        let there = json!({ "metadata": { "namespace": NAMESPACE, "labels": labels } });
        Facts { there: BTreeMap::from([(key(&deployment), there)]), ..empty() }
    };
    let ask = || Ask { kept_image: Some("reg.example/a:v0.9.0"), upgrade: true, ..Ask::default() };
    says(&with("v0.9.0"), ask(), "bad: image reg.example/a:v0.9.0 was named for v0.9.0");
    assert!(!told(&with("v1.0.0"), ask()).iter().any(|line| line.contains("reg.example")), "it is the same version");
    let named = told(&with("v0.9.0"), Ask { upgrade: true, ..Ask::default() });
    assert!(!named.iter().any(|line| line.contains("was named")), "{named:#?}");
}

#[test]
fn namespaces_have_to_be_there_and_to_stay() {
    let with = |name: &str, why| Facts { unusable: BTreeMap::from([(name.to_owned(), why)]), ..empty() };
    says(&with("shop", Unusable::Absent), Ask::default(), "bad: there is no namespace shop, and the agent needs");
    says(&with("shop", Unusable::Ending), Ask::default(), "bad: namespace shop is being deleted");
    says(&with(NAMESPACE, Unusable::Ending), Ask::default(), "bad: namespace envoy-gateway-system is being deleted");
    let made = told(&with(NAMESPACE, Unusable::Absent), Ask::default());
    assert!(!made.iter().any(|line| line.contains("namespace")), "it will be made: {made:#?}");
}

#[test]
fn the_channel_that_is_installed_is_advised_and_no_other_forced() {
    let facts = |channel: &str| {
        let mut definitions = gateway_api("v1.5.1", ALL);
        definitions.values_mut().for_each(|definition| definition.channel = Some(channel.to_owned()));
        Facts { definitions: Some(definitions), safe_upgrades: channel == "standard", ..empty() }
    };
    for channel in ["standard", "experimental"] {
        let told = told(&facts(channel), Ask::default());
        let url = format!("/{channel}-install.yaml");
        assert!(told.iter().any(|line| line.contains("older") && line.contains(&url)), "{told:#?}");
    }
    let definition = json!({
        "metadata": {
            "name": "gateways.gateway.networking.k8s.io",
            "annotations": {
                "gateway.networking.k8s.io/bundle-version": "v1.6.1",
                "gateway.networking.k8s.io/channel": "experimental",
            },
        },
        "spec": { "versions": [{ "name": "v1" }] },
    });
    let definition = InstallObject::new(Step::Definitions, InstallKind::CustomResourceDefinition, definition);
    let named = || Some(Bundle { source: Source::File("crds.yaml".to_owned()), objects: vec![definition.clone()] });
    let ask = || Ask { bundle: named(), ..Ask::default() };
    says(&facts("standard"), ask(), "bad: 1.6.1 of crds.yaml is refused by the policy safe-upgrades");
    says(&facts("experimental"), ask(), "good: Gateway API 1.5.1 experimental is installed will be replaced");
}
