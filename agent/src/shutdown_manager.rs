//! What stands beside an Envoy in its pod: it holds the pod's end up until Envoy's connections are drained.
//!
//! Two programs share a container. The manager answers the `preStop` hook of the Envoy container once the drain is over;
//! the drain itself is run by the `preStop` hook of our own. They meet in a file. The image has no shell and little else.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use clap::Args as ClapArgs;
use gateway_shared::api::duration;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, sleep};

use crate::admin_client::{AdminClient, AdminError};

/// The port of the manager, as Envoy Gateway's.
const PORT: u16 = 19_002;
/// Where Envoy's admin interface listens in its pod.
const ADMIN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 19_000);
/// How long Envoy may take to answer.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);
/// How often is looked whether the drain is over.
const PACE: Duration = Duration::from_secs(1);
/// The file that says it is, and the folders it may be in: what is writable depends on the image.
const READY_FILE: &str = "shutdown-ready";
const FOLDERS: [&str; 2] = ["/tmp", "/dev/shm"];
/// Connections that say nothing about clients: the admin interface, readiness and statistics, and counts of one thread.
const NOT_CLIENTS: [&str; 4] = ["admin", "19001", "19003", "worker"];

/// How the manager runs.
#[derive(Clone, Debug, ClapArgs)]
pub struct ManagerArgs {
    /// How long a pod's end is held up at most. More than the drain timeout of `shutdown`, less than the pod's
    /// terminationGracePeriodSeconds.
    #[arg(long, value_name = "DURATION", default_value = "610s", value_parser = go_duration)]
    pub ready_timeout: Duration,
}

/// How a drain runs.
#[derive(Clone, Debug, ClapArgs)]
pub struct ShutdownArgs {
    /// How long health checks go on to succeed while listeners drain already.
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = go_duration)]
    pub health_check_failure_delay: Duration,

    /// How long open connections may last. Less than the pod's terminationGracePeriodSeconds.
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = go_duration)]
    pub drain_timeout: Duration,

    /// How long the drain lasts at least, so that everybody has learned that this pod is leaving.
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = go_duration)]
    pub min_drain_duration: Duration,

    /// The drain is over when no more connections than this are open.
    #[arg(long, value_name = "NUMBER", default_value = "0")]
    pub exit_at_connections: u64,
}

/// Runs the manager until it is told to stop.
///
/// # Errors
/// When it can't listen.
pub fn manage(args: &ManagerArgs) -> anyhow::Result<()> {
    runtime()?.block_on(async {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let listener = listen().await?;
        let timeout = args.ready_timeout;
        let router =
            Router::new().route("/healthz", get(|| async {})).route("/shutdown/ready", get(move || ready(timeout)));
        say(&format!("the shutdown manager listens on port {PORT}"));
        axum::serve(listener, router)
            .with_graceful_shutdown(async move {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
                say("told to stop: open requests are still answered");
            })
            .await?;
        Ok(())
    })
}

/// Drains the Envoy of this pod and says so to the manager.
///
/// # Errors
/// When the manager can't be told.
pub fn shut_down(args: &ShutdownArgs) -> anyhow::Result<()> {
    runtime()?.block_on(async {
        drain(args, AdminClient::new(ADMIN, ANSWER_LIMIT)).await;
        mark_ready()
    })
}

/// Both programs do next to nothing: one thread is plenty.
fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

async fn listen() -> anyhow::Result<TcpListener> {
    let any =
        [IpAddr::V6(Ipv6Addr::UNSPECIFIED), IpAddr::V4(Ipv4Addr::UNSPECIFIED)].map(|ip| SocketAddr::new(ip, PORT));
    TcpListener::bind(&any[..]).await.with_context(|| format!("the shutdown manager can't listen on port {PORT}"))
}

/// Answers once the drain is over.
async fn ready(timeout: Duration) -> StatusCode {
    say("Envoy is to stop: waiting until its connections are drained");
    let waited = tokio::time::timeout(timeout, async {
        while !ready_files().any(|file| file.exists()) {
            sleep(PACE).await;
        }
    });
    if waited.await.is_ok() {
        say("drained: Envoy may stop");
        StatusCode::OK
    } else {
        say("the drain isn't over in time: Envoy stops all the same");
        StatusCode::INTERNAL_SERVER_ERROR
    }
}

fn ready_files() -> impl Iterator<Item = PathBuf> {
    FOLDERS.into_iter().map(|folder| Path::new(folder).join(READY_FILE))
}

fn mark_ready() -> anyhow::Result<()> {
    let made = ready_files().any(|file| std::fs::write(file, "").is_ok());
    anyhow::ensure!(made, "the drain is over, but no file can be written in {}", FOLDERS.join(" or "));
    Ok(())
}

/// What is known of a drain. Its decisions are made here, and the time is told to it.
#[derive(Debug)]
struct Drain<'a> {
    args: &'a ShutdownArgs,
    /// Whether health checks have been made to fail.
    failing: bool,
}

/// What to do next about a drain.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    /// Make health checks fail; Envoy drains its listeners then too.
    FailHealthChecks,
    /// Look again later.
    Wait,
    /// It is over.
    Done(&'static str),
}

impl Drain<'_> {
    /// What to do `elapsed` after the start, with so many connections open; `None` when Envoy doesn't say.
    fn next(&mut self, elapsed: Duration, connections: Option<u64>) -> Next {
        let args = self.args;
        if !self.failing && elapsed >= args.health_check_failure_delay {
            self.failing = true;
            return Next::FailHealthChecks;
        }
        if elapsed > args.drain_timeout {
            return Next::Done("connections are still open when the drain timeout ends");
        }
        let few = connections.is_some_and(|open| open <= args.exit_at_connections);
        if few && elapsed > args.min_drain_duration { Next::Done("connections are drained") } else { Next::Wait }
    }
}

async fn drain(args: &ShutdownArgs, envoy: AdminClient) {
    let started = Instant::now();
    say(&format!(
        "draining for {} s at least and {} s at most",
        args.min_drain_duration.as_secs(),
        args.drain_timeout.as_secs()
    ));
    if !args.health_check_failure_delay.is_zero() {
        post(&envoy, "/drain_listeners?graceful&skip_exit").await;
    }
    let mut drain = Drain { args, failing: false };
    let mut said = String::new();
    loop {
        let (open, words) = match connections(&envoy).await {
            Ok(Some(open)) => (Some(open), format!("{open} connections are open")),
            Ok(None) => (None, "Envoy has no listener yet".to_owned()),
            Err(words) => (None, words),
        };
        if words != said {
            say(&words);
            said = words;
        }
        match drain.next(started.elapsed(), open) {
            Next::FailHealthChecks => post(&envoy, "/healthcheck/fail").await,
            Next::Wait => sleep(PACE).await,
            Next::Done(why) => return say(why),
        }
    }
}

async fn post(envoy: &AdminClient, path: &str) {
    match envoy.post(path).await {
        Ok((StatusCode::OK, _)) => {}
        Ok((status, _)) => say(&format!("Envoy answers {path} with {status}")),
        Err(error) => say(&error.to_string()),
    }
}

/// How many connections of clients are open; `None` when Envoy doesn't say. Where nobody listens there are none.
async fn connections(envoy: &AdminClient) -> Result<Option<u64>, String> {
    let path = r"/stats?filter=%5Elistener%5C..*%5C.downstream_cx_active%24&format=json";
    match envoy.json(path).await {
        Ok(stats) => Ok(client_connections(&stats)),
        Err(AdminError::Unreachable { .. }) => Ok(Some(0)),
        Err(error) => Err(error.to_string()),
    }
}

fn client_connections(stats: &Value) -> Option<u64> {
    let stats = stats.get("stats")?.as_array().filter(|stats| !stats.is_empty())?;
    let of_clients = stats.iter().filter(|stat| {
        let name = stat.get("name").and_then(Value::as_str).unwrap_or_default();
        !NOT_CLIENTS.iter().any(|part| name.contains(part))
    });
    Some(of_clients.filter_map(|stat| stat.get("value")?.as_u64()).sum())
}

/// Says something where people look: what a hook prints is thrown away, so it goes where the manager writes.
fn say(words: &str) {
    let of_a_hook = std::env::var_os("KUBERNETES_SERVICE_HOST").is_some() && std::process::id() != 1;
    let manager = of_a_hook.then(|| std::fs::File::options().append(true).open("/proc/1/fd/1").ok()).flatten();
    // There is nobody else to tell.
    let _ = match manager {
        Some(mut file) => writeln!(file, "{words}"),
        None => writeln!(std::io::stdout(), "{words}"),
    };
}

fn go_duration(text: &str) -> Result<Duration, String> {
    let parsed: duration::Duration =
        text.parse().map_err(|_| format!("`{text}` is not a duration, such as 90s or 1m30s"))?;
    u64::try_from(parsed.as_nanos()).map(Duration::from_nanos).map_err(|_| format!("`{text}` is less than nothing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn args(delay: u64) -> ShutdownArgs {
        ShutdownArgs {
            health_check_failure_delay: SECOND * u32::try_from(delay).unwrap(),
            drain_timeout: SECOND * 60,
            min_drain_duration: SECOND * 10,
            exit_at_connections: 2,
        }
    }

    #[test]
    fn it_drains_for_the_least_time_and_until_few_connections_are_open() {
        let args = args(0);
        let mut drain = Drain { args: &args, failing: false };
        assert_eq!(drain.next(Duration::ZERO, Some(0)), Next::FailHealthChecks);
        assert_eq!(drain.next(SECOND, Some(0)), Next::Wait);
        assert_eq!(drain.next(SECOND * 11, Some(3)), Next::Wait);
        assert_eq!(drain.next(SECOND * 11, None), Next::Wait);
        assert_eq!(drain.next(SECOND * 12, Some(2)), Next::Done("connections are drained"));
        assert!(matches!(drain.next(SECOND * 61, Some(9)), Next::Done(_)));
    }

    #[test]
    fn health_checks_may_fail_later() {
        let args = args(5);
        let mut drain = Drain { args: &args, failing: false };
        assert_eq!(drain.next(SECOND, Some(0)), Next::Wait);
        assert_eq!(drain.next(SECOND * 5, Some(0)), Next::FailHealthChecks);
        assert_eq!(drain.next(SECOND * 5, Some(0)), Next::Wait);
    }

    #[test]
    fn only_connections_of_clients_count() {
        let stats = serde_json::json!({"stats": [
            {"name": "listener.0.0.0.0_10080.downstream_cx_active", "value": 3},
            {"name": "listener.[__]_10443.downstream_cx_active", "value": 4},
            {"name": "listener.0.0.0.0_10080.worker_0.downstream_cx_active", "value": 3},
            {"name": "listener.admin.downstream_cx_active", "value": 1},
            {"name": "listener.0.0.0.0_19003.downstream_cx_active", "value": 1},
        ]});
        assert_eq!(client_connections(&stats), Some(7));
        assert_eq!(client_connections(&serde_json::json!({"stats": []})), None);
    }

    #[test]
    fn durations_are_written_as_in_go() {
        assert_eq!(go_duration("1m30s"), Ok(SECOND * 90));
        assert!(go_duration("soon").is_err());
    }
}
