//! The guard: a small process of its own that runs one Envoy, so that Envoy outlives an agent that is killed and is
//! no orphan either.
//!
//! It starts Envoy again when Envoy ends by itself, and drains and stops it when the agent says so, when it is told to
//! terminate, or when no agent has held a lease for the grace period.

use std::fs::File;
use std::io::Write as _;
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::process::{Child, ChildStderr, ChildStdout};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{broadcast, mpsc, watch};

use super::launch::{InstanceDir, Launch};
use super::lease::{Command, Event, Phase, State, receive, send};
use super::log_file::LogFile;
use crate::admin_client::AdminClient;
use crate::backoff::Backoff;

/// How many lines of Envoy's are kept for an agent that is slow to take them; older ones are only in the file.
const LINES_KEPT: usize = 1024;
/// How long Envoy has to end after SIGTERM.
const TERM_TIMEOUT: Duration = Duration::from_secs(5);
/// How often a draining Envoy is asked for its connections.
const DRAIN_POLL: Duration = Duration::from_millis(100);

/// Runs the guard of the instance in `directory` until its Envoy has been stopped for good.
///
/// # Errors
/// When the instance already has a guard, or its files can't be used.
pub fn run(directory: &Path) -> anyhow::Result<()> {
    // A session of our own: neither the terminal's Ctrl-C nor the end of the agent's group reaches us.
    if let Err(error) = rustix::process::setsid() {
        eprintln!("guard: no session of its own ({error}); it ends with the agent's terminal");
    }
    // Paths relative to the instance's directory are short, as the name of a socket has to be.
    std::env::set_current_dir(directory).with_context(|| format!("can't enter {}", directory.display()))?;
    let dir = InstanceDir::at(std::path::PathBuf::from("."));
    let mut lock = File::options().create(true).truncate(false).write(true).open(dir.lock())?;
    lock.try_lock().map_err(|error| anyhow::anyhow!("{} has a guard already: {error}", directory.display()))?;
    lock.set_len(0)?;
    writeln!(lock, "{}", std::process::id())?;

    let text = std::fs::read(dir.launch()).with_context(|| format!("can't read {}", dir.launch().display()))?;
    let launch: Launch = serde_json::from_slice(&text).context("the launch file is not ours")?;
    std::fs::write(dir.bootstrap(), &launch.bootstrap).context("can't write the bootstrap file")?;

    // One thread, the main one: the kernel ends Envoy when the thread that started it ends.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let outcome = runtime.block_on(Guard::new(dir.clone(), launch)?.run());
    drop(std::fs::remove_file(dir.socket()));
    drop(lock);
    outcome
}

/// Why Envoy has to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    Asked,
    Terminated,
    Abandoned,
}

struct Guard {
    dir: InstanceDir,
    launch: Arc<Launch>,
    state: watch::Sender<State>,
    lines: broadcast::Sender<(bool, String)>,
    log: Arc<LogFile>,
}

impl Guard {
    fn new(dir: InstanceDir, launch: Launch) -> anyhow::Result<Self> {
        let log = LogFile::open(dir.envoy_log()).context("can't open the log file of Envoy")?;
        Ok(Self {
            dir,
            launch: Arc::new(launch),
            state: watch::channel(State::default()).0,
            lines: broadcast::channel(LINES_KEPT).0,
            log: Arc::new(log),
        })
    }

    async fn run(self) -> anyhow::Result<()> {
        // What a guard that was killed left behind; the lock says that there is no other.
        drop(std::fs::remove_file(self.dir.socket()));
        let listener = UnixListener::bind(self.dir.socket()).context("can't listen on the guard's socket")?;
        let (leases, lease_count) = watch::channel(0_usize);
        let (commands, mut asked) = mpsc::channel(1);
        let serving =
            tokio::spawn(serve(listener, Arc::new(leases), commands, self.state.subscribe(), self.lines.clone()));
        let mut stop = StopReasons {
            terminate: signal(SignalKind::terminate())?,
            lease_count,
            grace: Duration::from_millis(self.launch.grace_ms),
            alone_since: None,
        };

        let mut backoff = Backoff::new(Duration::from_millis(200), Duration::from_secs(30));
        let reason = 'envoy: loop {
            let started = Instant::now();
            match self.start() {
                Ok(mut child) => {
                    let reading = tokio::spawn(admin_address(self.dir.clone(), self.state.clone()));
                    let ended = tokio::select! {
                        status = child.wait() => words(status),
                        reason = stop.next(&mut asked) => {
                            reading.abort();
                            self.stop(&mut child, reason).await;
                            break 'envoy reason;
                        }
                    };
                    reading.abort();
                    self.went(format!("Envoy ended by itself: {ended}"));
                }
                Err(error) => self.went(format!("Envoy can't be started: {error:#}")),
            }
            if started.elapsed() > Duration::from_secs(60) {
                backoff.reset();
            }
            tokio::select! {
                () = tokio::time::sleep(backoff.next_delay()) => {}
                reason = stop.next(&mut asked) => break reason,
            }
            self.state.send_modify(|state| state.restarts = state.restarts.saturating_add(1));
        };
        self.log.line(&format!("guard: stopped ({reason:?})"));
        self.state.send_modify(|state| {
            state.phase = Phase::Stopped;
            state.pid = None;
            state.admin = None;
        });
        // Whoever is connected shall still read the last state.
        tokio::time::sleep(Duration::from_millis(20)).await;
        serving.abort();
        Ok(())
    }

    /// Notes that there is no Envoy now.
    fn went(&self, why: String) {
        self.log.line(&format!("guard: {why}"));
        drop(self.lines.send((true, why.clone())));
        self.state.send_modify(|state| {
            *state = State {
                phase: Phase::BackingOff,
                pid: None,
                admin: None,
                restarts: state.restarts,
                last_exit: Some(why),
            };
        });
    }

    fn start(&self) -> anyhow::Result<Child> {
        drop(std::fs::remove_file(self.dir.admin_address()));
        let mut command = std::process::Command::new(std::env::current_exe()?);
        command
            .arg(super::EXEC_MODE)
            .arg(std::process::id().to_string())
            .arg(&self.launch.envoy)
            .arg("--config-path")
            .arg(self.dir.bootstrap())
            .arg("--admin-address-path")
            .arg(self.dir.admin_address())
            .arg("--use-dynamic-base-id")
            .args(&self.launch.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = tokio::process::Command::from(command).kill_on_drop(true).spawn()?;
        self.log.line(&format!("guard: Envoy started, process {}", child.id().unwrap_or_default()));
        if let Some(out) = child.stdout.take() {
            tokio::spawn(relay::<ChildStdout>(out, false, Arc::clone(&self.log), self.lines.clone()));
        }
        if let Some(err) = child.stderr.take() {
            tokio::spawn(relay::<ChildStderr>(err, true, Arc::clone(&self.log), self.lines.clone()));
        }
        let pid = child.id();
        self.state.send_modify(|state| {
            state.phase = Phase::Starting;
            state.pid = pid;
            state.admin = None;
        });
        Ok(child)
    }

    /// Takes Envoy down: no new work, time for what is open, SIGTERM, SIGKILL.
    async fn stop(&self, child: &mut Child, reason: Reason) {
        self.log.line(&format!("guard: stopping Envoy ({reason:?})"));
        self.state.send_modify(|state| state.phase = Phase::Draining);
        let admin = self.state.borrow().admin;
        if let Some(address) = admin {
            let limit = Duration::from_millis(self.launch.drain_timeout_ms);
            tokio::select! {
                _ = child.wait() => return,
                () = drain(AdminClient::new(address, Duration::from_secs(2)), limit) => {}
            }
        }
        if let Some(pid) = child.id().and_then(|pid| rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
        if tokio::time::timeout(TERM_TIMEOUT, child.wait()).await.is_err() {
            self.log.line("guard: Envoy did not end after SIGTERM; killing it");
            drop(child.kill().await);
        }
    }
}

/// What can end an Envoy's time.
struct StopReasons {
    terminate: Signal,
    lease_count: watch::Receiver<usize>,
    grace: Duration,
    /// Since when no agent has held a lease.
    alone_since: Option<tokio::time::Instant>,
}

impl StopReasons {
    /// Waits for the first reason to stop.
    async fn next(&mut self, asked: &mut mpsc::Receiver<Command>) -> Reason {
        loop {
            self.alone_since = match *self.lease_count.borrow_and_update() {
                0 => self.alone_since.or_else(|| Some(tokio::time::Instant::now())),
                _ => None,
            };
            let deadline = self.alone_since.map(|since| since + self.grace);
            let abandoned = async {
                match deadline {
                    Some(deadline) => tokio::time::sleep_until(deadline).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                Some(Command::Stop) = asked.recv() => return Reason::Asked,
                _ = self.terminate.recv() => return Reason::Terminated,
                Ok(()) = self.lease_count.changed() => {}
                () = abandoned => return Reason::Abandoned,
            }
        }
    }
}

/// Asks Envoy to send its clients away and waits until none is connected, at most `limit`.
async fn drain(admin: AdminClient, limit: Duration) {
    let started = Instant::now();
    for path in ["/healthcheck/fail", "/drain_listeners?graceful&skip_exit"] {
        if admin.post(path).await.is_err() {
            return;
        }
    }
    while started.elapsed() < limit {
        if !matches!(admin.stat("server.total_connections").await, Ok(Some(1..))) {
            return;
        }
        tokio::time::sleep(DRAIN_POLL).await;
    }
}

/// Waits for Envoy to say where its admin interface is.
async fn admin_address(dir: InstanceDir, state: watch::Sender<State>) {
    loop {
        let address: Option<SocketAddr> =
            std::fs::read_to_string(dir.admin_address()).ok().and_then(|text| text.trim().parse().ok());
        if let Some(address) = address {
            state.send_modify(|state| {
                state.phase = Phase::Running;
                state.admin = Some(address);
            });
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Copies what Envoy writes into its log file and to whoever listens.
async fn relay<R: AsyncRead + Unpin>(
    from: R,
    error: bool,
    log: Arc<LogFile>,
    lines: broadcast::Sender<(bool, String)>,
) {
    let mut reader = BufReader::new(from);
    let mut bytes = Vec::new();
    while matches!(reader.read_until(b'\n', &mut bytes).await, Ok(1..)) {
        let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
        log.line(&line);
        drop(lines.send((error, line)));
        bytes.clear();
    }
}

/// Answers agents. Each connection is a lease for as long as it lasts.
async fn serve(
    listener: UnixListener,
    leases: Arc<watch::Sender<usize>>,
    commands: mpsc::Sender<Command>,
    state: watch::Receiver<State>,
    lines: broadcast::Sender<(bool, String)>,
) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        leases.send_modify(|count| *count = count.saturating_add(1));
        let (leases, commands, state) = (Arc::clone(&leases), commands.clone(), state.clone());
        let lines = lines.subscribe();
        tokio::spawn(async move {
            converse(stream, commands, state, lines).await;
            leases.send_modify(|count| *count = count.saturating_sub(1));
        });
    }
}

async fn converse(
    stream: UnixStream,
    commands: mpsc::Sender<Command>,
    mut state: watch::Receiver<State>,
    mut lines: broadcast::Receiver<(bool, String)>,
) {
    let (read, mut write) = stream.into_split();
    let mut incoming = BufReader::new(read).lines();
    state.mark_changed();
    loop {
        let event = tokio::select! {
            command = receive::<Command>(&mut incoming) => match command {
                Some(command) => {
                    let _ = commands.send(command).await;
                    continue;
                }
                None => return,
            },
            changed = state.changed() => match changed {
                Ok(()) => Event::State(state.borrow_and_update().clone()),
                Err(_) => return,
            },
            line = lines.recv() => match line {
                Ok((error, line)) => Event::Log { error, line },
                Err(broadcast::error::RecvError::Lagged(missed)) => Event::Log {
                    error: true,
                    line: format!("{missed} lines of Envoy's are only in its log file: they came too fast"),
                },
                Err(broadcast::error::RecvError::Closed) => return,
            },
        };
        if send(&mut write, &event).await.is_err() {
            return;
        }
    }
}

/// How a process ended, in words.
fn words(status: std::io::Result<ExitStatus>) -> String {
    match status {
        Ok(status) => match (status.code(), status.signal()) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => status.to_string(),
        },
        Err(error) => error.to_string(),
    }
}

/// Becomes Envoy, after asking the kernel to end it together with the guard.
///
/// # Errors
/// Whenever it returns: Envoy was not started.
pub fn become_envoy(guard: u32, program: &Path, arguments: &[std::ffi::OsString]) -> anyhow::Error {
    if let Err(error) = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL)) {
        return anyhow::anyhow!("can't tie Envoy's life to its guard's: {error}");
    }
    // The guard may have ended before the kernel knew.
    let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
    if parent.and_then(|pid| u32::try_from(pid).ok()) != Some(guard) {
        return anyhow::anyhow!("the guard {guard} has ended");
    }
    let error = std::process::Command::new(program).args(arguments).exec();
    anyhow::anyhow!("can't run {}: {error}", program.display())
}
