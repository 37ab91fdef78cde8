//! Where objects come from: `-f`, `--config`, `--externals`.

use std::path::PathBuf;

use clap::Args;

/// Manifests on disk.
#[derive(Clone, Debug, Default, Args)]
pub struct Files {
    /// A file, a folder (its *.yaml, *.yml and *.json files, folders below it too) or `-` for stdin; may be repeated
    #[arg(short = 'f', long = "filename", value_name = "PATH")]
    pub filename: Vec<PathBuf>,

    /// The EnvoyGateway configuration file the agent would run with (default: its defaults)
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}
