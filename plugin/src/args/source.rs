//! Where answers come from: files (`-f`, `--config`), or a running agent (`--agent`).

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

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
#[derive(Clone, Debug, Args)]
pub struct Agent {
    /// The address of the agent's API, which is asked where no -f is given
    #[arg(long, value_name = "HOST:PORT", env = "GATEWAY_AGENT", default_value = DEFAULT_AGENT, conflicts_with = "filename")]
    pub agent: String,

    /// How long the agent may take to answer: 5s, 1m; 0 for as long as it likes
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration)]
    pub request_timeout: Duration,
}

/// Where an agent on this host answers unless it was told otherwise.
pub const DEFAULT_AGENT: &str = "127.0.0.1:19010";

/// Reads a duration the way kubectl does: a number of seconds, or numbers with units.
fn duration(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.parse::<u64>() {
        return Ok(Duration::from_secs(seconds));
    }
    let parsed: gateway_shared::api::duration::Duration =
        text.parse().map_err(|_| format!("`{text}` is no duration; write it like 500ms, 5s or 1m"))?;
    u64::try_from(parsed.as_nanos()).map(Duration::from_nanos).map_err(|_| "a duration can't be negative".to_owned())
}
