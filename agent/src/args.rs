//! What `gateway-agent` can be told on its command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use crate::certificates::Certgen;
use crate::shutdown_manager::{ManagerArgs, ShutdownArgs};

/// The program: the agent itself, or one of its smaller jobs.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "gateway-agent",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    about = "Turns Gateway API objects into running Envoys",
    long_about = "Watches Gateway API objects, translates them, serves the result to Envoy over xDS, and runs the \
                  Envoys.\n\nOn one machine without Kubernetes (standalone), it reads the objects from files and runs \
                  one Envoy for each Gateway. An Envoy outlives an agent that is killed: start the agent again on the \
                  same state directory, and it takes the running Envoy over without a lost request.",
    after_long_help = "\
Examples:
  Run the quick start (two routes, two small backends):
    gateway-agent --config examples/quickstart/envoy-gateway.yaml

  With an Envoy of your choice and a log for machines:
    gateway-agent --config envoy-gateway.yaml --envoy-binary /usr/local/bin/envoy --log-format json

  Ask it why a route doesn't serve:
    kubectl gateway explain httproute/checkout -n shop --agent 127.0.0.1:19010

  See more, without a restart:
    curl -X PUT 'http://127.0.0.1:19000/logging?level=debug'

Signals:
  SIGTERM, SIGINT   drain and stop every Envoy, then end; a second one ends the agent at once
  SIGHUP            read the configuration file again"
)]
pub struct Cli {
    /// Another job than the agent's.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// How the agent runs.
    #[command(flatten)]
    pub agent: Option<Args>,
}

/// The jobs of the program.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Run the agent (what happens without a command, too).
    Server(Box<Args>),
    /// Make the certificates of the control plane: Secrets in its namespace, or files on this host.
    Certgen(Certgen),
    /// Beside an Envoy in its pod: hold up the pod's end until the Envoy is drained (used by the pods of fleets).
    ShutdownManager(ManagerArgs),
    /// Drain the Envoy of this pod (used by the pods of fleets).
    Shutdown(ShutdownArgs),
}

/// How the agent runs.
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// The EnvoyGateway configuration file.
    #[arg(long, short, value_name = "FILE", visible_alias = "config-path")]
    pub config: PathBuf,

    /// Directory for the files of running Envoys; one agent at a time uses it [default: stateHome of the
    /// configuration, or ~/.local/state/envoy-gateway].
    #[arg(long, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,

    /// The Envoy program [default: `envoy` on PATH].
    #[arg(long, value_name = "FILE", env = "ENVOY_BINARY")]
    pub envoy_binary: Option<PathBuf>,

    /// Where the xDS server listens [default: 127.0.0.1:18000, in a cluster 0.0.0.0:18000]. Without certificates it
    /// speaks plain text: keep it on loopback then.
    #[arg(long, value_name = "ADDRESS")]
    pub xds_address: Option<SocketAddr>,

    /// Where the API for `kubectl gateway` listens [default: 127.0.0.1:19010, in a cluster 0.0.0.0:19010,
    /// encrypted and for callers the API server knows]..
    #[arg(long, value_name = "ADDRESS")]
    pub api_address: Option<SocketAddr>,

    /// The directory with tls.crt, tls.key and ca.crt, which are read again when they change [default: /certs in a
    /// cluster, else none].
    #[arg(long, value_name = "DIR")]
    pub certs_dir: Option<PathBuf>,

    /// Where health, log level and the like are served [default: admin.address of the configuration, or
    /// 127.0.0.1:19000].
    #[arg(long, value_name = "ADDRESS")]
    pub admin_address: Option<SocketAddr>,

    /// Where Prometheus metrics are served [default: 127.0.0.1:19001, in a cluster 0.0.0.0:19001].
    #[arg(long, value_name = "ADDRESS")]
    pub metrics_address: Option<SocketAddr>,

    /// Where the kubelet asks for health and readiness [default: nowhere, in a cluster 0.0.0.0:8081].
    #[arg(long, value_name = "ADDRESS")]
    pub health_address: Option<SocketAddr>,

    /// How much is logged: error, warn, info, debug, trace, or per module such as `info,gateway_agent::xds=debug`
    /// [default: logging.level of the configuration, or info].
    #[arg(long, value_name = "LEVEL", env = "GATEWAY_LOG")]
    pub log_level: Option<String>,

    /// How the log is written [default: logging.encoder of the configuration, or text].
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub log_format: Option<LogFormat>,

    /// How long an Envoy goes on without an agent before it is drained.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub orphan_grace: Duration,

    /// How long open connections may last when an Envoy is stopped; EnvoyProxy spec.shutdown.drainTimeout wins
    /// [default: 60].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub drain_timeout: Option<Duration>,
}

/// How the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Reads a number of seconds, which may be a fraction.
///
/// # Errors
/// When it is none.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    text.trim_end_matches('s')
        .parse()
        .ok()
        .and_then(|seconds: f64| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| format!("`{text}` is not a number of seconds, such as 60 or 0.5"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn seconds_may_be_fractions_and_nothing_else() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(seconds("60s"), Ok(Duration::from_mins(1)));
        assert!(seconds("-1").is_err());
        assert!(seconds("soon").is_err());
    }
}
