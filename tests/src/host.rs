//! The real agent as a process of its own that runs real Envoys on this host.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::agent::{configuration, write};
use crate::envoy::free_port;

/// A standalone agent and all it runs. When it is dropped, the agent is told to stop, its Envoys with it, and waited for.
#[derive(Debug)]
pub struct Host {
    program: PathBuf,
    envoy: PathBuf,
    directory: TempDir,
    /// The ports of xDS, API, admin and metrics: the same again after a restart.
    ports: [u16; 4],
    agent: Option<Child>,
}

impl Host {
    /// Starts the agent `program` with this Envoy on a file `objects.yaml` of these documents.
    ///
    /// # Panics
    /// When it can't be started.
    #[must_use]
    pub fn start(program: &str, envoy: &Path, documents: &[&str]) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        std::fs::create_dir(directory.path().join("objects")).expect("a folder for the objects");
        let config = configuration(&directory.path().join("objects"), "infrastructure: {type: Host, host: {}}");
        std::fs::write(directory.path().join("envoy-gateway.yaml"), config).expect("the configuration can be written");
        let mut host = Self {
            program: PathBuf::from(program),
            envoy: envoy.to_owned(),
            directory,
            ports: [free_port(), free_port(), free_port(), free_port()],
            agent: None,
        };
        host.write("objects.yaml", documents);
        host.start_agent();
        host
    }

    /// Puts a file into the folder of objects, in one step.
    pub fn write(&self, name: &str, documents: &[&str]) {
        write(&self.directory.path().join("objects"), name, documents);
    }

    /// Starts the agent (again).
    ///
    /// # Panics
    /// When it can't be started.
    pub fn start_agent(&mut self) {
        let [xds, api, admin, metrics] = self.ports.map(|port| format!("127.0.0.1:{port}"));
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(self.directory.path().join("agent.log"))
            .expect("the log can be written");
        let agent = Command::new(&self.program)
            .arg("--config")
            .arg(self.directory.path().join("envoy-gateway.yaml"))
            .arg("--state-dir")
            .arg(self.directory.path().join("state"))
            .arg("--envoy-binary")
            .arg(&self.envoy)
            .args(["--xds-address", &xds, "--api-address", &api, "--admin-address", &admin])
            .args(["--metrics-address", &metrics, "--orphan-grace", "20", "--drain-timeout", "1"])
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("the log can be shared"))
            .stderr(log)
            .spawn()
            .expect("the agent can be started");
        self.agent = Some(agent);
    }

    /// Kills the agent as nothing can be caught (SIGKILL); its Envoys go on.
    ///
    /// # Panics
    /// When it doesn't run.
    pub fn kill_agent(&mut self) {
        let mut agent = self.agent.take().expect("the agent runs");
        agent.kill().expect("the agent can be killed");
        agent.wait().expect("the agent has ended");
    }

    /// What the agent has logged.
    #[must_use]
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.directory.path().join("agent.log")).unwrap_or_default()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let Some(mut agent) = self.agent.take() else { return };
        // A plain `kill` is SIGTERM: the agent stops its Envoys and ends.
        let told = Command::new("kill").arg(agent.id().to_string()).status();
        let patience = std::time::Instant::now() + std::time::Duration::from_secs(15);
        while told.is_ok() && std::time::Instant::now() < patience {
            if matches!(agent.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        // Its guards notice within their grace.
        let _ = agent.kill();
        let _ = agent.wait();
    }
}
