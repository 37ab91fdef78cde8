//! What an agent and a guard say to each other: one JSON value a line, over a Unix socket in the instance's directory.
//!
//! The open connection itself is the lease. When the last one ends, the guard counts down.

use std::net::SocketAddr;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// From the agent to the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Command {
    /// Drain Envoy, stop it and go.
    Stop,
}

/// How an Envoy is doing, as its guard sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Phase {
    /// Started, and its admin interface isn't there yet.
    #[default]
    Starting,
    /// It runs, and its admin interface answers.
    Running,
    /// It ended by itself and will be started again.
    BackingOff,
    /// It takes its leave of its connections.
    Draining,
    /// It has ended.
    Stopped,
}

/// From the guard to the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "event")]
pub enum Event {
    /// The state, sent first on every connection and then on each change.
    State(State),
    /// A line Envoy wrote.
    Log {
        /// Whether it came on standard error, where Envoy's own log goes.
        error: bool,
        /// The line.
        line: String,
    },
}

/// The state of one Envoy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct State {
    /// What it is doing.
    pub phase: Phase,
    /// Its process, while there is one.
    pub pid: Option<u32>,
    /// The address of its admin interface, once it is known.
    pub admin: Option<SocketAddr>,
    /// How often it had to be started again.
    pub restarts: u32,
    /// How it ended last, in words.
    pub last_exit: Option<String>,
}

/// One end of the conversation, seen from the agent.
#[derive(Debug)]
pub struct Lease {
    events: Lines<BufReader<OwnedReadHalf>>,
    commands: OwnedWriteHalf,
}

impl Lease {
    /// Takes a lease on the guard that listens on `socket`.
    ///
    /// # Errors
    /// When no guard listens there.
    pub async fn take(socket: &Path) -> std::io::Result<Self> {
        let stream = match (socket.parent(), socket.file_name()) {
            // The name of a Unix socket has room for 107 bytes only; through its directory's descriptor it is short.
            (Some(directory), Some(name)) if socket.as_os_str().len() > 100 => {
                let directory = std::fs::File::open(directory)?;
                let descriptor = std::os::fd::AsRawFd::as_raw_fd(&directory);
                UnixStream::connect(Path::new(&format!("/proc/self/fd/{descriptor}")).join(name)).await?
            }
            _ => UnixStream::connect(socket).await?,
        };
        let (read, commands) = stream.into_split();
        Ok(Self { events: BufReader::new(read).lines(), commands })
    }

    /// The next event; `None` when the guard has gone.
    pub async fn next(&mut self) -> Option<Event> {
        receive(&mut self.events).await
    }

    /// Says `command`.
    ///
    /// # Errors
    /// When the guard has gone.
    pub async fn say(&mut self, command: Command) -> std::io::Result<()> {
        send(&mut self.commands, &command).await
    }
}

/// The next value on a connection that can be read; `None` when it has ended.
pub(super) async fn receive<T: serde::de::DeserializeOwned>(
    lines: &mut Lines<BufReader<impl AsyncRead + Unpin>>,
) -> Option<T> {
    while let Ok(Some(line)) = lines.next_line().await {
        // A line of another version of us that we don't know is no reason to let go.
        if let Ok(value) = serde_json::from_str(&line) {
            return Some(value);
        }
    }
    None
}

/// Sends one value.
pub(super) async fn send<T: Serialize>(to: &mut (impl AsyncWrite + Unpin), value: &T) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    to.write_all(&line).await
}
