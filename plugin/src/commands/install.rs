//! `install`: from a cluster without an agent to one whose agent is ready.

use gateway_shared::install::{self, CONFIG_MAP, InstallKind, InstallObject, NAME, Options};
use serde_json::Value;

use crate::args::install::{Doing, DryRun, Install, Settings};
use crate::cluster::{self, Cluster};
use crate::exit::{Exit, Failure, Outcome};
use crate::input::Reader;
use crate::installation::apply::{Tally, Work};
use crate::installation::checks::{self, Plan};
use crate::installation::facts::{self, EXTENSIONS, Facts};
use crate::installation::gateway_api::{Bundle, Source};
use crate::installation::removal::is_ours;
use crate::installation::request::{self, Asked, Earlier};
use crate::installation::{before, documents, live, terminal};
use crate::render::printer::Printer;

/// Installs the agent, or prints what would be.
///
/// # Errors
/// When what is asked can't be understood, the cluster can't be asked, or something can't be done.
pub fn run(asked: &Install, reader: &mut Reader<'_>, printer: &mut Printer<'_>) -> Outcome {
    let Install { settings, take_over, output, doing } = asked;
    let said = request::read(settings, reader, printer)?;
    let bundle = Bundle::new(Source::of(settings.gateway_api_crds.as_deref(), settings.channel), reader)?;
    if let Some(format) = output {
        let options = request::options(&settings.namespace, said, Earlier::default())?;
        let mut objects = bundle.objects.clone();
        objects.extend(install::render(&options));
        documents::print(&objects, *format, printer)?;
        if let (true, Some(url)) = (bundle.objects.is_empty(), bundle.url()) {
            printer
                .note(&format!("The Gateway API's own definitions come first: kubectl apply --server-side -f {url}"));
        }
        return Ok(Exit::Fine);
    }
    cluster::block_on(async {
        let cluster = Cluster::connect(&doing.connection).await?;
        let prepared =
            Prepared::new(&cluster, settings, said, bundle, Mode { take_over: *take_over, upgrade: false }).await?;
        if !prepared.check(printer) {
            return Err(Failure::new(Exit::Problem, "nothing was installed: see what is marked above"));
        }
        if let Some(how) = doing.dry_run {
            prepared.list(&cluster, how, printer).await?;
            return Ok(Exit::Fine);
        }
        printer.note(&format!(
            "Will apply in namespace {}: {} (--dry-run shows them)",
            settings.namespace,
            install::summary(&prepared.objects)
        ));
        for stale in prepared.stale() {
            printer.note(&format!("Will remove, since it isn't needed any more: {stale}"));
        }
        if !terminal::go_on("Continue?", doing.yes, true)? {
            printer.note("Nothing was done.");
            return Ok(Exit::Problem);
        }
        let tally = prepared.apply(&cluster, doing, printer).await?;
        prepared.farewell(tally, printer);
        Ok(Exit::Fine)
    })
}

/// What kind of installation it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mode {
    /// A running Envoy Gateway is replaced.
    pub(super) take_over: bool,
    /// An earlier installation of ours is replaced.
    pub(super) upgrade: bool,
}

/// Everything that is known before anything is done.
pub(super) struct Prepared {
    pub(super) options: Options,
    pub(super) objects: Vec<InstallObject>,
    pub(super) facts: Facts,
    bundle: Bundle,
    mode: Mode,
    replace_crds: bool,
    kept_image: Option<String>,
}

impl Prepared {
    /// Looks at the cluster and makes the objects.
    pub(super) async fn new(
        cluster: &Cluster,
        settings: &Settings,
        said: Asked,
        bundle: Bundle,
        mode: Mode,
    ) -> Result<Self, Failure> {
        let namespace = &settings.namespace;
        let there = |kind, name| async move {
            facts::readable(live::get(cluster, kind, Some(namespace), name).await).map(Option::flatten)
        };
        let deployment = there(InstallKind::Deployment, NAME).await?;
        let config = there(InstallKind::ConfigMap, CONFIG_MAP).await?;
        let autoscalers = facts::readable(live::list(cluster, InstallKind::HorizontalPodAutoscaler, "").await)?;
        let earlier = Earlier::of(deployment.as_ref(), config.as_ref())
            .scaled_by(autoscalers.as_deref().unwrap_or_default(), namespace);
        let kept_image = earlier.values.image.clone().filter(|_| said.values.image.is_none());
        let options = request::options(namespace, said, earlier)?;
        let mut objects = install::render(&options);
        let mut facts = Facts::gather(cluster, &options, &objects, mode.take_over).await?;
        let replace_crds = settings.replace_crds;
        objects.retain(|object| !is_kept(object, &facts, replace_crds));
        // Nothing is fetched for somebody who may not even look.
        let wanted = facts.definitions.is_some() && bundle.applied(facts.has_gateway_api());
        let bundle = if wanted { bundle.fetched().await? } else { bundle };
        if wanted {
            facts.look_at(cluster, &bundle.objects).await?;
            objects.splice(0..0, bundle.objects.iter().cloned());
        }
        Ok(Self { options, objects, facts, bundle, mode, replace_crds, kept_image })
    }

    /// What will be removed, by kind, place and name.
    pub(super) fn stale(&self) -> impl Iterator<Item = String> {
        self.facts.stale.iter().map(|(kind, namespace, name)| match namespace {
            Some(namespace) => format!("{} {namespace}/{name}", kind.kind()),
            None => format!("{} {name}", kind.kind()),
        })
    }

    /// Tells what speaks for and against it; whether it can be done.
    pub(super) fn check(&self, printer: &mut Printer<'_>) -> bool {
        let plan = Plan {
            options: &self.options,
            objects: &self.objects,
            bundle: &self.bundle,
            take_over: self.mode.take_over,
            upgrade: self.mode.upgrade,
            replace_crds: self.replace_crds,
            kept_image: self.kept_image.as_deref(),
        };
        printer.note("Checking the cluster");
        checks::tell(&checks::all(&self.facts, &plan), printer)
    }

    /// Lists the objects, with what would become of each if the API server is asked.
    pub(super) async fn list(&self, cluster: &Cluster, how: DryRun, printer: &mut Printer<'_>) -> Result<(), Failure> {
        let mut text = format!("{}\n", documents::heading());
        for object in &self.objects {
            let becomes = match how {
                DryRun::Client => String::new(),
                DryRun::Server => self.becomes(cluster, object).await,
            };
            text.push_str(&documents::line(&facts::key(object), &becomes));
            text.push('\n');
        }
        for key in &self.facts.stale {
            text.push_str(&documents::line(key, "removed"));
            text.push('\n');
        }
        printer.data(&text)
    }

    async fn becomes(&self, cluster: &Cluster, object: &InstallObject) -> String {
        let before = self.facts.there.get(&facts::key(object));
        if object.kind == InstallKind::Job {
            return "run if certificates are missing".to_owned();
        }
        match live::apply(cluster, object, before, true).await {
            Ok((live::Applied::Created, _)) => "created".to_owned(),
            Ok((live::Applied::Changed, _)) => "changed".to_owned(),
            Ok((live::Applied::Unchanged, _)) => "unchanged".to_owned(),
            Err(failure) if failure.to_string().contains("not found") && is_prepared(object, &self.objects) => {
                "created".to_owned()
            }
            Err(failure) => format!("refused: {failure}"),
        }
    }

    /// Does it, and waits until the agent is ready.
    pub(super) async fn apply(
        &self,
        cluster: &Cluster,
        doing: &Doing,
        printer: &mut Printer<'_>,
    ) -> Result<Tally, Failure> {
        let namespace = self.options.namespace.as_str();
        if self.mode.take_over {
            before::keep(cluster, namespace, &self.facts, &self.objects).await?;
        }
        let objects = self.objects.clone();
        Work { cluster, namespace, objects, facts: &self.facts, timeout: doing.timeout }.run(printer).await
    }

    /// What to do next.
    fn farewell(&self, tally: Tally, printer: &mut Printer<'_>) {
        let Options { namespace, values, config, .. } = &self.options;
        let state =
            if tally.is_nothing() { "The agent is ready; nothing had to be changed." } else { "The agent is ready." };
        printer.note(state);
        if self.mode.take_over {
            printer.note(&format!(
                "Envoy Gateway was taken over. The way back: kubectl gateway uninstall --restore -n {namespace}"
            ));
            printer.note("Don't run `helm uninstall`: Helm still thinks these objects are its own.");
        } else if values.gateway_class.is_none() && self.facts.classes.is_empty() {
            printer.note(&format!(
                "Next: a GatewayClass with controllerName {}, a Gateway and a Route.",
                config.file.controller_name()
            ));
        }
        printer.note("See how they do: kubectl gateway status -A");
    }
}

/// Whether the namespace or the kind of `object` is among what is about to be made.
fn is_prepared(object: &InstallObject, objects: &[InstallObject]) -> bool {
    let definition = format!("{}.{}", object.kind.plural(), object.kind.group());
    objects.iter().any(|made| match made.kind {
        InstallKind::Namespace => Some(&made.name) == object.namespace.as_ref(),
        InstallKind::CustomResourceDefinition => made.name == definition,
        _ => false,
    })
}

/// What is there already and stays as it is: definitions that others look after, unless they are to be replaced, and
/// the namespace, the class and the disruption budget that somebody else made, so that an uninstallation leaves them to
/// who made them.
fn is_kept(object: &InstallObject, facts: &Facts, replace: bool) -> bool {
    let Some(there) = facts.there.get(&facts::key(object)) else { return false };
    let ours = is_ours(there);
    match object.kind {
        InstallKind::CustomResourceDefinition => object.name.ends_with(EXTENSIONS) && !replace && !ours,
        // Its author said already how many agents may be missing.
        InstallKind::Namespace | InstallKind::PodDisruptionBudget => !ours,
        InstallKind::GatewayClass => {
            let name = |class: &Value| class.pointer("/spec/controllerName").cloned();
            !ours && name(there) == name(&object.content)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use gateway_shared::install::{MANAGED_BY, MANAGER, Step};
    use serde_json::json;

    use super::*;

    #[test]
    fn what_others_made_and_share_stays_theirs() {
        let kept = |kind, name: &str, labels: Value, replace| {
            let wanted = json!({ "metadata": { "name": name }, "spec": { "controllerName": "a" } });
            let object = InstallObject::new(Step::Namespace, kind, wanted);
            let there = json!({ "metadata": { "labels": labels }, "spec": { "controllerName": "a" } });
            let mut facts = Facts::default();
            facts.there.insert(facts::key(&object), there);
            is_kept(&object, &facts, replace)
        };
        let ours = || json!({ MANAGED_BY: MANAGER });
        for (kind, name) in [
            (InstallKind::Namespace, "gw"),
            (InstallKind::PodDisruptionBudget, "envoy-gateway"),
            (InstallKind::GatewayClass, "eg"),
            (InstallKind::CustomResourceDefinition, "backends.gateway.envoyproxy.io"),
        ] {
            assert!(kept(kind, name, json!({}), false) && !kept(kind, name, ours(), false), "{name}");
        }
        assert!(!kept(InstallKind::CustomResourceDefinition, "backends.gateway.envoyproxy.io", json!({}), true));
        assert!(!kept(InstallKind::Service, "envoy-gateway", json!({}), false));
    }

    #[test]
    fn only_what_is_about_to_be_made_may_be_missing() {
        let object = |kind, metadata: Value| InstallObject::new(Step::Namespace, kind, json!({ "metadata": metadata }));
        let made = [
            object(InstallKind::Namespace, json!({ "name": "gw" })),
            object(
                InstallKind::CustomResourceDefinition,
                json!({ "name": "gatewayclasses.gateway.networking.k8s.io" }),
            ),
        ];
        let role = |namespace: &str| object(InstallKind::Role, json!({ "name": "r", "namespace": namespace }));
        assert!(is_prepared(&role("gw"), &made) && !is_prepared(&role("shop"), &made));
        let class = object(InstallKind::GatewayClass, json!({ "name": "eg" }));
        assert!(is_prepared(&class, &made) && !is_prepared(&class, &made[..1]));
    }
}
