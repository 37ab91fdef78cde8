//! The verbs, one file each.

pub mod completion;
pub mod explain;
pub mod install;
pub mod status;
pub mod translate;
pub mod uninstall;
pub mod upgrade;
pub mod version;

use crate::args::{Cli, Command};
use crate::exit::Outcome;
use crate::input::Reader;
use crate::render::printer::Printer;

/// Runs what was asked for; `program` is how the program calls itself.
///
/// # Errors
/// Why the command gave up.
pub fn dispatch(cli: Cli, program: &'static str, reader: &mut Reader<'_>, printer: &mut Printer<'_>) -> Outcome {
    let Cli { color: _, help: _, command } = cli;
    match command {
        Command::Explain(asked) => explain::run(&asked, reader, printer),
        Command::Status(asked) => status::run(&asked, reader, printer),
        Command::Translate(asked) => translate::run(&asked, reader, printer),
        Command::Install(asked) => install::run(&asked, reader, printer),
        Command::Upgrade(asked) => upgrade::run(&asked, reader, printer),
        Command::Uninstall(asked) => uninstall::run(&asked, printer),
        Command::Version(asked) => version::run(&asked, printer),
        Command::Completion(asked) => completion::run(&asked, program, printer),
        Command::Complete(asked) => completion::complete(&asked, program, printer),
    }
}
