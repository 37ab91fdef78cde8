//! `version`: what may be asked of it.

use clap::Args;

use super::output::Document;
use super::source::Agent;

/// What `version` is asked.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  # This program, the agent and the cluster:
  {name} version

  # This program alone, without asking anybody:
  {name} version --client

  {name} version -o json
")]
pub struct Version {
    /// Ask neither agent nor cluster
    #[arg(long)]
    pub client: bool,

    /// The agent to ask.
    #[command(flatten)]
    pub agent: Agent,

    /// Print a document instead of lines
    #[arg(short, long, value_enum, value_name = "FORMAT")]
    pub output: Option<Document>,
}
