//! `translate`: what manifests become, or what an intermediate representation becomes.

use std::collections::BTreeMap;
use std::sync::Arc;

use gateway_shared::gatewayapi::object_status::object_statuses;
use gateway_shared::ir;
use gateway_shared::pipeline;
use gateway_shared::xds;
use gateway_shared::xds::json::to_json;
use gateway_shared::xds::table::{ResourceType, Table};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

use crate::args::translate::{From, To, Translate};
use crate::exit::{Exit, Failure, Outcome};
use crate::input::{Reader, SourceFile};
use crate::offline;
use crate::render::printer::Printer;

/// Prints what `-f` becomes.
///
/// # Errors
/// When nothing could be made of the files at all.
pub fn run(asked: &Translate, reader: &mut Reader<'_>, printer: &mut Printer<'_>) -> Outcome {
    if asked.files.filename.is_empty() {
        return Err(Failure::new(Exit::Usage, "there is nothing to translate")
            .hint("name files, folders or `-`: kubectl gateway translate -f manifests/"));
    }
    match asked.from {
        From::GatewayApi => from_manifests(asked, reader, printer),
        From::Ir => from_ir(asked, reader, printer),
    }
}

/// Manifests to whatever is wanted.
fn from_manifests(asked: &Translate, reader: &mut Reader<'_>, printer: &mut Printer<'_>) -> Outcome {
    let Translate { files, externals: _, from: _, to, output } = asked;
    let offline = offline::translate(files, reader, printer)?;
    let pipeline::Outcome { resources, translation, snapshots } = &offline.outcome;
    let mut document = Map::new();
    if to.contains(&To::Status) {
        let statuses = object_statuses(resources, &offline.config, translation);
        document.insert("status".to_owned(), value(&statuses)?);
    }
    if to.contains(&To::Ir) {
        document.insert("xdsIR".to_owned(), value(&translation.xds)?);
        document.insert("infraIR".to_owned(), value(&translation.infra().collect::<BTreeMap<_, _>>())?);
    }
    let mut problems = false;
    if to.contains(&To::Xds) {
        let mut tables = Map::new();
        for (key, snapshot) in snapshots {
            tables.insert(key.to_string(), envoy_resources(&snapshot.table)?);
            problems |= !snapshot.problems.is_empty();
            snapshot.problems.iter().for_each(|problem| printer.error(&format!("{key}: {problem}"), &[]));
            if let Some(pipeline::HeldBack { faults }) = &snapshot.held_back {
                problems = true;
                faults.iter().for_each(|fault| printer.error(&format!("{key}: nothing can be served: {fault}"), &[]));
            }
        }
        document.insert("xds".to_owned(), Value::Object(tables));
    }
    printer.document(*output, &document)?;
    Ok(offline.exit(if problems { Exit::Problem } else { Exit::Fine }))
}

/// A representation to Envoy resources: a bare XdsIR, or the fleets of a document that `--to ir` printed.
fn from_ir(asked: &Translate, reader: &mut Reader<'_>, printer: &mut Printer<'_>) -> Outcome {
    let Translate { files, externals: _, from: _, to, output } = asked;
    if to.as_slice() != [To::Xds] {
        return Err(Failure::new(
            Exit::Usage,
            "a representation has no statuses and is itself the ir; ask for --to xds",
        ));
    }
    let config = offline::configuration(files.config.as_deref(), reader, printer)?;
    let options = xds::Options::from(&config);
    let mut fleets: BTreeMap<Option<Arc<str>>, Arc<ir::xds::Xds>> = BTreeMap::new();
    for file in reader.all(&files.filename)? {
        fleets.extend(representations(&file)?);
    }
    let mut exit = Exit::Fine;
    let mut tables = Map::new();
    for (key, ir) in &fleets {
        let place = key.as_ref().map(|key| format!("{key}: ")).unwrap_or_default();
        match xds::translate(ir, &options, &mut xds::Cache::default()) {
            Ok(xds::Translated { table, problems }) => {
                for problem in &problems {
                    exit = Exit::Problem;
                    printer.error(&format!("{place}{problem}"), &[]);
                }
                tables.insert(key.as_deref().unwrap_or_default().to_owned(), envoy_resources(&table)?);
            }
            Err(faults) => {
                exit = Exit::Problem;
                faults.iter().for_each(|fault| printer.error(&format!("{place}{fault}"), &[]));
            }
        }
    }
    let bare = fleets.keys().all(Option::is_none);
    let tables = match tables.remove("") {
        Some(one) if bare => one,
        Some(one) => {
            tables.insert(String::new(), one);
            Value::Object(tables)
        }
        None => Value::Object(tables),
    };
    printer.document(*output, &json!({ "xds": tables }))?;
    Ok(exit)
}

/// The XdsIR of one fleet, and its IR key where it has one.
type Representation = (Option<Arc<str>>, Arc<ir::xds::Xds>);

/// The representations in a file, by IR key where they have one.
fn representations(file: &SourceFile) -> Result<Vec<Representation>, Failure> {
    let SourceFile { name, text } = file;
    let bad = |place: &str, error: &dyn std::fmt::Display| {
        Failure::new(Exit::BadInput, format!("{name}{place}: no intermediate representation: {error}"))
    };
    let mut found = Vec::new();
    for document in serde_yaml::Deserializer::from_str(text) {
        let document = serde_yaml::Value::deserialize(document).map_err(|error| {
            let place = error.location().map(|location| format!(":{}", location.line())).unwrap_or_default();
            bad(&place, &error)
        })?;
        let keyed = document.get("xdsIR").or_else(|| document.get("xdsIr"));
        match (keyed, &document) {
            (Some(serde_yaml::Value::Mapping(fleets)), _) => {
                for (key, ir) in fleets {
                    let key = key.as_str().map(Arc::from);
                    found.push((key, Arc::new(read(ir).map_err(|error| bad("", &error))?)));
                }
            }
            (None, serde_yaml::Value::Mapping(_)) => {
                found.push((None, Arc::new(read(&document).map_err(|error| bad("", &error))?)));
            }
            // A representation without anything in it is written as nothing, or as null.
            (None, serde_yaml::Value::Null) => found.push((None, Arc::default())),
            _ => return Err(bad(":1", &"a mapping is expected, with http, tcp or the like, or with xdsIR")),
        }
    }
    if found.is_empty() {
        return Err(bad(":1", &"the file is empty"));
    }
    Ok(found)
}

/// One representation; an error names the field.
fn read(value: &serde_yaml::Value) -> Result<ir::xds::Xds, String> {
    serde_path_to_error::deserialize(value).map_err(|error| format!("{}: {}", error.path(), error.inner()))
}

/// The resources of a fleet as JSON, by the names scripts know them by.
fn envoy_resources(table: &Table) -> Result<Value, Failure> {
    let mut document = Map::new();
    for (name, kind) in [
        ("listeners", ResourceType::Listener),
        ("routes", ResourceType::Route),
        ("clusters", ResourceType::Cluster),
        ("endpoints", ResourceType::Endpoints),
        ("secrets", ResourceType::Secret),
        ("runtimes", ResourceType::Runtime),
    ] {
        let resources = table.of(kind).iter().map(|resource| to_json(kind, resource));
        let resources: Vec<Value> =
            resources.collect::<Result<_, _>>().map_err(|error| Failure::new(Exit::Undetermined, error.to_string()))?;
        if kind != ResourceType::Runtime || !resources.is_empty() {
            document.insert(name.to_owned(), Value::Array(resources));
        }
    }
    Ok(Value::Object(document))
}

/// Anything as JSON.
fn value(of: &impl serde::Serialize) -> Result<Value, Failure> {
    serde_json::to_value(of)
        .map_err(|error| Failure::new(Exit::Undetermined, format!("it can't be written as JSON: {error}")))
}
