//! The program: its modes, its signals, and how it ends.

use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use clap::Parser as _;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing::{info, warn};

use crate::agent::Agent;
use crate::args::{Args, Cli, Command};
use crate::certificates;
use crate::infra::host::{EXEC_MODE, GUARD_MODE, guard};
use crate::logging;
use crate::settings::{Settings, Surroundings};
use crate::shutdown_manager;

/// How often the configuration file is looked at.
const CONFIG_POLL: Duration = Duration::from_secs(1);

/// Runs the program: the agent, or under a hidden subcommand a guard of one Envoy.
#[must_use]
pub fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let outcome = match arguments.as_slice() {
        [mode, directory] if mode == OsStr::new(GUARD_MODE) => guard::run(Path::new(directory)),
        [mode, guard, program, rest @ ..] if mode == OsStr::new(EXEC_MODE) => {
            let guard = guard.to_str().and_then(|pid| pid.parse().ok()).unwrap_or_default();
            Err(guard::become_envoy(guard, Path::new(program), rest))
        }
        _ => job(Cli::parse()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Does what the command line asks for.
fn job(cli: Cli) -> anyhow::Result<()> {
    match cli {
        Cli { command: Some(Command::Server(args)), .. } => agent(&args),
        Cli { command: None, agent: Some(args) } => agent(&args),
        Cli { command: Some(Command::Certgen(asked)), .. } => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(certificates::run(&asked, &Surroundings::of_process()))
        }
        Cli { command: Some(Command::ShutdownManager(args)), .. } => shutdown_manager::manage(&args),
        Cli { command: Some(Command::Shutdown(args)), .. } => shutdown_manager::shut_down(&args),
        Cli { command: None, agent: None } => anyhow::bail!("the configuration file is missing: name it with --config"),
    }
}

fn agent(args: &Args) -> anyhow::Result<()> {
    let surroundings = Surroundings::of_process();
    let settings = Settings::read(args, &surroundings)?;
    let log_level = logging::start(&settings.log_level, settings.log_format).map_err(anyhow::Error::msg)?;
    // Known before the file can be replaced by a newer version.
    let program = std::env::current_exe().context("can't find our own program")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut signals = Signals::new(&args.config)?;
        let mut agent = Agent::start(settings, program, log_level).await?;
        loop {
            let event = tokio::select! {
                () = agent.keep_host() => Event::Stop("the translation ended"),
                event = signals.next(&args.config) => event,
            };
            match event {
                Event::Reload => match Settings::read(args, &surroundings) {
                    Ok(newer) => agent.reload(newer),
                    Err(error) => warn!("{error:#}; what was configured before goes on"),
                },
                Event::Stop(why) => {
                    info!("{why}: draining");
                    break;
                }
            }
        }
        tokio::select! {
            () = agent.shut_down() => info!("the agent has ended"),
            event = signals.stop() => warn!("{event} again: ending at once; the guards go on draining"),
        }
        Ok(())
    })
}

enum Event {
    Reload,
    Stop(&'static str),
}

/// What the outside world tells the program.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    /// The configuration file as it was seen last.
    seen: Option<Vec<u8>>,
}

impl Signals {
    fn new(config: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            seen: std::fs::read(config).ok(),
        })
    }

    async fn next(&mut self, config: &Path) -> Event {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return Event::Stop("SIGTERM"),
                _ = self.interrupt.recv() => return Event::Stop("SIGINT"),
                _ = self.hangup.recv() => return Event::Reload,
                () = tokio::time::sleep(CONFIG_POLL) => {
                    let Ok(now) = tokio::fs::read(config).await else { continue };
                    let before = self.seen.replace(now);
                    if before.is_some() && before != self.seen {
                        return Event::Reload;
                    }
                }
            }
        }
    }

    async fn stop(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}
