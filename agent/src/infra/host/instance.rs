//! One Envoy instance seen from the agent: its guard is found or started, held, heard, and told to stop.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::Context as _;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tracing::{debug, info, warn};

use super::launch::{InstanceDir, Launch};
use super::lease::{Command, Event, Lease, Phase, State};
use crate::admin_client::AdminClient;
use crate::backoff::Backoff;

/// How long a guard has to answer on its socket after its start.
const GUARD_START: Duration = Duration::from_secs(5);

/// What is known of one instance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstanceStatus {
    /// What its guard says of it.
    pub state: State,
    /// Whether Envoy has said that it is ready for traffic.
    pub ready: bool,
    /// Why it can't be run, when that is so.
    pub problem: Option<String>,
}

/// Runs one instance until `stop`, then drains it; returns when it is gone.
///
/// An Envoy that an earlier agent left behind is taken over as it is.
pub(super) async fn run(
    guard_program: PathBuf,
    dir: InstanceDir,
    launch: Launch,
    status: watch::Sender<InstanceStatus>,
    stop: CancellationToken,
) {
    let mut backoff = Backoff::new(Duration::from_millis(200), Duration::from_secs(30));
    while !stop.is_cancelled() {
        let lease = match Lease::take(&dir.socket()).await {
            Ok(lease) => {
                info!(ir_key = %launch.ir_key, dir = %dir.path().display(), "taking over the Envoy that runs already");
                Ok(lease)
            }
            Err(_) => start(&guard_program, &dir, &launch).await,
        };
        match lease {
            Ok(lease) => {
                backoff.reset();
                hold(lease, &dir, &launch, &status, &stop).await;
                if !stop.is_cancelled() {
                    warn!(ir_key = %launch.ir_key, "the guard of this Envoy has gone; starting another");
                }
            }
            Err(error) => {
                let problem = format!("{error:#}");
                warn!(ir_key = %launch.ir_key, problem, "Envoy can't be run");
                status.send_modify(|status| status.problem = Some(problem));
            }
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(backoff.next_delay()) => {}
        }
    }
    drop(std::fs::remove_dir_all(dir.path()));
}

/// Starts a guard and takes its lease.
async fn start(program: &std::path::Path, dir: &InstanceDir, launch: &Launch) -> anyhow::Result<Lease> {
    std::fs::create_dir_all(dir.path()).with_context(|| format!("can't create {}", dir.path().display()))?;
    let unfinished = dir.launch().with_extension("new");
    std::fs::write(&unfinished, serde_json::to_vec_pretty(launch)?)
        .and_then(|()| std::fs::rename(&unfinished, dir.launch()))
        .with_context(|| format!("can't write {}", dir.launch().display()))?;
    let log = File::options().create(true).append(true).open(dir.guard_log())?;
    let mut command = std::process::Command::new(program);
    command
        .arg(super::GUARD_MODE)
        .arg(dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::from(log.try_clone()?))
        .stderr(Stdio::from(log))
        // Out of our process group: Ctrl-C on a terminal is for the agent, which then drains its Envoys.
        .process_group(0);
    let mut child = tokio::process::Command::from(command)
        .spawn()
        .with_context(|| format!("can't start the guard {}", program.display()))?;
    let deadline = tokio::time::Instant::now() + GUARD_START;
    loop {
        if let Ok(lease) = Lease::take(&dir.socket()).await {
            info!(ir_key = %launch.ir_key, dir = %dir.path().display(), "started an Envoy");
            // Its end shows on the lease; here it is only waited for, so that no zombie stays.
            tokio::spawn(async move { child.wait().await });
            return Ok(lease);
        }
        if let Some(status) = child.try_wait()? {
            let said = std::fs::read_to_string(dir.guard_log()).unwrap_or_default();
            let last = said.lines().last().unwrap_or("it said nothing");
            anyhow::bail!("the guard ended at once ({status}): {last}");
        }
        if tokio::time::Instant::now() > deadline {
            drop(child.kill().await);
            anyhow::bail!("the guard did not answer within {} s", GUARD_START.as_secs());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Holds the lease until the guard goes; tells it to once `stop` is cancelled.
async fn hold(
    mut lease: Lease,
    dir: &InstanceDir,
    launch: &Launch,
    status: &watch::Sender<InstanceStatus>,
    stop: &CancellationToken,
) {
    let mut told = None;
    // Its own limits are tighter; this one is for a guard that hangs.
    let patience = Duration::from_millis(launch.drain_timeout_ms) + Duration::from_secs(15);
    let mut polling = tokio::time::interval(Duration::from_millis(100));
    polling.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            event = lease.next() => match event {
                Some(Event::Log { error, line }) => heard(&launch.ir_key, error, &line),
                Some(Event::State(state)) => changed(&launch.ir_key, state, status),
                None => {
                    status.send_modify(|status| {
                        status.state = State { phase: Phase::Stopped, ..State::default() };
                        status.ready = false;
                    });
                    return;
                }
            },
            () = stop.cancelled(), if told.is_none() => {
                told = Some(tokio::time::Instant::now());
                if lease.say(Command::Stop).await.is_err() {
                    return;
                }
            }
            () = tokio::time::sleep_until(told.unwrap_or_else(tokio::time::Instant::now) + patience), if told.is_some() => {
                warn!(ir_key = %launch.ir_key, "the guard did not stop its Envoy in time; killing it");
                kill(dir);
                return;
            }
            _ = polling.tick(), if told.is_none() => {
                let admin = status.borrow().state.admin;
                let ready = match admin {
                    Some(address) =>
                        AdminClient::new(address, Duration::from_secs(1)).ready().await.unwrap_or(false),
                    None => false,
                };
                if ready && !status.borrow().ready {
                    info!(ir_key = %launch.ir_key, "Envoy is ready");
                    polling = tokio::time::interval(Duration::from_secs(2));
                    polling.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
                }
                status.send_if_modified(|status| std::mem::replace(&mut status.ready, ready) != ready);
            }
        }
    }
}

/// Kills the guard of this instance, and with it its Envoy.
fn kill(dir: &InstanceDir) {
    let pid = std::fs::read_to_string(dir.lock()).ok().and_then(|text| text.trim().parse().ok());
    if let Some(pid) = pid.and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}

fn changed(ir_key: &str, state: State, status: &watch::Sender<InstanceStatus>) {
    match (state.phase, &state.last_exit) {
        (Phase::BackingOff, Some(why)) => warn!(ir_key, restarts = state.restarts, "{why}"),
        (phase, _) => debug!(ir_key, ?phase, pid = state.pid, "Envoy"),
    }
    status.send_modify(|status| {
        status.ready &= state.phase == Phase::Running;
        status.state = state;
        status.problem = None;
    });
}

/// Puts a line of Envoy's into our own log, at the level it has there.
///
/// Envoy writes `[time][thread][level][component] [file:line] text`; what isn't of that form is an access log.
fn heard(ir_key: &str, error: bool, line: &str) {
    let level = line.strip_prefix('[').and_then(|rest| rest.split("][").nth(2));
    match level {
        Some("critical" | "error") => tracing::error!(target: "envoy", ir_key, "{line}"),
        Some("warning") => warn!(target: "envoy", ir_key, "{line}"),
        Some("debug" | "trace") => debug!(target: "envoy", ir_key, "{line}"),
        Some(_) => info!(target: "envoy", ir_key, "{line}"),
        None if error => warn!(target: "envoy", ir_key, "{line}"),
        None => info!(target: "envoy", ir_key, "{line}"),
    }
}
