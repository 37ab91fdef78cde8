//! `status`: every object in one line, worst first.

use gateway_shared::explain::facts::Facts;
use gateway_shared::explain::status::{self, Filter, LabelTerm, Row, State, StatusList};
use gateway_shared::proto::v1::{self as proto, StatusRequest};

use crate::args::output::{Document, Format};
use crate::args::selection::{Target, targets};
use crate::args::status::Status;
use crate::client::Live;
use crate::exit::{Exit, Failure, Outcome};
use crate::input::Reader;
use crate::offline;
use crate::render::printer::Printer;
use crate::render::status::table;

/// Lists the objects that were asked for.
///
/// # Errors
/// When the question can't be asked: a wrong word, files that can't be read, an agent that doesn't answer.
pub fn run(asked: &Status, reader: &mut Reader<'_>, printer: &mut Printer<'_>) -> Outcome {
    let Status { object, namespace, all_namespaces, selector, files, agent, output } = asked;
    let running = if files.filename.is_empty() { Some(Live::new(agent)?) } else { None };
    let live = running.is_some();
    // Files are all meant, whatever namespaces they speak of, unless one is asked for.
    let everywhere = *all_namespaces || !live;
    let namespace = match &namespace.namespace {
        Some(namespace) => Some(namespace.clone()),
        None if everywhere => None,
        None => running.as_ref().map(|live| live.namespace().to_owned()),
    };
    let filter = filter(object, namespace.as_ref(), selector)?;
    let (list, offline) = if let Some(running) = running {
        (running.status(request(&filter, selector))?, None)
    } else {
        let offline = offline::translate(files, reader, printer)?;
        let facts = Facts::new(&offline.outcome, &offline.sources, None);
        (status::status(&facts, &filter), Some(offline))
    };
    for what in &list.hidden {
        printer.note(&format!("not shown: {what}"));
    }
    if list.items.is_empty() {
        let place = namespace.map_or_else(|| "anywhere".to_owned(), |namespace| format!("in namespace {namespace}"));
        printer.note(&format!("nothing found {place}"));
    }
    print(&list, *output, printer)?;
    let nothing = if list.hidden.is_empty() { Exit::Fine } else { Exit::Undetermined };
    let exit = list.items.iter().map(|row| exit(row, live)).max().unwrap_or(nothing);
    Ok(offline.map_or(exit, |offline| offline.exit(exit)))
}

/// What the words and flags let through.
fn filter(words: &[String], namespace: Option<&String>, selector: &str) -> Result<Filter, Failure> {
    let usage = |message: String| Failure::new(Exit::Usage, message);
    let mut filter = Filter {
        namespace: namespace.cloned(),
        labels: LabelTerm::parse_all(selector).map_err(usage)?,
        ..Filter::default()
    };
    for Target { kind, name } in targets(words).map_err(usage)? {
        filter.objects.push((kind, name));
    }
    Ok(filter)
}

/// The same, as the agent is asked.
fn request(filter: &Filter, selector: &str) -> StatusRequest {
    let Filter { objects, namespace, labels: _ } = filter;
    let targets = objects.iter().map(|(kind, name)| proto::Target {
        kind: kind.kind().to_owned(),
        namespace: String::new(),
        name: name.clone(),
    });
    StatusRequest { targets: targets.collect(), namespace: namespace.clone(), selector: selector.to_owned() }
}

/// How the command ends on this row. Files can't answer for what only an agent knows, so without one (`live`) that
/// isn't held against them.
fn exit(row: &Row, live: bool) -> Exit {
    match row.state {
        State::Broken => Exit::Problem,
        State::Unknown if live => Exit::Undetermined,
        State::Unknown | State::Warning | State::Serving | State::Foreign => Exit::Fine,
    }
}

/// Prints the list.
fn print(list: &StatusList, format: Format, printer: &mut Printer<'_>) -> Result<(), Failure> {
    let style = printer.style;
    match format {
        Format::Table | Format::Wide => printer.data(&table(list, &style, format == Format::Wide)),
        Format::Json => printer.document(Document::Json, list),
        Format::Yaml => printer.document(Document::Yaml, list),
        Format::Name => {
            let mut names: Vec<String> = list
                .items
                .iter()
                .map(|row| format!("{}/{}\n", row.object.kind.to_lowercase(), row.object.name))
                .collect();
            names.dedup();
            printer.data(&names.concat())
        }
    }
}
