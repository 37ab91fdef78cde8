//! Questions: asked on a terminal, never of a script.

use std::io::{IsTerminal, stderr, stdin};

use crate::exit::{Exit, Failure};

/// Asks whether to go on. `yes` is the answer given beforehand.
///
/// # Errors
/// When there is nobody to ask.
pub fn go_on(question: &str, yes: bool, otherwise: bool) -> Result<bool, Failure> {
    if yes {
        return Ok(true);
    }
    if !(stdin().is_terminal() && stderr().is_terminal()) {
        return Err(Failure::new(Exit::Usage, "there is no terminal to ask on, so nothing was done")
            .hint("say --yes to go on without being asked, or look first: --dry-run"));
    }
    dialoguer::Confirm::new()
        .with_prompt(question)
        .default(otherwise)
        .interact()
        .map_err(|error| Failure::new(Exit::Undetermined, format!("the question could not be asked: {error}")))
}
