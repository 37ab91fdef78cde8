//! `make demo`: the quick start from nothing to traffic, with an explanation of a route that serves and one that doesn't.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use gateway_tests::client;
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

/// Where the Gateway of the quick start listens.
const GATEWAY: SocketAddr = loopback(8888);
/// The backends of the quick start.
const BACKENDS: [(&str, SocketAddr); 2] = [("blue", loopback(3001)), ("green", loopback(3002))];
/// How long the first request may take to be served.
const PATIENCE: Duration = Duration::from_secs(30);

const fn loopback(port: u16) -> SocketAddr {
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), port)
}

#[tokio::main]
async fn main() -> std::process::ExitCode {
    let stop = async {
        // Without a handler for it, there is no Ctrl-C to wait for.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    let mut started = Started::default();
    let outcome = tokio::select! {
        outcome = demo(&mut started) => outcome,
        () = stop => Err(anyhow::anyhow!("interrupted")),
    };
    let stopped = started.stop().await;
    match outcome.and(stopped) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            std::process::ExitCode::FAILURE
        }
    }
}

/// What has to be stopped in the end.
#[derive(Default)]
struct Started {
    agent: Option<Child>,
    state: Option<tempfile::TempDir>,
}

impl Started {
    /// Lets the agent drain its Envoy and end.
    async fn stop(&mut self) -> anyhow::Result<()> {
        if let Some(mut agent) = self.agent.take() {
            println!("\nStopping the agent and its Envoy");
            if let Some(pid) = agent.id() {
                // The agent drains on SIGTERM; Child::kill would take that chance from it.
                Command::new("kill").arg(pid.to_string()).status().await?;
            }
            if tokio::time::timeout(Duration::from_secs(20), agent.wait()).await.is_err() {
                agent.kill().await?;
                bail!("the agent did not end within 20 s and was killed");
            }
            println!("  ✓ everything has stopped");
        }
        Ok(())
    }
}

async fn demo(started: &mut Started) -> anyhow::Result<()> {
    let programs = programs()?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    std::env::set_current_dir(&root).context("can't enter the project's folder")?;

    println!("Starting two backends, the agent and, by the agent, Envoy");
    for (name, address) in BACKENDS {
        let listener = TcpListener::bind(address).await.with_context(|| {
            format!("the backend {name} can't listen on {address}; stop what does, or change examples/quickstart/backends.yaml")
        })?;
        tokio::spawn(gateway_tests::echo::serve(listener, name.to_owned()));
        println!("  ✓ backend {name} on {address}");
    }
    drop(TcpListener::bind(GATEWAY).await.with_context(|| {
        format!("the Gateway could not listen on {GATEWAY}; stop what does, or change the port in examples/quickstart/gateway.yaml")
    })?);
    let api = free_port().await?;
    let state = tempfile::Builder::new().prefix("gateway-demo-").tempdir()?;
    let log_path = state.path().join("agent.log");
    let log = std::fs::File::create(&log_path)?;
    let mut command = Command::new(&programs.agent);
    command
        .args(["--config", "examples/quickstart/envoy-gateway.yaml", "--drain-timeout", "2", "--orphan-grace", "5"])
        .arg("--state-dir")
        .arg(state.path())
        .args(["--api-address", &api.to_string()])
        .args(["--xds-address", "127.0.0.1:0", "--admin-address", "127.0.0.1:0", "--metrics-address", "127.0.0.1:0"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        // Ctrl-C is for us: we stop the agent in good order.
        .process_group(0)
        .kill_on_drop(true);
    let mut agent = command.spawn().with_context(|| format!("can't start {}", programs.agent.display()))?;
    println!("  ✓ agent with examples/quickstart, log in {}", log_path.display());
    let served = wait_until_served(&mut agent, &log_path).await;
    started.agent = Some(agent);
    started.state = Some(state);
    println!("  ✓ the first request was served after {:.1} s", served?.as_secs_f64());

    println!("\nSending requests through Envoy on {GATEWAY}");
    for (host, path) in [("www.example.com", "/"), ("www.example.com", "/green/leaf"), ("returns.example.org", "/")] {
        println!("\n$ curl -H 'Host: {host}' http://{GATEWAY}{path}");
        let answer = client::get(&format!("{host}{path}")).of(GATEWAY.port()).await?;
        println!("{} {}", answer.status, answer.body.trim_end());
    }
    let mut counts = [0_u32; 2];
    for _ in 0..40 {
        let backend = client::get("www.example.com/").of(GATEWAY.port()).await?.backend();
        for ((name, _), count) in BACKENDS.iter().zip(&mut counts) {
            *count += u32::from(backend == *name);
        }
    }
    let [blue, green] = counts;
    println!("\nOf 40 requests for www.example.com {blue} went to blue and {green} to green (weights 3 and 1)");

    println!("\nAsking why: a route that serves, and one that doesn't");
    for route in ["httproute/home", "httproute/returns"] {
        println!("\n$ kubectl gateway explain {route}");
        Command::new(&programs.plugin)
            .args(["explain", route, "-n", "default", "--agent", &api.to_string()])
            .status()
            .await
            .with_context(|| format!("can't run {}", programs.plugin.display()))?;
    }
    println!("\n$ kubectl gateway status");
    Command::new(&programs.plugin).args(["status", "-A", "--agent", &api.to_string()]).status().await?;
    Ok(())
}

/// The programs that were built beside this one.
struct Programs {
    agent: PathBuf,
    plugin: PathBuf,
}

fn programs() -> anyhow::Result<Programs> {
    let us = std::env::current_exe()?;
    let folder = us.parent().context("this program lies nowhere")?;
    let program = |name: &str| {
        let path = folder.join(name);
        path.exists().then_some(path).with_context(|| format!("{name} is not built; run this as `make demo`"))
    };
    Ok(Programs { agent: program("gateway-agent")?, plugin: program("kubectl-gateway")? })
}

/// A port that nobody listens on.
async fn free_port() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind(loopback(0)).await?.local_addr()?)
}

/// Waits until Envoy serves the first request, and tells how long that took.
async fn wait_until_served(agent: &mut Child, log: &Path) -> anyhow::Result<Duration> {
    let started = Instant::now();
    loop {
        if let Ok(answer) = client::get("www.example.com/").of(GATEWAY.port()).await
            && answer.status == 200
        {
            return Ok(started.elapsed());
        }
        let text = || std::fs::read_to_string(log).unwrap_or_default();
        if let Some(status) = agent.try_wait()? {
            bail!("the agent ended ({status}); it said:\n{}", text());
        }
        if started.elapsed() > PATIENCE {
            bail!("nothing was served within {} s; the agent said:\n{}", PATIENCE.as_secs(), text());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
