//! Answers from files alone: decoding, translation, and what could not be read.

use std::collections::BTreeMap;
use std::sync::Arc;

use gateway_shared::api::envoy_gateway::EnvoyGateway;
use gateway_shared::api::envoy_gateway_defaults::SHUTDOWN_MANAGER_IMAGE;
use gateway_shared::api::metadata::ObjectKey;
use gateway_shared::config::Config;
use gateway_shared::explain::facts::{FileFault, Sources};
use gateway_shared::infra;
use gateway_shared::pipeline::{self, Outcome};
use gateway_shared::resources::Resources;
use gateway_shared::resources::decode::{self, Decoded, DecodedConfig, DecodedObject, Finding};

use crate::args::source::Files;
use crate::exit::{Exit, Failure};
use crate::input::{Reader, SourceFile};
use crate::render::printer::Printer;

/// What files came to.
pub struct Offline {
    /// What they were translated with.
    pub configuration: Configuration,
    /// What translation made of them.
    pub outcome: Outcome,
    /// Where objects stand, and what could not be read.
    pub sources: Sources,
}

impl Offline {
    /// How a command ends that otherwise ends with `exit`: a file that is broken in part has been told on stderr, and
    /// what the rest of it says may not be the whole truth.
    #[must_use]
    pub fn exit(&self, exit: Exit) -> Exit {
        if self.sources.faults.is_empty() { exit } else { Exit::BadInput }
    }
}

/// Reads and translates `files`. What is wrong with parts of them goes to stderr and is part of the answer.
///
/// # Errors
/// When a file can't be read, the configuration is wrong, or no object could be read at all.
pub fn translate(files: &Files, reader: &mut Reader<'_>, printer: &mut Printer<'_>) -> Result<Offline, Failure> {
    let Files { filename, config } = files;
    let configuration = configuration(config.as_deref(), reader, printer)?;
    let (resources, sources) = objects(&reader.all(filename)?, printer)?;
    let outcome = pipeline::run(&resources, &configuration.settings, &mut pipeline::Cache::default());
    Ok(Offline { configuration, outcome, sources })
}

/// A configuration file, and what it means for translation.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// What it says.
    pub file: Arc<EnvoyGateway>,
    /// The settings it stands for.
    pub settings: Config,
}

impl Configuration {
    /// What rendering a fleet's objects needs to know. No control plane runs here, so the shutdown manager's image is
    /// Envoy Gateway's where the configuration names none.
    #[must_use]
    pub fn infra(&self) -> infra::settings::Settings {
        let Self { file, settings } = self;
        infra::settings::Settings {
            file: Arc::clone(file),
            controller_namespace: settings.controller_namespace.clone(),
            dns_domain: settings.dns_domain.clone(),
            shutdown_manager_image: SHUTDOWN_MANAGER_IMAGE.to_owned(),
            ca_certificate: None,
        }
    }
}

/// What the configuration file says, or the defaults where none is given.
///
/// # Errors
/// When the file can't be read or is wrong.
pub fn configuration(
    path: Option<&std::path::Path>,
    reader: &mut Reader<'_>,
    printer: &mut Printer<'_>,
) -> Result<Configuration, Failure> {
    let Some(path) = path else { return Ok(Configuration::default()) };
    let SourceFile { name, text } = reader.file(path)?;
    match decode::config(&name, &text) {
        Ok(DecodedConfig { config, extras, warnings }) => {
            warnings.iter().for_each(|warning| printer.warning(&warning.to_string()));
            let mut settings = Config::new(&config);
            if let Some(namespace) = extras.namespace {
                settings.controller_namespace = namespace;
            }
            if let Some(domain) = extras.dns_domain {
                settings.dns_domain = domain;
            }
            Ok(Configuration { file: Arc::new(config), settings })
        }
        Err(findings) => Err(in_files(&findings)),
    }
}

/// Every object in `files`. Where one stands in several, the last one counts, as it would when they are applied in turn.
fn objects(files: &[SourceFile], printer: &mut Printer<'_>) -> Result<(Resources, Sources), Failure> {
    let mut found = Vec::new();
    let mut sources = Sources::default();
    let mut passed_over = Vec::new();
    let mut errors = Vec::new();
    let mut first: BTreeMap<(String, ObjectKey), String> = BTreeMap::new();
    for SourceFile { name, text } in files {
        let Decoded { objects, warnings, errors: broken } = decode::manifests(name, text);
        for DecodedObject { object, line, document: _ } in objects {
            let id = (object.kind().to_owned(), object.key());
            let place = format!("{name}:{line}");
            if let Some(before) = first.insert(id.clone(), place.clone()) {
                printer.warning(&format!("{place}: {} {} replaces the one at {before}", id.0, id.1));
            }
            sources.origins.insert(id, place);
            found.push(object);
        }
        passed_over.extend(warnings);
        errors.extend(broken);
    }
    if found.is_empty() {
        let said = if errors.is_empty() { &passed_over } else { &errors };
        return Err(in_files(said));
    }
    passed_over.iter().for_each(|warning| printer.warning(&warning.to_string()));
    for error in errors {
        printer.error(&error.to_string(), &[]);
        sources.faults.push(fault(error));
    }
    Ok((found.into_iter().collect(), sources))
}

/// What could not be read, as explanations see it.
fn fault(finding: Finding) -> FileFault {
    let Finding { file, line, document: _, object, path, message } = finding;
    let message = if path.is_empty() { message } else { format!("{path}: {message}") };
    FileFault { place: format!("{file}:{line}"), message, object }
}

/// A failure that tells what is wrong with files, the first few of it.
fn in_files(findings: &[Finding]) -> Failure {
    const SHOWN: usize = 5;
    let Some((first, rest)) = findings.split_first() else {
        return Failure::new(Exit::BadInput, "there is no object in the files given");
    };
    let mut failure = Failure::new(Exit::BadInput, first.to_string());
    for finding in rest.iter().take(SHOWN) {
        failure = failure.hint(finding.to_string());
    }
    if rest.len() > SHOWN {
        failure = failure.hint(format!("and {} more", rest.len() - SHOWN));
    }
    failure
}
