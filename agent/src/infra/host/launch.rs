//! What a guard needs to know to run one Envoy, and where the two keep their files.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// How to run one Envoy. The agent writes it once into the instance's directory; the guard reads it at its start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Launch {
    /// The fleet's IR key, for the log.
    pub ir_key: String,
    /// The Envoy program.
    pub envoy: PathBuf,
    /// Its arguments, but for those that name files of this instance.
    pub arguments: Vec<String>,
    /// The bootstrap document (YAML).
    pub bootstrap: String,
    /// How long open connections may last once Envoy is to stop, in milliseconds.
    pub drain_timeout_ms: u64,
    /// How long Envoy goes on without an agent, in milliseconds.
    pub grace_ms: u64,
}

impl Launch {
    /// The instance's identity: equal launches are one instance, so that a restarted agent finds the Envoy it left.
    #[must_use]
    pub fn digest(&self) -> String {
        let Self { ir_key, envoy, arguments, bootstrap, drain_timeout_ms, grace_ms } = self;
        let text = format!(
            "{ir_key}\0{}\0{}\0{bootstrap}\0{drain_timeout_ms}\0{grace_ms}",
            envoy.display(),
            arguments.join("\0")
        );
        format!("{:08x}", xxhash_rust::xxh3::xxh3_64(text.as_bytes()) >> 32)
    }
}

/// The directory of one Envoy instance: `STATE/fleets/KEY/DIGEST`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InstanceDir(PathBuf);

impl InstanceDir {
    /// The directory of the instance `digest` of the fleet `ir_key`.
    #[must_use]
    pub fn of(state: &Path, ir_key: &str, digest: &str) -> Self {
        let fleet: String =
            ir_key.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '.' { c } else { '_' }).collect();
        Self(state.join("fleets").join(fleet).join(digest))
    }

    /// An existing instance directory.
    #[must_use]
    pub const fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// Every instance directory under `state` that has a launch file.
    #[must_use]
    pub fn all(state: &Path) -> Vec<Self> {
        let mut found: Vec<Self> = directories(&state.join("fleets"))
            .flat_map(|fleet| directories(&fleet).collect::<Vec<_>>())
            .map(Self)
            .filter(|dir| dir.launch().exists())
            .collect();
        found.sort();
        found
    }

    /// The directory itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The launch file, written by the agent.
    #[must_use]
    pub fn launch(&self) -> PathBuf {
        self.0.join("launch.json")
    }

    /// The bootstrap file, written by the guard.
    #[must_use]
    pub fn bootstrap(&self) -> PathBuf {
        self.0.join("bootstrap.yaml")
    }

    /// Where Envoy writes the address of its admin interface.
    #[must_use]
    pub fn admin_address(&self) -> PathBuf {
        self.0.join("admin-address")
    }

    /// Locked by the guard as long as it lives; holds its process id.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.0.join("guard.lock")
    }

    /// The socket the guard answers on.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.0.join("guard.sock")
    }

    /// What the guard itself has to say.
    #[must_use]
    pub fn guard_log(&self) -> PathBuf {
        self.0.join("guard.log")
    }

    /// What Envoy said.
    #[must_use]
    pub fn envoy_log(&self) -> PathBuf {
        self.0.join("envoy.log")
    }
}

fn directories(of: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(of).into_iter().flatten().flatten().map(|entry| entry.path()).filter(|path| path.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_makes_a_difference_makes_another_instance() {
        let launch = Launch {
            ir_key: "default/eg".to_owned(),
            envoy: PathBuf::from("/usr/bin/envoy"),
            arguments: vec!["--log-level".to_owned(), "warn".to_owned()],
            bootstrap: "admin: {}".to_owned(),
            drain_timeout_ms: 1,
            grace_ms: 2,
        };
        let other = Launch { arguments: vec!["--log-level warn".to_owned()], ..launch.clone() };
        assert_ne!(launch.digest(), other.digest());
    }
}
