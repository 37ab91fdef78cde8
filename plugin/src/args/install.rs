//! `install` and `upgrade`: what may be asked of them.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::connection::{Connection, duration};
use super::output::Document;
use super::source::CONTROL_PLANE_NAMESPACE;

/// What `install` is asked.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  # Check the cluster, show what will be created, ask, install, and wait until the agent is ready:
  {name} install

  # With a GatewayClass to use at once, for scripts:
  {name} install --gateway-class eg --yes

  # Two agents that watch two namespaces, proxies beside their Gateways:
  {name} install --replicas 2 --watch-namespaces shop,infra --namespace-mode GatewayNamespace

  # All objects as YAML, for GitOps; no cluster is asked:
  {name} install -o yaml > gateway.yaml

  # Instead of a running Envoy Gateway 1.9, without a lost request:
  {name} install --take-over
")]
pub struct Install {
    /// What is installed.
    #[command(flatten)]
    pub settings: Settings,

    /// Replace a running Envoy Gateway 1.9: its names, Secrets, configuration and custom resource definitions are kept,
    /// and its proxies go on; `uninstall --restore` is the way back
    #[arg(long)]
    pub take_over: bool,

    /// Print the objects instead of applying them; no cluster is asked
    #[arg(short, long, value_enum, value_name = "FORMAT", conflicts_with = "dry_run")]
    pub output: Option<Document>,

    /// How it is done.
    #[command(flatten)]
    pub doing: Doing,
}

/// What `upgrade` is asked.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  # Show what changes, ask, and roll the agent to this program's version:
  {name} upgrade

  # Only show it:
  {name} upgrade --dry-run=server

  # Change a setting; all others stay as they were installed:
  {name} upgrade --replicas 3 --yes
")]
pub struct Upgrade {
    /// What is installed instead.
    #[command(flatten)]
    pub settings: Settings,

    /// How it is done.
    #[command(flatten)]
    pub doing: Doing,
}

/// What is installed.
#[derive(Clone, Debug, Default, Args)]
pub struct Settings {
    /// The namespace the agent runs in
    #[arg(short, long, value_name = "NAMESPACE", default_value = CONTROL_PLANE_NAMESPACE)]
    pub namespace: String,

    /// The agent's image [default: that of this version]
    #[arg(long, value_name = "IMAGE")]
    pub image: Option<String>,

    /// How many agents; one leads, all serve [default: 1]
    #[arg(long, value_name = "COUNT")]
    pub replicas: Option<i32>,

    /// What one agent is promised [default: cpu=100m,memory=128Mi]
    #[arg(long, value_name = "cpu=…,memory=…", value_delimiter = ',', value_parser = amount)]
    pub requests: Vec<(String, String)>,

    /// What one agent may use at most [default: memory=1024Mi]
    #[arg(long, value_name = "cpu=…,memory=…", value_delimiter = ',', value_parser = amount)]
    pub limits: Vec<(String, String)>,

    /// Whose namespace proxies run in [default: ControllerNamespace]
    #[arg(long, value_enum, value_name = "MODE")]
    pub namespace_mode: Option<NamespaceMode>,

    /// The namespaces that are watched, and that the agent gets rights in; `*` for all [default: all]
    #[arg(long, value_name = "NAMESPACE,…", value_delimiter = ',', value_parser = watched)]
    pub watch_namespaces: Option<Vec<String>>,

    /// Make a GatewayClass of this name
    #[arg(long, value_name = "NAME")]
    pub gateway_class: Option<String>,

    /// The EnvoyGateway configuration file [default: the one in the cluster, or Envoy Gateway's defaults]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// These and more settings as YAML; flags win over it
    #[arg(long, value_name = "FILE")]
    pub values: Option<PathBuf>,

    /// The Gateway API's own custom resource definitions: a file, a URL, or `none` to leave them alone. What is
    /// installed already is kept unless a file or URL is named [default: the release of v1.6.1]
    #[arg(long, value_name = "FILE|URL|none")]
    pub gateway_api_crds: Option<String>,

    /// Which of the releases of the Gateway API is the default
    #[arg(long, value_enum, value_name = "CHANNEL", default_value_t = Channel::Experimental)]
    pub channel: Channel,

    /// Replace definitions of gateway.envoyproxy.io that somebody else installed; the objects stay
    #[arg(long)]
    pub replace_crds: bool,
}

/// How it is done.
#[derive(Clone, Debug, Args)]
pub struct Doing {
    /// Change nothing: `client` lists the objects, `server` asks the API server what would become of each
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "client")]
    pub dry_run: Option<DryRun>,

    /// Don't ask
    #[arg(short, long)]
    pub yes: bool,

    /// How long to wait for the agent to be ready: 90s, 5m
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = duration)]
    pub timeout: Duration,

    /// The cluster.
    #[command(flatten)]
    pub connection: Connection,
}

/// Whose namespace proxies run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "PascalCase")]
pub enum NamespaceMode {
    /// The agent's
    ControllerNamespace,
    /// Their Gateway's
    GatewayNamespace,
}

/// The release channels of the Gateway API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Channel {
    /// What is stable
    Standard,
    /// That, and what is still being tried out, which Envoy Gateway installs too
    #[default]
    Experimental,
}

/// Who is asked what would happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DryRun {
    /// Nobody
    Client,
    /// The API server
    Server,
}

/// An empty name is a variable that isn't set, and hardly means all namespaces.
fn watched(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("a namespace has a name; write `*` for all of them".to_owned());
    }
    Ok(text.to_owned())
}

fn amount(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((resource, amount)) if !resource.is_empty() && !amount.is_empty() => {
            Ok((resource.to_owned(), amount.to_owned()))
        }
        _ => Err(format!("`{text}` is no amount of a resource; write it like cpu=100m or memory=256Mi")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_no_namespace() {
        assert_eq!(watched("shop"), Ok("shop".to_owned()));
        assert!(watched("").is_err_and(|why| why.contains("write `*`")));
    }
}
