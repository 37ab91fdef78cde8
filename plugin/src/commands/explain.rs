//! `explain`: why an object serves or doesn't, layer by layer.

use gateway_shared::api::metadata::ObjectKey;
use gateway_shared::explain;
use gateway_shared::explain::facts::Facts;
use gateway_shared::explain::question::Question;
use gateway_shared::explain::report::{Report, Verdict};

use crate::args::explain::Explain;
use crate::args::output::{Document, Format};
use crate::args::selection::{Target, targets};
use crate::client::Live;
use crate::exit::{Exit, Failure, Outcome};
use crate::input::Reader;
use crate::offline;
use crate::render::printer::Printer;
use crate::render::report::report as as_text;

/// Answers the question about each object.
///
/// # Errors
/// When the question can't be asked: a wrong word, files that can't be read, an agent that doesn't answer.
pub fn run(asked: &Explain, reader: &mut Reader<'_>, printer: &mut Printer<'_>) -> Outcome {
    let Explain { object, namespace, all, files, agent, output } = asked;
    let targets = targets(object).map_err(|message| Failure::new(Exit::Usage, message))?;
    let live = if files.filename.is_empty() { Some(Live::new(agent)?) } else { None };
    let default = live.as_ref().map_or("", Live::namespace);
    let mut questions = Vec::new();
    for Target { kind, name } in targets {
        let Some(name) = name else {
            let kind = kind.kind().to_lowercase();
            return Err(Failure::new(Exit::Usage, format!("which {kind}? Write {kind}/NAME"))
                .hint(format!("every {kind} in one line each: kubectl gateway status {kind}")));
        };
        let namespace = if kind.is_namespaced() { namespace.namespace.as_deref().unwrap_or(default) } else { "" };
        questions.push(Question { kind, key: ObjectKey::new(namespace, &name), all: *all });
    }
    if let Some(live) = live {
        let reports = live.explain(&questions)?;
        print(&reports, *output, printer)?;
        return Ok(reports.iter().map(|report| exit(report, true)).max().unwrap_or(Exit::Fine));
    }
    let offline = offline::translate(files, reader, printer)?;
    let facts = Facts::new(&offline.outcome, &offline.sources, None);
    let reports: Vec<Report> = questions.iter().map(|question| explain::explain(question, &facts)).collect();
    print(&reports, *output, printer)?;
    Ok(offline.exit(reports.iter().map(|report| exit(report, false)).max().unwrap_or(Exit::Fine)))
}

/// How the command ends on this answer. Files can't answer for what only an agent knows, so without one (`live`) that
/// isn't held against them.
fn exit(report: &Report, live: bool) -> Exit {
    match report.verdict {
        Verdict::No => Exit::Problem,
        Verdict::Unknown if live => Exit::Undetermined,
        Verdict::Unknown | Verdict::NotReached | Verdict::Yes => Exit::Fine,
    }
}

/// Prints the reports.
fn print(reports: &[Report], format: Format, printer: &mut Printer<'_>) -> Result<(), Failure> {
    let style = printer.style;
    match format {
        Format::Table | Format::Wide => {
            let texts: Vec<String> =
                reports.iter().map(|report| as_text(report, &style, format == Format::Wide)).collect();
            printer.data(&texts.join("\n"))
        }
        Format::Json => documents(reports, Document::Json, printer),
        Format::Yaml => documents(reports, Document::Yaml, printer),
        Format::Name => {
            let name = |report: &Report| format!("{}/{}\n", report.object.kind.to_lowercase(), report.object.name);
            printer.data(&reports.iter().map(name).collect::<String>())
        }
    }
}

/// One report as itself, several as a list.
fn documents(reports: &[Report], format: Document, printer: &mut Printer<'_>) -> Result<(), Failure> {
    match reports {
        [one] => printer.document(format, one),
        many => printer.document(format, &many),
    }
}
