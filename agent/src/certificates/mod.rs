//! `gateway-agent certgen`: the certificates of the control plane, made, checked and replaced without a dropped stream.
//!
//! [`authority`] makes them, [`inspect`] looks at those there are, [`plan`] decides what to write in which order,
//! [`secrets`] and [`folder`] write it.

pub mod authority;
pub mod folder;
pub mod inspect;
pub mod plan;
pub mod secrets;

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, ensure};
use clap::Args;

use self::authority::{Fresh, Holder, Place};
use self::folder::Folder;
use self::plan::{Existing, Finding, Plan, State, Step};
use self::secrets::{Cluster, Webhook};
use crate::cluster::ClusterSettings;
use crate::settings::Surroundings;

/// What `certgen` is told.
#[derive(Clone, Debug, Args)]
pub struct Certgen {
    /// Write files on this host instead of Secrets.
    #[arg(long, short)]
    pub local: bool,

    /// The directory below which files are written, in `certs` [default: ~/.config/envoy-gateway].
    #[arg(long, value_name = "DIR", requires = "local")]
    pub config_home: Option<PathBuf>,

    /// Replace certificates that exist, in three steps, so that nobody loses a connection. The secret for OIDC is kept.
    #[arg(long, short)]
    pub overwrite: bool,

    /// Leave the topology webhook alone.
    #[arg(long)]
    pub disable_topology_injector: bool,

    /// How long to wait between the steps of a replacement until everybody has read the last one: the kubelet takes up
    /// to two minutes.
    #[arg(long, value_name = "SECONDS", default_value = "150", value_parser = crate::args::seconds)]
    pub settle: Duration,
}

/// Where certificates are kept.
enum Store {
    Cluster(Cluster),
    Folder(Folder),
}

/// Makes what is missing, replaces what it is told to, and says what is wrong with the rest.
///
/// # Errors
/// When something can't be read or written, or a certificate that nobody can use is left as it is; what could be written
/// is then.
pub async fn run(asked: &Certgen, surroundings: &Surroundings) -> anyhow::Result<()> {
    let Certgen { local, config_home, overwrite, disable_topology_injector, settle } = asked;
    let place = Place {
        namespace: surroundings
            .namespace
            .clone()
            .unwrap_or_else(|| gateway_shared::config::DEFAULT_CONTROLLER_NAMESPACE.to_owned()),
        dns_domain: surroundings.dns_domain.clone().unwrap_or_else(|| "cluster.local".to_owned()),
        local: *local,
    };
    let store = if *local {
        Store::Folder(Folder { path: config_home_of(config_home.as_ref(), surroundings)?.join("certs") })
    } else {
        Store::Cluster(Cluster { client: ClusterSettings::client().await?, namespace: place.namespace.clone() })
    };
    let now = SystemTime::now();
    let Plan { steps, make_oidc, findings } =
        plan::plan(&store.read().await?, &Fresh::make(&place, now)?, *overwrite, now);
    for Finding { holder, state, text } in &findings {
        let sign = if *state == State::Good { "·" } else { "‼" };
        say(&format!("{sign} {}: {text}", store.name(*holder)));
    }
    if make_oidc {
        store.write_oidc().await?;
        say("✓ the secret for OIDC is made");
    }
    let pauses = steps.len().saturating_sub(1);
    for (position, Step { what, writes }) in steps.into_iter().enumerate() {
        for (holder, material) in writes {
            store.write(holder, &material).await?;
        }
        store.tell_others(*disable_topology_injector).await?;
        say(&format!("✓ {what}"));
        if position < pauses {
            say(&format!("… waiting {} s until everybody has read that", settle.as_secs()));
            tokio::time::sleep(*settle).await;
        }
    }
    // What was written once may have been lost by those who have to know it.
    store.tell_others(*disable_topology_injector).await?;
    let unusable = findings.iter().filter(|finding| finding.state == State::Unusable);
    let unusable: Vec<_> =
        unusable.map(|finding| format!("{}: {}", store.name(finding.holder), finding.text)).collect();
    ensure!(unusable.is_empty(), "{}", unusable.join("; "));
    Ok(())
}

fn say(line: &str) {
    println!("{line}");
}

fn config_home_of(told: Option<&PathBuf>, surroundings: &Surroundings) -> anyhow::Result<PathBuf> {
    let home = || surroundings.home.as_ref().map(|home| home.join(".config/envoy-gateway"));
    told.cloned().or_else(home).context("there is no home directory (HOME): name a directory with --config-home")
}

impl Store {
    async fn read(&self) -> anyhow::Result<Existing> {
        match self {
            Self::Cluster(cluster) => cluster.read().await,
            Self::Folder(folder) => Ok(folder.read()),
        }
    }

    async fn write(&self, holder: Holder, material: &crate::tls::material::Material) -> anyhow::Result<()> {
        match self {
            Self::Cluster(cluster) => cluster.write(holder, material).await,
            Self::Folder(folder) => folder.write(holder, material),
        }
    }

    async fn write_oidc(&self) -> anyhow::Result<()> {
        match self {
            Self::Cluster(cluster) => cluster.write_oidc().await,
            Self::Folder(folder) => folder.write_oidc(),
        }
    }

    /// Lets those know the authority who don't read the Secrets.
    async fn tell_others(&self, but_not_the_webhook: bool) -> anyhow::Result<()> {
        let Self::Cluster(cluster) = self else { return Ok(()) };
        match cluster.publish_authority().await {
            Ok(true) => {
                say(&format!("✓ the authority is published in the ConfigMap {}", secrets::AUTHORITY_CONFIG_MAP))
            }
            Ok(false) => {}
            // Envoys don't need it, so a role that doesn't allow it yet must not keep them from getting certificates.
            Err(error) => say(&format!("‼ {error:#}; `kubectl gateway` can't tell whether it talks to the agent")),
        }
        if !but_not_the_webhook && cluster.patch_webhook().await? == Webhook::Patched {
            say("✓ the topology webhook trusts the authority");
        }
        Ok(())
    }

    fn name(&self, holder: Holder) -> String {
        match self {
            Self::Cluster(cluster) => format!("Secret {}/{}", cluster.namespace, holder.secret()),
            Self::Folder(folder) => folder.path.join(holder.secret()).display().to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_nobody_can_use_is_an_error_after_the_rest_was_made() {
        let directory = tempfile::tempdir().unwrap();
        let asked = |overwrite| Certgen {
            local: true,
            config_home: Some(directory.path().to_owned()),
            overwrite,
            disable_topology_injector: true,
            settle: Duration::ZERO,
        };
        let surroundings = Surroundings::default();
        run(&asked(false), &surroundings).await.unwrap();
        let certs = directory.path().join("certs");
        std::fs::write(certs.join("envoy/tls.key"), "none").unwrap();
        std::fs::remove_dir_all(certs.join("envoy-rate-limit")).unwrap();
        let error = run(&asked(false), &surroundings).await.unwrap_err().to_string();
        assert!(error.contains("certs/envoy: tls.key") && error.contains("replace it with --overwrite"), "{error}");
        assert!(certs.join("envoy-rate-limit/tls.crt").exists());
        run(&asked(true), &surroundings).await.unwrap();
        run(&asked(false), &surroundings).await.unwrap();
    }
}
