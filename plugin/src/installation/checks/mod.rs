//! What speaks for or against an installation: one function a check, each a reading of the facts.

mod control_planes;
mod definitions;
mod gateway_api;
mod image;
mod mode;
mod namespaces;
mod objects;
mod rights;
mod server;
pub mod version;

use gateway_shared::install::{InstallObject, Options};

use super::facts::Facts;
use super::gateway_api::Bundle;
use crate::render::printer::Printer;
use crate::render::style::Mark;
use crate::render::text::wrap;

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Good, doubtful or bad.
    pub mark: Mark,
    /// What is so.
    pub text: String,
    /// What to do about it.
    pub fix: Option<String>,
}

impl Check {
    fn good(text: impl Into<String>) -> Self {
        Self { mark: Mark::Yes, text: text.into(), fix: None }
    }

    fn doubtful(text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { mark: Mark::Warning, text: text.into(), fix: Some(fix.into()) }
    }

    fn unknown(text: impl Into<String>, why: impl Into<String>) -> Self {
        Self { mark: Mark::Unknown, text: format!("unknown {}", text.into()), fix: Some(why.into()) }
    }

    fn bad(text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { mark: Mark::No, text: text.into(), fix: Some(fix.into()) }
    }
}

/// What is about to be done.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// What is installed.
    pub options: &'a Options,
    /// All objects.
    pub objects: &'a [InstallObject],
    /// The Gateway API's own definitions, and whether the user named them.
    pub bundle: &'a Bundle,
    /// A running Envoy Gateway is replaced.
    pub take_over: bool,
    /// An earlier installation of ours is replaced.
    pub upgrade: bool,
    /// Definitions of others are replaced.
    pub replace_crds: bool,
    /// The image an earlier installation was told, unless another one is named now.
    pub kept_image: Option<&'a str>,
}

type Checker = fn(&Facts, &Plan<'_>) -> Vec<Check>;

/// The checks, in the order they are told.
const CHECKS: &[Checker] = &[
    server::check,
    rights::check,
    namespaces::check,
    gateway_api::check,
    definitions::check,
    control_planes::check,
    image::check,
    mode::check,
    objects::check,
];

/// What all checks found.
#[must_use]
pub fn all(facts: &Facts, plan: &Plan<'_>) -> Vec<Check> {
    CHECKS.iter().flat_map(|check| check(facts, plan)).collect()
}

/// Tells what was found, and says whether nothing is bad.
pub fn tell(checks: &[Check], printer: &mut Printer<'_>) -> bool {
    let style = printer.style;
    for Check { mark, text, fix } in checks {
        let sign = style.painted_sign(*mark);
        let words = match fix {
            Some(fix) => format!("{text}: {fix}"),
            None => text.clone(),
        };
        for (line, text) in wrap(&words, style.width.saturating_sub(4)).iter().enumerate() {
            let lead = if line == 0 { format!("  {sign} ") } else { "    ".to_owned() };
            printer.note(&format!("{lead}{text}"));
        }
    }
    checks.iter().all(|check| check.mark != Mark::No)
}

#[cfg(test)]
mod tests;
