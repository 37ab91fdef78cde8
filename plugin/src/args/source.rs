//! Where answers come from: files (`-f`, `--config`), or a running agent (`--agent`).

use std::path::PathBuf;

use clap::Args;

use super::connection::Connection;

/// Manifests on disk.
#[derive(Clone, Debug, Default, Args)]
pub struct Files {
    /// A file, a folder (its *.yaml, *.yml and *.json files, folders below it too) or `-` for stdin; may be repeated
    #[arg(short = 'f', long = "filename", value_name = "PATH")]
    pub filename: Vec<PathBuf>,

    /// The EnvoyGateway configuration file the agent would run with [default: its defaults]
    #[arg(long, value_name = "FILE", requires = "filename")]
    pub config: Option<PathBuf>,
}

/// A running agent.
#[derive(Clone, Debug, Default, Args)]
pub struct Agent {
    /// The address of an agent's API, asked as it is [default: the agent of the cluster; without a kubeconfig the one
    /// on this host, 127.0.0.1:19010]
    #[arg(long, value_name = "HOST:PORT", env = "GATEWAY_AGENT")]
    pub agent: Option<String>,

    /// The namespace the agent runs in
    #[arg(long, value_name = "NAMESPACE", default_value = CONTROL_PLANE_NAMESPACE)]
    pub control_plane_namespace: String,

    /// The cluster it runs in.
    #[command(flatten)]
    pub connection: Connection,
}

/// Where an agent on this host answers unless it was told otherwise.
pub const DEFAULT_AGENT: &str = "127.0.0.1:19010";

/// Where `kubectl gateway install` puts the agent unless it is told otherwise.
pub const CONTROL_PLANE_NAMESPACE: &str = "envoy-gateway-system";
