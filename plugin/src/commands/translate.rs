//! `translate`: what manifests become, or what an intermediate representation becomes.

use std::collections::BTreeMap;
use std::sync::Arc;

use gateway_shared::gatewayapi::object_status::object_statuses;
use gateway_shared::infra::render::render;
use gateway_shared::ir;
use gateway_shared::pipeline;
use gateway_shared::xds;
use gateway_shared::xds::json::to_json;
use gateway_shared::xds::table::{ResourceType, Table};
use serde::Deserialize as _;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::args::translate::{From, To, Translate};
use crate::exit::{Exit, Failure, Outcome};
use crate::input::{Reader, SourceFile};
use crate::offline::{self, Configuration};
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
        let statuses = object_statuses(resources, &offline.configuration.settings, translation, None);
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
    if to.contains(&To::Infra) {
        let fleets = translation.infra().map(|(key, ir)| (Some(key), ir.as_ref()));
        let (objects, rendered) = rendered(fleets, &offline.configuration, printer);
        document.insert("infra".to_owned(), objects);
        problems |= !rendered;
    }
    printer.document(*output, &document)?;
    Ok(offline.exit(if problems { Exit::Problem } else { Exit::Fine }))
}

/// A representation to Envoy resources or Kubernetes objects: a bare one, or the fleets of a document that `--to ir`
/// printed.
fn from_ir(asked: &Translate, reader: &mut Reader<'_>, printer: &mut Printer<'_>) -> Outcome {
    let Translate { files, externals: _, from: _, to, output } = asked;
    if to.iter().any(|to| matches!(to, To::Status | To::Ir)) {
        return Err(Failure::new(
            Exit::Usage,
            "a representation has no statuses and is itself the ir; ask for --to xds or --to infra",
        ));
    }
    let configuration = offline::configuration(files.config.as_deref(), reader, printer)?;
    let files = reader.all(&files.filename)?;
    let mut exit = Exit::Fine;
    let mut document = Map::new();
    if to.contains(&To::Xds) {
        let fleets: BTreeMap<_, Arc<ir::xds::Xds>> = representations(&files, ["xdsIR", "xdsIr"])?;
        let (tables, served) = translated(&fleets, &configuration, printer)?;
        document.insert("xds".to_owned(), tables);
        exit = if served { exit } else { Exit::Problem };
    }
    if to.contains(&To::Infra) {
        let fleets: BTreeMap<_, ir::infra::Infra> = representations(&files, ["infraIR", "infraIr"])?;
        let fleets = fleets.iter().map(|(key, ir)| (key.as_ref(), ir));
        let (objects, rendered) = rendered(fleets, &configuration, printer);
        document.insert("infra".to_owned(), objects);
        exit = if rendered { exit } else { Exit::Problem };
    }
    printer.document(*output, &document)?;
    Ok(exit)
}

/// The Envoy resources of fleets, and whether all of them can be served.
fn translated(
    fleets: &BTreeMap<Option<Arc<str>>, Arc<ir::xds::Xds>>,
    configuration: &Configuration,
    printer: &mut Printer<'_>,
) -> Result<(Value, bool), Failure> {
    let options = xds::Options::from(&configuration.settings);
    let mut served = true;
    let mut tables = Map::new();
    for (key, ir) in fleets {
        let place = key.as_ref().map(|key| format!("{key}: ")).unwrap_or_default();
        match xds::translate(ir, &options, &mut xds::Cache::default()) {
            Ok(xds::Translated { table, problems }) => {
                for problem in &problems {
                    served = false;
                    printer.error(&format!("{place}{problem}"), &[]);
                }
                tables.insert(key.as_deref().unwrap_or_default().to_owned(), envoy_resources(&table)?);
            }
            Err(faults) => {
                served = false;
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
    Ok((tables, served))
}

/// The Kubernetes objects of fleets in the order they are applied, and whether every fleet could be rendered.
fn rendered<'a>(
    fleets: impl Iterator<Item = (Option<&'a Arc<str>>, &'a ir::infra::Infra)>,
    configuration: &Configuration,
    printer: &mut Printer<'_>,
) -> (Value, bool) {
    let settings = configuration.infra();
    let mut all = true;
    let mut objects = Vec::new();
    for (key, ir) in fleets {
        match render(ir, &settings) {
            Ok(rendered) => objects.extend(rendered.into_iter().map(|object| object.content)),
            Err(faults) => {
                all = false;
                let place = key.map(|key| format!("{key}: ")).unwrap_or_default();
                faults.iter().for_each(|fault| printer.error(&format!("{place}{fault}"), &[]));
            }
        }
    }
    (Value::Array(objects), all)
}

/// Representations by IR key, where they have one.
type Representations<T> = BTreeMap<Option<Arc<str>>, T>;

/// The representations in files: those under one of the names, or else the document itself.
fn representations<T: DeserializeOwned + Default>(
    files: &[SourceFile],
    names: [&str; 2],
) -> Result<Representations<T>, Failure> {
    let mut found = BTreeMap::new();
    for file in files {
        found.extend(representations_in(file, names)?);
    }
    Ok(found)
}

/// A representation, and the IR key it stands under if it stands under one.
type Named<T> = (Option<Arc<str>>, T);

fn representations_in<T: DeserializeOwned + Default>(
    file: &SourceFile,
    names: [&str; 2],
) -> Result<Vec<Named<T>>, Failure> {
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
        match (names.iter().find_map(|name| document.get(name)), &document) {
            (Some(serde_yaml::Value::Mapping(fleets)), _) => {
                for (key, ir) in fleets {
                    let key = key.as_str().map(Arc::from);
                    found.push((key, read(ir).map_err(|error| bad("", &error))?));
                }
            }
            (None, serde_yaml::Value::Mapping(_)) => {
                found.push((None, read(&document).map_err(|error| bad("", &error))?));
            }
            // A representation without anything in it is written as nothing, or as null.
            (None, serde_yaml::Value::Null) => found.push((None, T::default())),
            _ => {
                let [field, _] = names;
                let wanted = format!("a mapping is expected, the representation itself or fleets under {field}");
                return Err(bad(":1", &wanted));
            }
        }
    }
    if found.is_empty() {
        return Err(bad(":1", &"the file is empty"));
    }
    Ok(found)
}

/// One representation; an error names the field.
fn read<T: DeserializeOwned>(value: &serde_yaml::Value) -> Result<T, String> {
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
