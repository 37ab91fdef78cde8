//! `uninstall`: the agent goes, what is the user's stays, and both are said.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use gateway_shared::api::envoy_gateway::EnvoyGateway;
use gateway_shared::install::{CONFIG_MAP, InstallKind, NAME};
use gateway_shared::names::FLEET_MANAGED_BY;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::args::uninstall::Uninstall;
use crate::cluster::{self, Cluster};
use crate::exit::{Exit, Failure, Outcome};
use crate::installation::belonging::{self, Neighbour};
use crate::installation::facts::{ControlPlane, EXTENSIONS, GATEWAY_API, Key, key_of};
use crate::installation::progress::Running;
use crate::installation::removal::{self, FINALIZER, FLEET_KINDS, Found, Removal, Wish};
use crate::installation::{before, guests, live, terminal, waiting};
use crate::render::printer::Printer;
use crate::render::style::Mark;

/// Removes the agent.
///
/// # Errors
/// When somebody else installed what is there, or something can't be done.
pub fn run(asked: &Uninstall, printer: &mut Printer<'_>) -> Outcome {
    cluster::block_on(async {
        let cluster = Cluster::connect(&asked.connection).await?;
        uninstall(&cluster, asked, printer).await
    })
}

async fn uninstall(cluster: &Cluster, asked: &Uninstall, printer: &mut Printer<'_>) -> Outcome {
    let Uninstall { namespace, fleets, crds, restore, dry_run, yes, timeout, connection: _ } = asked;
    if *restore {
        return give_back(cluster, namespace, asked, printer).await;
    }
    refuse_of_others(cluster, namespace).await?;
    let found = find(cluster, namespace).await?;
    let removal = Removal::of(&found, Wish { fleets: *fleets, crds: *crds });
    if removal.is_nothing() {
        printer.note(&format!("Nothing that kubectl gateway installed is in namespace {namespace}."));
        return Ok(Exit::Fine);
    }
    let summary = removal.summary();
    if !summary.is_empty() {
        printer.note(&format!("Will remove from namespace {namespace}: {summary}"));
    }
    if !removal.released.is_empty() {
        printer.note(&format!("Will take our finalizer off: GatewayClass {}", removal.released.join(", ")));
    }
    if *fleets && !found.fleets.is_empty() {
        printer.warning("the proxies of all Gateways go too: their traffic ends");
    }
    if *crds {
        printer.warning("with the definitions, every object of their kinds goes, in every namespace");
    }
    for kept in &removal.kept {
        printer.note(&format!("Will keep: {kept}"));
    }
    if *dry_run {
        return Ok(Exit::Fine);
    }
    if !terminal::go_on("Continue?", *yes, false)? {
        printer.note("Nothing was done.");
        return Ok(Exit::Problem);
    }
    remove(cluster, namespace, &removal, Instant::now() + *timeout, printer).await?;
    Ok(Exit::Fine)
}

/// Refuses what somebody else installed.
async fn refuse_of_others(cluster: &Cluster, namespace: &str) -> Result<(), Failure> {
    let deployment = live::get(cluster, InstallKind::Deployment, Some(namespace), NAME).await?;
    let Some(plane) = deployment.as_ref().map(ControlPlane::of).filter(|plane| !plane.is_ours()) else {
        return Ok(());
    };
    let maker = plane.managed_by.as_deref().unwrap_or("somebody");
    Err(Failure::new(
        Exit::Problem,
        format!("{} in namespace {namespace} was installed by {maker}, not by kubectl gateway", plane.image),
    )
    .hint("remove it with what installed it, such as `helm uninstall`"))
}

async fn find(cluster: &Cluster, namespace: &str) -> Result<Found, Failure> {
    let mut found = Found { namespace: namespace.to_owned(), ..Found::default() };
    let marked = belonging::marked(cluster).await?;
    found.ours = belonging::of(&marked, namespace);
    let neighbours = belonging::neighbours(cluster, namespace).await?;
    found.neighbours = neighbours.iter().map(|neighbour| neighbour.namespace.clone()).collect();
    let config = live::get(cluster, InstallKind::ConfigMap, Some(namespace), CONFIG_MAP).await?;
    let config = config.as_ref().and_then(belonging::configuration);
    let (managed_by, us) = FLEET_MANAGED_BY;
    let mut of_others = Vec::new();
    for kind in FLEET_KINDS {
        for value in live::list(cluster, *kind, &format!("{managed_by}={us}")).await? {
            let key = key_of(*kind, &value);
            if key.1.as_ref().is_some_and(|at| belonging::has_fleet(namespace, config.as_deref(), &neighbours, at)) {
                found.fleets.push(key);
            } else {
                of_others.push(value);
            }
        }
    }
    for kind in [
        InstallKind::CustomResourceDefinition,
        InstallKind::ValidatingAdmissionPolicyBinding,
        InstallKind::ValidatingAdmissionPolicy,
    ] {
        let all = live::list(cluster, kind, "").await?;
        let named = all.iter().map(|value| (key_of(kind, value), removal::is_ours(value)));
        found.definitions.extend(named.filter(|((_, _, name), _)| removal::is_definition(name)));
    }
    if found.definitions.iter().any(|((_, _, name), _)| *name == format!("gatewayclasses.{GATEWAY_API}")) {
        let classes = live::list(cluster, InstallKind::GatewayClass, "").await?;
        let instances = belonging::instances(&marked, namespace);
        found.held = classes
            .iter()
            .filter(|class| is_held(class))
            .map(|class| key_of(InstallKind::GatewayClass, class).2)
            .collect();
        found.classes = Classes { config, instances, neighbours: &neighbours, of_others: &of_others }.of(&classes);
    }
    let place = live::get(cluster, InstallKind::Namespace, None, namespace).await?;
    found.namespace_ours = place.as_ref().is_some_and(removal::is_ours);
    for key in removal::made(namespace) {
        if live::get(cluster, key.0, key.1.as_deref(), &key.2).await?.is_some() {
            found.made.push(key);
        }
    }
    Ok(found)
}

/// What decides whose classes are.
struct Classes<'a> {
    /// The configuration, if it is still there.
    config: Option<Arc<EnvoyGateway>>,
    /// The instances of the installation.
    instances: BTreeSet<String>,
    /// Other control planes.
    neighbours: &'a [Neighbour],
    /// Objects of proxies of other control planes.
    of_others: &'a [Value],
}

impl Classes<'_> {
    /// The classes that answer to our name or that we made, and whether we made them; none to which somebody else
    /// answers, or with which proxies of others would go.
    fn of(&self, classes: &[Value]) -> Vec<(String, bool)> {
        let default = EnvoyGateway::default();
        let config = self.config.as_deref().unwrap_or(&default);
        let mut found = Vec::new();
        for class in classes {
            let (_, _, name) = key_of(InstallKind::GatewayClass, class);
            let controller = class.pointer("/spec/controllerName").and_then(Value::as_str).unwrap_or_default();
            let made_by_us = removal::is_ours(class)
                && belonging::instance(class).is_some_and(|instance| self.instances.contains(instance));
            let answered = self.neighbours.iter().any(|neighbour| neighbour.may_answer(controller));
            let needed = self.of_others.iter().any(|object| is_owned(object, &name));
            if (made_by_us || controller == config.controller_name()) && !answered && !needed {
                found.push((name, made_by_us));
            }
        }
        found
    }
}

/// Whether a class waits for us when it is deleted.
fn is_held(class: &Value) -> bool {
    let finalizers = class.pointer("/metadata/finalizers").and_then(Value::as_array);
    finalizers.into_iter().flatten().any(|finalizer| finalizer == FINALIZER)
}

/// Whether the garbage collector takes an object when the class goes.
fn is_owned(object: &Value, class: &str) -> bool {
    let owners = object.pointer("/metadata/ownerReferences").and_then(Value::as_array);
    let is = |owner: &Value, field: &str, text: &str| owner.get(field).and_then(Value::as_str) == Some(text);
    owners.into_iter().flatten().any(|owner| is(owner, "kind", "GatewayClass") && is(owner, "name", class))
}

/// Removes everything, in an order in which nobody waits for somebody who has gone.
async fn remove(
    cluster: &Cluster,
    namespace: &str,
    removal: &Removal,
    deadline: Instant,
    printer: &mut Printer<'_>,
) -> Result<(), Failure> {
    let Removal { agent, fleets, definitions, released, namespace: place, kept } = removal;
    all_gone(cluster, "agent", agent, deadline, printer).await?;
    for class in released {
        release(cluster, class).await?;
    }
    all_gone(cluster, "proxies", fleets, deadline, printer).await?;
    all_gone(cluster, "definitions and classes", definitions, deadline, printer).await?;
    let mut left = kept.clone();
    if *place {
        match guests::of(cluster, namespace).await {
            Ok(guests) if guests.is_empty() => {
                let key = (InstallKind::Namespace, None, namespace.to_owned());
                all_gone(cluster, "namespace", &[key], deadline, printer).await?;
            }
            Ok(guests) => left.push(format!("namespace {namespace}, in which there is still {}", guests.join(", "))),
            Err(failure) => left.push(format!("namespace {namespace}, {}", guests::unknown(&failure))),
        }
    }
    for left in left {
        printer.note(&format!("Kept: {left}"));
    }
    Ok(())
}

/// Deletes objects and waits until they are gone.
async fn all_gone(
    cluster: &Cluster,
    words: &str,
    keys: &[Key],
    deadline: Instant,
    printer: &mut Printer<'_>,
) -> Result<(), Failure> {
    if keys.is_empty() {
        return Ok(());
    }
    let mut step = Running::start(words);
    for (kind, namespace, name) in keys {
        live::delete(cluster, *kind, namespace.as_deref(), name).await?;
    }
    for key @ (kind, namespace, name) in keys {
        while let Some(there) = live::get(cluster, *kind, namespace.as_deref(), name).await? {
            step.tell(&format!("waiting for {} {name} to go", kind.kind()), printer);
            if Instant::now() >= deadline {
                step.end(Mark::No, "not gone in time", printer);
                return Err(held(key, &there));
            }
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
    }
    step.end(Mark::Yes, &format!("{} removed", keys.len()), printer);
    Ok(())
}

/// Why an object doesn't go.
fn held((kind, namespace, name): &Key, there: &Value) -> Failure {
    let finalizers = there.pointer("/metadata/finalizers").and_then(Value::as_array);
    let names: Vec<&str> = finalizers.into_iter().flatten().filter_map(Value::as_str).collect();
    let failure = Failure::new(Exit::TimedOut, format!("{} {name} doesn't go away in time", kind.kind()));
    if names.is_empty() {
        return failure.hint("run the same command again: it goes on where this one ended");
    }
    let place = namespace.as_ref().map(|namespace| format!(" -n {namespace}")).unwrap_or_default();
    failure
        .hint(format!("somebody has to let it go first: finalizers {}", names.join(", ")))
        .hint(format!("if whoever that is has gone: kubectl patch {} {name}{place} --type=merge -p '{{\"metadata\":{{\"finalizers\":null}}}}'", kind.plural()))
}

/// Takes our finalizer off a class: nobody is left to do it.
async fn release(cluster: &Cluster, class: &str) -> Result<(), Failure> {
    let Some(there) = live::get(cluster, InstallKind::GatewayClass, None, class).await? else { return Ok(()) };
    let finalizers = there.pointer("/metadata/finalizers").and_then(Value::as_array).cloned().unwrap_or_default();
    let rest: Vec<&Value> = finalizers.iter().filter(|name| *name != FINALIZER).collect();
    if rest.len() == finalizers.len() {
        return Ok(());
    }
    let patch =
        json!({ "metadata": { "finalizers": rest, "resourceVersion": there.pointer("/metadata/resourceVersion") } });
    let api = live::api(cluster, InstallKind::GatewayClass, None);
    let what = format!("take the finalizer off GatewayClass {class}");
    cluster.ask(&what, api.patch(class, &PatchParams::default(), &Patch::Merge(&patch))).await.map(drop)
}

/// Puts back what a take-over replaced.
async fn give_back(cluster: &Cluster, namespace: &str, asked: &Uninstall, printer: &mut Printer<'_>) -> Outcome {
    let Some(kept) = before::kept(cluster, namespace).await? else {
        refuse_of_others(cluster, namespace).await?;
        return Err(Failure::new(Exit::Problem, format!("nothing was taken over in namespace {namespace}"))
            .hint(format!("what was replaced would be in Secret {}; it isn't there", before::NAME)));
    };
    let found = find(cluster, namespace).await?;
    let is_kept = |key: &Key| kept.iter().any(|object| crate::installation::facts::key(object) == *key);
    let extra: Vec<Key> = found.ours.into_iter().filter(|key| !is_kept(key)).collect();
    let image = kept.iter().find(|object| object.kind == InstallKind::Deployment).map(|object| {
        object.content.pointer("/spec/template/spec/containers/0/image").and_then(Value::as_str).unwrap_or_default()
    });
    printer.note(&format!(
        "Will put back {} as it was before the take-over: {}",
        image.unwrap_or("Envoy Gateway"),
        gateway_shared::install::summary(&kept)
    ));
    if asked.dry_run {
        return Ok(Exit::Fine);
    }
    if !terminal::go_on("Continue?", asked.yes, false)? {
        printer.note("Nothing was done.");
        return Ok(Exit::Problem);
    }
    let deadline = Instant::now() + asked.timeout;
    let mut step = Running::start("Envoy Gateway");
    for (done, object) in kept.iter().enumerate() {
        step.count(done, kept.len());
        live::put_back(cluster, object).await?;
    }
    match waiting::agent(cluster, namespace, deadline, &mut step, printer).await {
        Ok(words) => step.end(Mark::Yes, &words, printer),
        Err(failure) => {
            step.end(Mark::No, "failed", printer);
            return Err(failure);
        }
    }
    all_gone(cluster, "what only the agent needed", &extra, deadline, printer).await?;
    before::forget(cluster, namespace).await?;
    printer.note(&format!("Envoy Gateway is back. Definitions of {EXTENSIONS}, Secrets and proxies are as they were."));
    Ok(Exit::Fine)
}

#[cfg(test)]
mod tests {
    use gateway_shared::install::configuration::ConfigFile;
    use gateway_shared::install::options::Values;
    use gateway_shared::install::{self, INSTANCE, InstallObject, MANAGED_BY, MANAGER, Options, Step};
    use k8s_openapi::ByteString;

    use super::*;
    use crate::args::connection::Connection;
    use crate::installation::pretended;
    use crate::render::style::Style;

    fn class(name: &str, controller: &str, instance: Option<&str>) -> Value {
        let labels = instance.map(|instance| json!({ MANAGED_BY: MANAGER, INSTANCE: instance }));
        json!({ "metadata": { "name": name, "labels": labels }, "spec": { "controllerName": controller } })
    }

    #[test]
    fn classes_others_answer_to_are_not_touched() {
        let ours = "gateway.envoyproxy.io/gatewayclass-controller";
        let classes =
            [class("made", ours, Some("eg")), class("other", ours, Some("gateways")), class("mine", ours, None)];
        let of = |neighbours: &[Neighbour], of_others: &[Value]| {
            Classes { config: None, instances: BTreeSet::from(["eg".to_owned()]), neighbours, of_others }.of(&classes)
        };
        let named = |name: &str, made_by_us| (name.to_owned(), made_by_us);
        assert_eq!(of(&[], &[]), [named("made", true), named("other", false), named("mine", false)]);
        let neighbour = Neighbour { namespace: "gateways".to_owned(), config: Some(Arc::default()) };
        assert_eq!(of(&[neighbour], &[]), []);
        let proxy = json!({ "metadata": { "ownerReferences": [{ "kind": "GatewayClass", "name": "made" }] } });
        assert_eq!(of(&[], &[proxy]), [named("other", false), named("mine", false)]);
    }

    #[test]
    fn a_name_we_no_longer_know_is_that_of_the_classes_we_made() {
        let classes = [class("made", "example.com/x", Some("eg")), class("other", "example.com/x", None)];
        let instances = BTreeSet::from(["eg".to_owned()]);
        let found = Classes { config: None, instances, neighbours: &[], of_others: &[] }.of(&classes);
        assert_eq!(found, [("made".to_owned(), true)]);
    }

    fn asked(namespace: &str) -> Uninstall {
        Uninstall {
            namespace: namespace.to_owned(),
            fleets: false,
            crds: false,
            restore: false,
            dry_run: false,
            yes: true,
            timeout: Duration::from_secs(1),
            connection: Connection::default(),
        }
    }

    /// How it ends, what is said, and what is done.
    async fn told(objects: Vec<InstallObject>, asked: &Uninstall) -> (Option<Exit>, String, Vec<String>) {
        let (cluster, done) = pretended::cluster(objects);
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let style = Style { color: false, unicode: false, width: 80, table_width: None };
        let exit = uninstall(&cluster, asked, &mut Printer::new(&mut out, &mut err, style)).await;
        let said = String::from_utf8(err).unwrap() + &exit.as_ref().err().map(ToString::to_string).unwrap_or_default();
        (exit.ok(), said, done.lock().unwrap().clone())
    }

    /// What is there of an installation of `instance` in `namespace`, whose class is `eg`.
    fn installed(namespace: &str, instance: &str) -> Vec<InstallObject> {
        let values = Values { gateway_class: Some("eg".to_owned()), ..Values::default() };
        install::render(&Options {
            namespace: namespace.to_owned(),
            instance: instance.to_owned(),
            version: "v1.0.0".to_owned(),
            config: ConfigFile::default(),
            values,
            autoscaled: false,
        })
    }

    /// A Deployment of proxies in `namespace`.
    fn proxies(namespace: &str) -> InstallObject {
        let (label, us) = FLEET_MANAGED_BY;
        let content = json!({ "metadata": { "name": "envoy-edge", "namespace": namespace, "labels": { label: us } } });
        InstallObject::new(Step::Agent, InstallKind::Deployment, content)
    }

    #[tokio::test]
    async fn in_the_wrong_namespace_nothing_is_done() {
        for instance in ["gateways", "eg"] {
            let mut objects = installed("gateways", instance);
            objects.retain(|object| object.kind != InstallKind::Namespace);
            objects.push(proxies("gateways"));
            let (exit, said, done) = told(objects, &asked("envoy-gateway-system")).await;
            assert_eq!((exit, done), (Some(Exit::Fine), Vec::new()), "{said}");
            assert!(said.contains("Nothing that kubectl gateway installed is in namespace"), "{said}");
        }
    }

    #[tokio::test]
    async fn a_second_time_the_proxies_are_still_known() {
        let mut left = installed("gw", "gw");
        left.retain(|object| [InstallKind::GatewayClass, InstallKind::CustomResourceDefinition].contains(&object.kind));
        let gateway_classes = json!({ "metadata": { "name": "gatewayclasses.gateway.networking.k8s.io" } });
        left.push(InstallObject::new(Step::Definitions, InstallKind::CustomResourceDefinition, gateway_classes));
        left.push(proxies("shop"));
        let certificates = json!({ "metadata": { "name": "envoy", "namespace": "gw" } });
        left.push(InstallObject::new(Step::Certificates, InstallKind::Secret, certificates));
        let (exit, said, done) = told(left.clone(), &asked("gw")).await;
        assert_eq!((exit, done), (Some(Exit::Fine), Vec::new()), "{said}");
        let fleets = Uninstall { fleets: true, dry_run: true, ..asked("gw") };
        let (_, said, _) = told(left, &fleets).await;
        assert!(said.contains("1 Deployment, 1 Secret, 1 GatewayClass"), "{said}");
    }

    #[tokio::test]
    async fn a_second_time_classes_are_still_let_go() {
        let class = json!({
            "metadata": { "name": "mine", "finalizers": [FINALIZER] },
            "spec": { "controllerName": "gateway.envoyproxy.io/gatewayclass-controller" },
        });
        let gateway_classes = json!({ "metadata": { "name": "gatewayclasses.gateway.networking.k8s.io" } });
        let left = vec![
            InstallObject::new(Step::Class, InstallKind::GatewayClass, class),
            InstallObject::new(Step::Definitions, InstallKind::CustomResourceDefinition, gateway_classes),
        ];
        let (exit, said, done) = told(left, &asked("gw")).await;
        assert_eq!(exit, Some(Exit::Fine), "{said}");
        assert!(said.contains("Will take our finalizer off: GatewayClass mine"), "{said}");
        assert_eq!(done, ["PATCH /apis/gateway.networking.k8s.io/v1/gatewayclasses/mine"]);
    }

    #[tokio::test]
    async fn the_way_back_is_found_where_helm_is_back_already() {
        let helm = json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": { "name": NAME, "namespace": "gw", "labels": { MANAGED_BY: "Helm" } },
            "spec": { "selector": {}, "template": { "spec": { "containers": [{ "name": NAME, "image": "eg:1" }] } } },
        });
        let kept = ByteString(serde_json::to_vec(&[&helm]).unwrap());
        let secret = json!({
            "metadata": { "name": before::NAME, "namespace": "gw" },
            "data": { "objects.json": kept },
        });
        let deployment = InstallObject::new(Step::Agent, InstallKind::Deployment, helm);
        let secret = InstallObject::new(Step::Certificates, InstallKind::Secret, secret);
        let back = Uninstall { restore: true, dry_run: true, ..asked("gw") };
        let (exit, said, _) = told(vec![deployment.clone(), secret], &back).await;
        assert_eq!(exit, Some(Exit::Fine), "{said}");
        assert!(said.contains("Will put back eg:1 as it was"), "{said}");
        let (exit, said, _) = told(vec![deployment], &back).await;
        assert!(exit.is_none() && said.contains("eg:1 in namespace gw was installed by Helm"), "{said}");
    }

    #[test]
    fn what_holds_an_object_is_let_go_where_it_is() {
        let there = json!({ "metadata": { "finalizers": ["example.com/x"] } });
        let hints = |namespace: Option<&str>| match held(
            &(InstallKind::Service, namespace.map(str::to_owned), "edge".to_owned()),
            &there,
        ) {
            Failure::Told { hints, .. } => hints.join("; "),
            Failure::ReaderGone => String::new(),
        };
        assert!(hints(Some("gw")).contains("kubectl patch services edge -n gw --type=merge"));
        assert!(hints(None).contains("kubectl patch services edge --type=merge"));
    }
}
