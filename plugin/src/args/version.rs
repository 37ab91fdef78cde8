//! `version`: what may be asked of it.

use clap::Args;

use super::output::Document;

/// What `version` is asked.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  {name} version
  {name} version -o json
")]
pub struct Version {
    /// Print a document instead of lines
    #[arg(short, long, value_enum, value_name = "FORMAT")]
    pub output: Option<Document>,
}
