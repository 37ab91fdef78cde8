//! The one place that writes: data to stdout, everything else to stderr.

use std::io::Write;

use serde::Serialize;

use super::style::{Style, Tone};
use crate::args::output::Document;
use crate::exit::{Exit, Failure};

/// Where output goes and how it looks.
pub struct Printer<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    /// How it looks.
    pub style: Style,
}

impl<'a> Printer<'a> {
    /// A printer to these streams.
    pub fn new(out: &'a mut dyn Write, err: &'a mut dyn Write, style: Style) -> Self {
        Self { out, err, style }
    }

    /// Text on stdout, as it is.
    ///
    /// # Errors
    /// When stdout can't be written, or its reader has gone.
    pub fn data(&mut self, text: &str) -> Result<(), Failure> {
        self.out.write_all(text.as_bytes())?;
        Ok(self.out.flush()?)
    }

    /// A document on stdout.
    ///
    /// # Errors
    /// When stdout can't be written, or its reader has gone.
    pub fn document(&mut self, format: Document, value: &impl Serialize) -> Result<(), Failure> {
        let text = match format {
            Document::Json => serde_json::to_string_pretty(value).map(|text| text + "\n").map_err(|e| e.to_string()),
            Document::Yaml => serde_yaml::to_string(value).map_err(|e| e.to_string()),
        };
        match text {
            Ok(text) => self.data(&text),
            Err(error) => {
                Err(Failure::new(Exit::Undetermined, format!("the answer could not be written as a document: {error}")))
            }
        }
    }

    /// A line on stderr. Where stderr is gone there is nobody to tell, so that is no failure.
    pub fn note(&mut self, line: &str) {
        let _ = writeln!(self.err, "{line}");
    }

    /// A warning on stderr.
    pub fn warning(&mut self, message: &str) {
        let word = self.style.paint(Tone::Doubtful, "warning:");
        self.note(&format!("{word} {message}"));
    }

    /// An error on stderr, with what to do about it.
    pub fn error(&mut self, message: &str, hints: &[String]) {
        let word = self.style.paint(Tone::Bad, "error:");
        self.note(&format!("{word} {message}"));
        for hint in hints {
            self.note(&format!("  {hint}"));
        }
    }
}
