//! The certificates in a folder, for a control plane that runs on a host: one folder a holder, as Envoy Gateway lays
//! them out.

use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::authority::{Holder, random_secret};
use super::plan::Existing;
use crate::tls::material::Material;

/// The folder of the secret for OIDC, and its file.
const OIDC: (&str, &str) = ("envoy-oidc-hmac", "hmac-secret");

/// A folder of certificates.
#[derive(Clone, Debug)]
pub struct Folder {
    /// The folder, such as `~/.config/envoy-gateway/certs`.
    pub path: PathBuf,
}

impl Folder {
    /// What there is. Files that can't be read are as if they weren't there.
    #[must_use]
    pub fn read(&self) -> Existing {
        let read = |holder: Holder| Some((holder, Material::read(&self.path.join(holder.secret())).ok()?));
        Existing {
            certificates: Holder::ALL.into_iter().filter_map(read).collect(),
            oidc: self.path.join(OIDC.0).join(OIDC.1).exists(),
        }
    }

    /// Writes one certificate.
    ///
    /// # Errors
    /// When a file can't be written.
    pub fn write(&self, holder: Holder, material: &Material) -> anyhow::Result<()> {
        let Material { certificate, key, authorities } = material;
        let folder = self.path.join(holder.secret());
        write(&folder, "ca.crt", authorities)?;
        write(&folder, "tls.key", key)?;
        write(&folder, "tls.crt", certificate)
    }

    /// Makes the secret for OIDC.
    ///
    /// # Errors
    /// When a file can't be written.
    pub fn write_oidc(&self) -> anyhow::Result<()> {
        write(&self.path.join(OIDC.0), OIDC.1, &random_secret()?)
    }
}

/// Replaces a file at once; only its owner may read it.
fn write(folder: &Path, name: &str, content: &[u8]) -> anyhow::Result<()> {
    let file = folder.join(name);
    let replace = || -> std::io::Result<()> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let new = folder.join(format!(".{name}.new"));
        let _ = std::fs::remove_file(&new);
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true).mode(0o600).open(&new)?.write_all(content)?;
        std::fs::rename(&new, &file)
    };
    replace().with_context(|| format!("can't write {}", file.display()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::time::SystemTime;

    use super::*;
    use crate::certificates::authority::{Fresh, Place};
    use crate::certificates::plan::plan;

    #[test]
    fn what_is_written_is_read_again_and_nobody_else_may_read_it() {
        let directory = tempfile::tempdir().unwrap();
        let folder = Folder { path: directory.path().join("certs") };
        assert_eq!(folder.read(), Existing::default());
        let place = Place { namespace: "eg".into(), dns_domain: "cluster.local".into(), local: true };
        let fresh = Fresh::make(&place, SystemTime::now()).unwrap();
        let plan = plan(&folder.read(), &fresh, false, SystemTime::now());
        for (holder, material) in &plan.steps[0].writes {
            folder.write(*holder, material).unwrap();
        }
        folder.write_oidc().unwrap();
        assert_eq!(folder.read().certificates, plan.steps[0].writes);
        assert!(folder.read().oidc);
        let key = std::fs::metadata(folder.path.join("envoy-gateway/tls.key")).unwrap();
        assert_eq!(key.permissions().mode() & 0o777, 0o600);
    }
}
