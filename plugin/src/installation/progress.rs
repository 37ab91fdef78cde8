//! Progress on stderr: a spinner on a terminal, a line where something changes elsewhere.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::render::printer::Printer;
use crate::render::style::Mark;

/// Columns of a step's name.
const NAME: usize = 28;

/// One step that goes on.
pub struct Running {
    words: String,
    spinner: Option<ProgressBar>,
    told: String,
}

impl Running {
    /// Begins a step.
    #[must_use]
    pub fn start(words: &str) -> Self {
        let spinner = stderr().is_terminal().then(|| {
            let spinner = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("  {spinner} {prefix:28} {msg}") {
                spinner.set_style(style);
            }
            spinner.set_prefix(words.to_owned());
            spinner.enable_steady_tick(Duration::from_millis(100));
            spinner
        });
        Self { words: words.to_owned(), spinner, told: String::new() }
    }

    /// Says how it goes.
    pub fn tell(&mut self, how: &str, printer: &mut Printer<'_>) {
        if self.told == how {
            return;
        }
        how.clone_into(&mut self.told);
        match &self.spinner {
            Some(spinner) => spinner.set_message(how.to_owned()),
            None => printer.note(&line(&printer.style.painted_sign(Mark::NotReached), &self.words, how)),
        }
    }

    /// Counts what is quickly done: only shown where it is overwritten at once.
    pub fn count(&self, done: usize, of: usize) {
        if let Some(spinner) = &self.spinner {
            spinner.set_message(format!("{done} of {of}"));
        }
    }

    /// Ends it.
    pub fn end(self, mark: Mark, how: &str, printer: &mut Printer<'_>) {
        if let Some(spinner) = &self.spinner {
            spinner.finish_and_clear();
        }
        printer.note(&line(&printer.style.painted_sign(mark), &self.words, how));
    }
}

fn line(sign: &str, words: &str, how: &str) -> String {
    format!("  {sign} {words:NAME$} {how}").trim_end().to_owned()
}
