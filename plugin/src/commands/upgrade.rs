//! `upgrade`: what changes, object by object, and then the same steps as an installation.

use gateway_shared::install::changes::changes;
use gateway_shared::install::{InstallKind, NAME};

use super::install::{Mode, Prepared};
use crate::args::install::{DryRun, Upgrade};
use crate::cluster::{self, Cluster};
use crate::exit::{Exit, Failure, Outcome};
use crate::input::Reader;
use crate::installation::gateway_api::{Bundle, Source};
use crate::installation::{documents, facts, live, request, terminal};
use crate::render::printer::Printer;

/// Upgrades the agent.
///
/// # Errors
/// When there is none, or something can't be done.
pub fn run(asked: &Upgrade, reader: &mut Reader<'_>, printer: &mut Printer<'_>) -> Outcome {
    let Upgrade { settings, doing } = asked;
    let said = request::read(settings, reader, printer)?;
    let bundle = Bundle::new(Source::of(settings.gateway_api_crds.as_deref(), settings.channel), reader)?;
    cluster::block_on(async {
        let cluster = Cluster::connect(&doing.connection).await?;
        let namespace = &settings.namespace;
        if live::get(&cluster, InstallKind::Deployment, Some(namespace), NAME).await?.is_none() {
            return Err(Failure::new(Exit::Problem, format!("there is no agent in namespace {namespace}"))
                .hint("install one: kubectl gateway install")
                .hint("or say where it is: -n NAMESPACE"));
        }
        let mode = Mode { take_over: false, upgrade: true };
        let prepared = Prepared::new(&cluster, settings, said, bundle, mode).await?;
        if !prepared.check(printer) {
            return Err(Failure::new(Exit::Problem, "nothing was changed: see what is marked above"));
        }
        if doing.dry_run == Some(DryRun::Client) {
            prepared.list(&cluster, DryRun::Client, printer).await?;
            return Ok(Exit::Fine);
        }
        let differs = tell_changes(&cluster, &prepared, printer).await?;
        if doing.dry_run.is_some() {
            return Ok(Exit::Fine);
        }
        if differs && !terminal::go_on("Continue?", doing.yes, true)? {
            printer.note("Nothing was done.");
            return Ok(Exit::Problem);
        }
        prepared.apply(&cluster, doing, printer).await?;
        printer.note(if differs {
            "The agent is up to date and ready."
        } else {
            "The agent was up to date, and is ready."
        });
        Ok(Exit::Fine)
    })
}

/// Tells what the API server says would change; whether anything does.
async fn tell_changes(cluster: &Cluster, prepared: &Prepared, printer: &mut Printer<'_>) -> Result<bool, Failure> {
    let mut differs = false;
    for object in prepared.objects.iter().filter(|object| object.kind != InstallKind::Job) {
        let before = prepared.facts.there.get(&facts::key(object));
        let Some(before) = before else {
            told_once(&mut differs, printer);
            printer.note(&format!("  {} is new", object.place()));
            continue;
        };
        let (_, after) = live::apply(cluster, object, Some(before), true).await?;
        let found = changes(before, &after);
        if !found.is_empty() {
            told_once(&mut differs, printer);
            documents::changes(&object.place(), &found, printer);
        }
    }
    for stale in prepared.stale() {
        told_once(&mut differs, printer);
        printer.note(&format!("  {stale} goes: it isn't needed any more"));
    }
    if !differs {
        printer.note("Nothing would change.");
    }
    Ok(differs)
}

fn told_once(differs: &mut bool, printer: &mut Printer<'_>) {
    if !std::mem::replace(differs, true) {
        printer.note("Will change");
    }
}
