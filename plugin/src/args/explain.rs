//! `explain`: what may be asked of it.

use clap::Args;

use super::output::Format;
use super::selection::Namespace;
use super::source::{Agent, Files};

/// What `explain` is asked.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  # Which layer stops this Route, and what fixes it? Asked of the running agent:
  {name} explain httproute/checkout -n shop

  # The same, asked of files: nothing needs to run
  {name} explain httproute checkout -n shop -f manifests/

  # Look on behind the first broken layer, as JSON:
  {name} explain gateway/edge -n infra --all -o json

A layer answers yes, no or unknown. Files answer for attachment, IR and snapshot; delivery and warming need an agent.
")]
pub struct Explain {
    /// TYPE/NAME or TYPE NAME: an httproute, tlsroute, tcproute, udproute, gateway or gatewayclass
    #[arg(required = true, value_name = "TYPE/NAME")]
    pub object: Vec<String>,

    /// Which namespace.
    #[command(flatten)]
    pub namespace: Namespace,

    /// Look on behind the first broken layer
    #[arg(long)]
    pub all: bool,

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
