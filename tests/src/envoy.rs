//! The real Envoy as a process of the test.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU16, Ordering};

use gateway_shared::infra::bootstrap::{Options, bootstrap, to_yaml};
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// The Envoy program: `ENVOY_BINARY`, or `.envoy/envoy` in the root of the repository, where `hack/get-envoy.sh` puts it.
///
/// Where there is none, one line on stderr says so and the test has to be skipped.
#[must_use]
pub fn binary() -> Option<PathBuf> {
    let found = match std::env::var_os("ENVOY_BINARY") {
        Some(path) => PathBuf::from(path),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../.envoy/envoy"),
    };
    if found.is_file() {
        return found.canonicalize().ok();
    }
    eprintln!("skipped: there is no Envoy at {}; run hack/get-envoy.sh or set ENVOY_BINARY", found.display());
    None
}

/// A port on loopback that nobody has now, below those the system hands out to clients, so that no connection of
/// another test takes it before it is listened on.
///
/// # Panics
/// When there is none.
#[must_use]
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Processes begin at different places; a thousand ports are enough for one.
    let first = 20_000 + u16::try_from(std::process::id() % 10).unwrap_or(0) * 1_000;
    (0..1_000)
        .map(|_| first + NEXT.fetch_add(1, Ordering::Relaxed) % 1_000)
        .find(|port| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .expect("a free port")
}

/// A running Envoy. It is killed when this is dropped.
#[derive(Debug)]
pub struct Envoy {
    directory: TempDir,
    _process: Child,
}

impl Envoy {
    /// Starts an Envoy of the fleet `ir_key` that asks the xDS server at `xds`.
    ///
    /// # Panics
    /// When it can't be started.
    #[must_use]
    pub fn start(program: &Path, ir_key: &str, xds: SocketAddr) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let options = Options::on_this_host(xds.ip().to_string(), xds.port());
        let file = directory.path().join("bootstrap.yaml");
        std::fs::write(&file, to_yaml(&bootstrap(&options))).expect("the bootstrap can be written");
        let log = std::fs::File::create(directory.path().join("envoy.log")).expect("the log can be written");
        let process = Command::new(program)
            .arg("--config-path")
            .arg(&file)
            .args(["--service-cluster", ir_key, "--service-node", "envoy-under-test"])
            .args(["--concurrency", "1", "--log-level", "warning", "--use-dynamic-base-id"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .expect("Envoy can be started");
        Self { directory, _process: process }
    }

    /// What it has logged.
    #[must_use]
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.directory.path().join("envoy.log")).unwrap_or_default()
    }
}
