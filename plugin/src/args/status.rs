//! `status`: what may be asked of it.

use clap::Args;

use super::output::Format;
use super::selection::Namespace;
use super::source::{Agent, Files};

/// What `status` is asked.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  # Everything in every namespace, worst first:
  {name} status -A

  # The Routes of one namespace that carry a label:
  {name} status httproutes -n shop -l app=checkout

  # What would become of manifests, without a cluster:
  {name} status -f manifests/
")]
pub struct Status {
    /// TYPE, TYPE/NAME or TYPE NAME [default: every type]
    #[arg(value_name = "TYPE")]
    pub object: Vec<String>,

    /// Which namespace.
    #[command(flatten)]
    pub namespace: Namespace,

    /// Every namespace
    #[arg(short = 'A', long, conflicts_with = "namespace")]
    pub all_namespaces: bool,

    /// Only objects with these labels: key=value, key!=value, key, !key
    #[arg(short = 'l', long, value_name = "SELECTOR", default_value = "", hide_default_value = true)]
    pub selector: String,

    /// Manifests to ask.
    #[command(flatten)]
    pub files: Files,

    /// The agent to ask.
    #[command(flatten)]
    pub agent: Agent,

    /// How to print the answer
    #[arg(short, long, value_enum, default_value_t = Format::Table, value_name = "FORMAT")]
    pub output: Format,
}
