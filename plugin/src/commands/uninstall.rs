//! `uninstall`: the agent goes, what is the user's stays, and both are said.

use crate::args::uninstall::Uninstall;
use crate::exit::{Exit, Failure, Outcome};
use crate::render::printer::Printer;

/// Removes the agent.
///
/// # Errors
/// When something can't be done.
pub fn run(asked: &Uninstall, printer: &mut Printer<'_>) -> Outcome {
    let _ = (asked, printer);
    Err(Failure::new(Exit::Undetermined, "not built yet"))
}
