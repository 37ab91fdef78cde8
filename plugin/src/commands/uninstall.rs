//! `uninstall`: the agent goes, what is the user's stays, and both are said.

use std::time::Duration;

use gateway_shared::install::{INSTANCE, InstallKind, MANAGED_BY, MANAGER, NAME};
use gateway_shared::names::FLEET_MANAGED_BY;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::args::uninstall::Uninstall;
use crate::cluster::{self, Cluster};
use crate::exit::{Exit, Failure, Outcome};
use crate::installation::facts::{ControlPlane, EXTENSIONS, GATEWAY_API, Key};
use crate::installation::progress::Running;
use crate::installation::removal::{self, FINALIZER, FLEET_KINDS, Found, KINDS, Removal, Wish};
use crate::installation::request::Earlier;
use crate::installation::{before, live, terminal, waiting};
use crate::render::printer::Printer;
use crate::render::style::Mark;

/// Removes the agent.
///
/// # Errors
/// When somebody else installed what is there, or something can't be done.
pub fn run(asked: &Uninstall, printer: &mut Printer<'_>) -> Outcome {
    let Uninstall { namespace, fleets, crds, restore, dry_run, yes, timeout, connection } = asked;
    cluster::block_on(async {
        let cluster = Cluster::connect(connection).await?;
        let installed = Installed::of(&cluster, namespace).await?;
        if *restore {
            return give_back(&cluster, &installed, asked, printer).await;
        }
        let found = find(&cluster, &installed).await?;
        let removal = Removal::of(&found, Wish { fleets: *fleets, crds: *crds });
        if removal.is_nothing() {
            printer.note(&format!("Nothing that kubectl gateway installed is in namespace {namespace}."));
            return Ok(Exit::Fine);
        }
        printer.note(&format!("Will remove from namespace {namespace}: {}", removal.summary()));
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
        remove(&cluster, namespace, &removal, Instant::now() + *timeout, printer).await?;
        Ok(Exit::Fine)
    })
}

/// What is installed in a namespace.
struct Installed {
    namespace: String,
    instance: String,
    controller_name: String,
    /// The namespaces proxies may be in; `None` for all.
    fleets: Option<Vec<String>>,
}

impl Installed {
    async fn of(cluster: &Cluster, namespace: &str) -> Result<Self, Failure> {
        let deployment = live::get(cluster, InstallKind::Deployment, Some(namespace), NAME).await?;
        if let Some(plane) = deployment.as_ref().map(ControlPlane::of).filter(|plane| !plane.is_ours()) {
            let maker = plane.managed_by.as_deref().unwrap_or("somebody");
            return Err(Failure::new(
                Exit::Problem,
                format!("{} in namespace {namespace} was installed by {maker}, not by kubectl gateway", plane.image),
            )
            .hint("remove it with what installed it, such as `helm uninstall`"));
        }
        let config =
            live::get(cluster, InstallKind::ConfigMap, Some(namespace), gateway_shared::install::CONFIG_MAP).await?;
        let earlier = Earlier::of(deployment.as_ref(), config.as_ref());
        let config = earlier.config_file();
        let fleets = match (config.file.gateway_namespace_mode(), config.file.watched_namespaces()) {
            (false, _) => Some(vec![namespace.to_owned()]),
            (true, []) => None,
            (true, watched) => Some(watched.iter().cloned().chain([namespace.to_owned()]).collect()),
        };
        Ok(Self {
            namespace: namespace.to_owned(),
            instance: earlier.instance_in(namespace),
            controller_name: config.file.controller_name().to_owned(),
            fleets,
        })
    }
}

async fn find(cluster: &Cluster, installed: &Installed) -> Result<Found, Failure> {
    let Installed { namespace, instance, controller_name, fleets } = installed;
    let mut found = Found { namespace: namespace.clone(), ..Found::default() };
    for kind in KINDS {
        let labels = format!("{MANAGED_BY}={MANAGER},{INSTANCE}={instance}");
        found.ours.extend(live::list(cluster, *kind, &labels).await?.iter().map(|value| key(*kind, value)));
    }
    let (managed_by, us) = FLEET_MANAGED_BY;
    for kind in FLEET_KINDS {
        let all = live::list(cluster, *kind, &format!("{managed_by}={us}")).await?;
        let keys = all.iter().map(|value| key(*kind, value));
        found.fleets.extend(keys.filter(|(_, place, _)| {
            fleets.as_ref().is_none_or(|names| place.as_ref().is_some_and(|place| names.contains(place)))
        }));
    }
    for kind in [
        InstallKind::CustomResourceDefinition,
        InstallKind::ValidatingAdmissionPolicyBinding,
        InstallKind::ValidatingAdmissionPolicy,
    ] {
        let all = live::list(cluster, kind, "").await?;
        let named = all.iter().map(|value| (key(kind, value), removal::is_ours(value)));
        found.definitions.extend(named.filter(|((_, _, name), _)| removal::is_definition(name)));
    }
    if found.definitions.iter().any(|((_, _, name), _)| *name == format!("gatewayclasses.{GATEWAY_API}")) {
        let classes = live::list(cluster, InstallKind::GatewayClass, "").await?;
        let answers = |class: &&Value| {
            class.pointer("/spec/controllerName").and_then(Value::as_str) == Some(controller_name.as_str())
        };
        found.classes = classes
            .iter()
            .filter(answers)
            .map(|class| (key(InstallKind::GatewayClass, class).2, removal::is_ours(class)))
            .collect();
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

fn key(kind: InstallKind, value: &Value) -> Key {
    let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    (kind, text("/metadata/namespace"), text("/metadata/name").unwrap_or_default())
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
        let guests = guests(cluster, namespace).await?;
        if guests.is_empty() {
            let key = (InstallKind::Namespace, None, namespace.to_owned());
            all_gone(cluster, "namespace", &[key], deadline, printer).await?;
        } else {
            left.push(format!("namespace {namespace}, in which there is still {}", guests.join(", ")));
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
    for (kind, namespace, name) in keys {
        while let Some(there) = live::get(cluster, *kind, namespace.as_deref(), name).await? {
            step.tell(&format!("waiting for {} {name} to go", kind.kind()), printer);
            if Instant::now() >= deadline {
                step.end(Mark::No, "not gone in time", printer);
                return Err(held(*kind, name, &there));
            }
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
    }
    step.end(Mark::Yes, &format!("{} removed", keys.len()), printer);
    Ok(())
}

/// Why an object doesn't go.
fn held(kind: InstallKind, name: &str, there: &Value) -> Failure {
    let finalizers = there.pointer("/metadata/finalizers").and_then(Value::as_array);
    let names: Vec<&str> = finalizers.into_iter().flatten().filter_map(Value::as_str).collect();
    let failure = Failure::new(Exit::TimedOut, format!("{} {name} doesn't go away in time", kind.kind()));
    if names.is_empty() {
        return failure.hint("run the same command again: it goes on where this one ended");
    }
    failure
        .hint(format!("somebody has to let it go first: finalizers {}", names.join(", ")))
        .hint(format!("if whoever that is has gone: kubectl patch {} {name} --type=merge -p '{{\"metadata\":{{\"finalizers\":null}}}}'", kind.plural()))
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

/// What is still in a namespace and isn't the cluster's own.
async fn guests(cluster: &Cluster, namespace: &str) -> Result<Vec<String>, Failure> {
    let mut guests = Vec::new();
    for kind in [
        InstallKind::Deployment,
        InstallKind::DaemonSet,
        InstallKind::Service,
        InstallKind::ConfigMap,
        InstallKind::Secret,
        InstallKind::ServiceAccount,
    ] {
        for value in live::list_in(cluster, kind, namespace).await? {
            let key = key(kind, &value);
            if !removal::is_nobodys(&key) {
                guests.push(format!("{} {}", kind.kind(), key.2));
            }
        }
    }
    Ok(guests)
}

/// Puts back what a take-over replaced.
async fn give_back(cluster: &Cluster, installed: &Installed, asked: &Uninstall, printer: &mut Printer<'_>) -> Outcome {
    let namespace = &installed.namespace;
    let Some(kept) = before::kept(cluster, namespace).await? else {
        return Err(Failure::new(Exit::Problem, format!("nothing was taken over in namespace {namespace}"))
            .hint(format!("what was replaced would be in Secret {}; it isn't there", before::NAME)));
    };
    let found = find(cluster, installed).await?;
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
