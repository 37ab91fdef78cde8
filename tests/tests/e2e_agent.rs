//! A real agent and a real Envoy: edits are served within a second, and nothing fails while the agent is killed.
//!
//! Needs `ENVOY_BINARY`, which `make test` sets.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it has to be")]

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use gateway_tests::{echo, http};

/// A port nobody listens on.
fn free() -> SocketAddr {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap()
}

/// An agent on a folder of its own, with one Gateway in it.
struct Standalone {
    folder: tempfile::TempDir,
    gateway: SocketAddr,
    xds: SocketAddr,
    agent: Child,
}

impl Standalone {
    /// Starts an agent whose Gateway sends everything for `a.test` to `backend`.
    fn start(envoy: &Path, backend: SocketAddr) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let manifests = folder.path().join("manifests");
        std::fs::create_dir(&manifests).unwrap();
        let (gateway, xds) = (free(), free());
        let config = format!(
            "provider:\n  type: Custom\n  custom:\n    resource: {{type: File, file: {{paths: [{}]}}}}\n    \
             infrastructure: {{type: Host, host: {{}}}}\nextensionApis: {{enableBackend: true}}\n",
            manifests.display()
        );
        std::fs::write(folder.path().join("config.yaml"), config).unwrap();
        let gateway_yaml = format!(
            "apiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {{name: eg}}\n\
             spec: {{controllerName: gateway.envoyproxy.io/gatewayclass-controller}}\n---\n\
             apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {{name: eg, namespace: default}}\n\
             spec: {{gatewayClassName: eg, listeners: [{{name: http, protocol: HTTP, port: {}}}]}}\n---\n\
             apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: Backend\nmetadata: {{name: b, namespace: default}}\n\
             spec: {{endpoints: [{{ip: {{address: {}, port: {}}}}}]}}\n",
            gateway.port(),
            backend.ip(),
            backend.port()
        );
        std::fs::write(manifests.join("gateway.yaml"), gateway_yaml).unwrap();
        let agent = spawn(envoy, folder.path(), xds);
        let standalone = Self { folder, gateway, xds, agent };
        standalone.route("a.test");
        standalone
    }

    /// Makes one route, for `host`.
    fn route(&self, host: &str) {
        let route = format!(
            "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {{name: r, namespace: default}}\n\
             spec: {{parentRefs: [{{name: eg}}], hostnames: [{host}], rules: [{{backendRefs: [\
             {{group: gateway.envoyproxy.io, kind: Backend, name: b}}]}}]}}\n"
        );
        let (new, path) = (self.folder.path().join("new"), self.route_file());
        std::fs::write(&new, route).unwrap();
        std::fs::rename(new, path).unwrap();
    }

    fn route_file(&self) -> PathBuf {
        self.folder.path().join("manifests/route.yaml")
    }

    /// Waits until `host` is answered with `status`, and says how long that took.
    async fn answers(&self, host: &str, status: u16) -> Duration {
        let started = Instant::now();
        loop {
            let last = http::get(self.gateway, host, "/").await.map(|answer| answer.status().as_u16());
            if last.as_ref().is_ok_and(|last| *last == status) {
                return started.elapsed();
            }
            let log = || std::fs::read_to_string(self.folder.path().join("agent.log")).unwrap_or_default();
            assert!(started.elapsed() < Duration::from_secs(30), "{host} is answered with {last:?}\n{}", log());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Drop for Standalone {
    /// Also after a failed test no Envoy is left behind.
    fn drop(&mut self) {
        drop(Command::new("kill").arg(self.agent.id().to_string()).status());
        drop(self.agent.wait());
    }
}

fn spawn(envoy: &Path, folder: &Path, xds: SocketAddr) -> Child {
    // Tests lie in `deps`, programs beside it.
    let program = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("gateway-agent");
    let log = std::fs::File::options().create(true).append(true).open(folder.join("agent.log")).unwrap();
    Command::new(program)
        .arg("--config")
        .arg(folder.join("config.yaml"))
        .arg("--state-dir")
        .arg(folder.join("state"))
        .arg("--envoy-binary")
        .arg(envoy)
        .args(["--xds-address", &xds.to_string()])
        .args(["--api-address", "127.0.0.1:0", "--admin-address", "127.0.0.1:0", "--metrics-address", "127.0.0.1:0"])
        .args(["--drain-timeout", "2", "--orphan-grace", "20"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .unwrap()
}

/// Where the real Envoy is and a backend listens; none where no Envoy is named.
async fn ground() -> Option<(PathBuf, SocketAddr)> {
    let Some(envoy) = std::env::var_os("ENVOY_BINARY") else {
        eprintln!("skipped: ENVOY_BINARY is not set");
        return None;
    };
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let backend = listener.local_addr().unwrap();
    tokio::spawn(echo::serve(listener, "b".to_owned()));
    Some((PathBuf::from(envoy), backend))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_edit_is_served_within_a_second_and_a_deleted_route_is_gone() {
    let Some((envoy, backend)) = ground().await else { return };
    let standalone = Standalone::start(&envoy, backend);
    standalone.answers("a.test", 200).await;
    standalone.route("b.test");
    let took = standalone.answers("b.test", 200).await;
    assert!(took < Duration::from_secs(1), "it took {took:?}");
    standalone.answers("a.test", 404).await;
    std::fs::remove_file(standalone.route_file()).unwrap();
    standalone.answers("b.test", 404).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_fails_while_the_agent_is_killed_and_started_again() {
    let Some((envoy, backend)) = ground().await else { return };
    let mut standalone = Standalone::start(&envoy, backend);
    standalone.answers("a.test", 200).await;
    let (served, stop) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(false)));
    let load = {
        let (served, stop, gateway) = (Arc::clone(&served), Arc::clone(&stop), standalone.gateway);
        tokio::spawn(async move {
            let mut failures = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                match http::get(gateway, "a.test", "/").await {
                    Ok(answer) if answer.status().is_success() => drop(served.fetch_add(1, Ordering::Relaxed)),
                    Ok(answer) => failures.push(answer.status().to_string()),
                    Err(error) => failures.push(format!("{error:#}")),
                }
            }
            failures
        })
    };
    for _ in 0..3 {
        standalone.agent.kill().unwrap();
        standalone.agent.wait().unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
        standalone.agent = spawn(&envoy, standalone.folder.path(), standalone.xds);
        tokio::time::sleep(Duration::from_millis(700)).await;
    }
    stop.store(true, Ordering::Relaxed);
    let failures = load.await.unwrap();
    assert!(failures.is_empty(), "{} failed: {failures:?}", failures.len());
    assert!(served.load(Ordering::Relaxed) > 100, "there was hardly any load");
    // The agent that took over still has a say.
    standalone.route("c.test");
    standalone.answers("c.test", 200).await;
}
