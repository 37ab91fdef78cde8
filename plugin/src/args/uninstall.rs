//! `uninstall`: what may be asked of it.

use std::time::Duration;

use clap::Args;

use super::connection::{Connection, duration};
use super::source::CONTROL_PLANE_NAMESPACE;

/// What `uninstall` is asked.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  # Remove the agent; running proxies, definitions and all objects of yours stay:
  {name} uninstall

  # The proxies too, and the definitions with every object of them:
  {name} uninstall --fleets --crds

  # Back to the Envoy Gateway that `install --take-over` replaced:
  {name} uninstall --restore
")]
pub struct Uninstall {
    /// The namespace the agent runs in
    #[arg(short, long, value_name = "NAMESPACE", default_value = CONTROL_PLANE_NAMESPACE)]
    pub namespace: String,

    /// Remove the proxies of all Gateways too: traffic ends
    #[arg(long, conflicts_with = "restore")]
    pub fleets: bool,

    /// Remove the custom resource definitions that were installed, and with them every object of their kinds
    #[arg(long, conflicts_with = "restore")]
    pub crds: bool,

    /// Put back the Envoy Gateway that was taken over
    #[arg(long)]
    pub restore: bool,

    /// Change nothing, list what would go
    #[arg(long)]
    pub dry_run: bool,

    /// Don't ask
    #[arg(short, long)]
    pub yes: bool,

    /// How long to wait until everything is gone: 90s, 5m
    #[arg(long, value_name = "DURATION", default_value = "2m", value_parser = duration)]
    pub timeout: Duration,

    /// The cluster.
    #[command(flatten)]
    pub connection: Connection,
}
