//! Volumes of a fleet's pods and where its Envoys find them.

use k8s_openapi::api::core::v1::{
    ConfigMapVolumeSource, KeyToPath, ProjectedVolumeSource, SecretVolumeSource, ServiceAccountTokenProjection, Volume,
    VolumeMount, VolumeProjection,
};

use crate::infra::config_map::{CA_CERTIFICATE, CERTIFICATE, TOKEN, TRUSTED_CA};
use crate::infra::fleet::Fleet;

/// Where proxies find the token they present to the xDS server.
pub(super) const TOKEN_FOLDER: &str = "/var/run/secrets/token";
/// Its file.
pub(super) const TOKEN_FILE: &str = "sa-token";
/// The Secret of proxies in the namespace of the control plane: their certificate and the xDS server's authority.
const CERTIFICATES: &str = "envoy";
/// Everyone may read, the owner may write.
const MODE: i32 = 0o644;
/// How long a token is valid; the kubelet renews it in time.
const TOKEN_SECONDS: i64 = 3600;

/// The volumes of the fleet's pods, those that `said` names replaced by it.
pub(super) fn volumes(fleet: &Fleet<'_>, said: &[Volume]) -> Vec<Volume> {
    let mut volumes = Vec::new();
    if fleet.in_gateway_namespace {
        volumes.push(token(fleet));
        volumes.push(from_config_map(fleet, "certs", &[CA_CERTIFICATE]));
        volumes.push(from_config_map(fleet, "sds", &[TRUSTED_CA, TOKEN]));
    } else {
        volumes.push(certificates());
        volumes.push(from_config_map(fleet, "sds", &[TRUSTED_CA, CERTIFICATE]));
    }
    amend(&mut volumes, said, |volume| &volume.name);
    volumes
}

/// Where the Envoy container finds its volumes, those that `said` names replaced by it.
pub(super) fn mounts(fleet: &Fleet<'_>, said: &[VolumeMount]) -> Vec<VolumeMount> {
    let mount = |name: &str, path: &str, read_only: bool| VolumeMount {
        name: name.to_owned(),
        mount_path: path.to_owned(),
        read_only: read_only.then_some(true),
        ..VolumeMount::default()
    };
    let mut mounts = vec![mount("certs", "/certs", true), mount("sds", "/sds", false)];
    if fleet.in_gateway_namespace {
        mounts.push(mount("sa-token", TOKEN_FOLDER, true));
    }
    amend(&mut mounts, said, |mount| &mount.name);
    mounts
}

/// Replaces what has the same name and adds the rest at the end.
pub(super) fn amend<T: Clone>(list: &mut Vec<T>, said: &[T], name: impl Fn(&T) -> &str) {
    for item in said {
        match list.iter_mut().find(|known| name(known) == name(item)) {
            Some(known) => known.clone_from(item),
            None => list.push(item.clone()),
        }
    }
}

fn certificates() -> Volume {
    Volume {
        name: "certs".to_owned(),
        secret: Some(SecretVolumeSource {
            secret_name: Some(CERTIFICATES.to_owned()),
            default_mode: Some(MODE),
            ..SecretVolumeSource::default()
        }),
        ..Volume::default()
    }
}

/// A token that only the xDS server of this control plane takes.
fn token(fleet: &Fleet<'_>) -> Volume {
    Volume {
        name: "sa-token".to_owned(),
        projected: Some(ProjectedVolumeSource {
            default_mode: Some(MODE),
            sources: Some(vec![VolumeProjection {
                service_account_token: Some(ServiceAccountTokenProjection {
                    path: TOKEN_FILE.to_owned(),
                    audience: Some(fleet.settings.xds_host()),
                    expiration_seconds: Some(TOKEN_SECONDS),
                }),
                ..VolumeProjection::default()
            }]),
        }),
        ..Volume::default()
    }
}

fn from_config_map(fleet: &Fleet<'_>, name: &str, keys: &[&str]) -> Volume {
    let item = |key: &&str| KeyToPath { key: (*key).to_owned(), path: (*key).to_owned(), mode: None };
    Volume {
        name: name.to_owned(),
        config_map: Some(ConfigMapVolumeSource {
            name: fleet.name.clone(),
            items: Some(keys.iter().map(item).collect()),
            default_mode: Some(MODE),
            optional: Some(false),
        }),
        ..Volume::default()
    }
}
