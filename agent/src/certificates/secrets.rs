//! The certificates in a cluster: Secrets as Envoy Gateway names and labels them, the authority where everybody may read
//! it, and the webhook whose caller has to trust it.

use std::collections::BTreeMap;

use anyhow::Context as _;
use k8s_openapi::ByteString;
use k8s_openapi::api::admissionregistration::v1::MutatingWebhookConfiguration;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Client, ResourceExt as _};

use super::authority::{Holder, random_secret};
use super::plan::Existing;
use crate::tls::material::Material;

/// The Secret that signs OIDC's cookies.
const OIDC_SECRET: &str = "envoy-oidc-hmac";
/// Its key.
const OIDC_KEY: &str = "hmac-secret";
/// The ConfigMap with our authority, by which `kubectl gateway` knows that it talks to the agent.
pub const AUTHORITY_CONFIG_MAP: &str = "envoy-gateway-ca";
/// The key of the authorities, in Secrets and in the ConfigMap.
pub const AUTHORITY_KEY: &str = "ca.crt";
/// What the name of the webhook begins with; the namespace follows.
const WEBHOOK: &str = "envoy-gateway-topology-injector";
/// How often a write is tried when others write at the same time.
const TRIES: usize = 5;

/// The namespace of a control plane.
#[derive(Clone)]
pub struct Cluster {
    /// The API server.
    pub client: Client,
    /// The namespace.
    pub namespace: String,
}

/// What became of the webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Webhook {
    /// There is none.
    Absent,
    /// It trusts our authority already.
    Unchanged,
    /// It trusts our authority now.
    Patched,
}

impl Cluster {
    /// What there is.
    ///
    /// # Errors
    /// When the API server can't be asked.
    pub async fn read(&self) -> anyhow::Result<Existing> {
        let mut existing = Existing::default();
        for holder in Holder::ALL {
            if let Some(secret) = self.secret(holder.secret()).await? {
                existing.certificates.insert(holder, material(&secret));
            }
        }
        existing.oidc = self.secret(OIDC_SECRET).await?.is_some();
        Ok(existing)
    }

    /// Writes one certificate.
    ///
    /// # Errors
    /// When the API server refuses, or others keep on writing.
    pub async fn write(&self, holder: Holder, material: &Material) -> anyhow::Result<()> {
        let Material { certificate, key, authorities } = material;
        let data = [("tls.crt", certificate), ("tls.key", key), (AUTHORITY_KEY, authorities)];
        let data = data.map(|(name, value)| (name.to_owned(), ByteString(value.clone())));
        self.put(holder.secret(), "kubernetes.io/tls", data.into()).await
    }

    /// Makes the secret for OIDC.
    ///
    /// # Errors
    /// When the API server refuses.
    pub async fn write_oidc(&self) -> anyhow::Result<()> {
        let data = [(OIDC_KEY.to_owned(), ByteString(random_secret()?))];
        self.put(OIDC_SECRET, "Opaque", data.into()).await
    }

    /// Publishes the authorities of the control plane, so that its callers know it. Says whether that changed anything.
    ///
    /// # Errors
    /// When the API server refuses, or others keep on writing.
    pub async fn publish_authority(&self) -> anyhow::Result<bool> {
        let Some(authorities) = self.authorities().await? else { return Ok(false) };
        let text = String::from_utf8(authorities).context("ca.crt of the Secret envoy-gateway is not text")?;
        let data = BTreeMap::from([(AUTHORITY_KEY.to_owned(), text)]);
        let maps: Api<ConfigMap> = Api::namespaced(self.client.clone(), &self.namespace);
        let what = || format!("can't write the ConfigMap {}/{AUTHORITY_CONFIG_MAP}", self.namespace);
        for _ in 0..TRIES {
            let written = match maps.get_opt(AUTHORITY_CONFIG_MAP).await.with_context(what)? {
                Some(map) if map.data.as_ref() == Some(&data) => return Ok(false),
                Some(map) => {
                    let map = ConfigMap { data: Some(data.clone()), ..map };
                    maps.replace(AUTHORITY_CONFIG_MAP, &PostParams::default(), &map).await
                }
                None => {
                    let map = ConfigMap {
                        metadata: self.metadata(AUTHORITY_CONFIG_MAP),
                        data: Some(data.clone()),
                        ..ConfigMap::default()
                    };
                    maps.create(&PostParams::default(), &map).await
                }
            };
            match written {
                Err(kube::Error::Api(status)) if status.code == 409 => {}
                other => return other.map(|_| true).with_context(what),
            }
        }
        anyhow::bail!("{}: others write it at the same time", what())
    }

    /// Lets the API server trust our authority when it calls the topology webhook.
    ///
    /// # Errors
    /// When the API server refuses, or others keep on writing.
    pub async fn patch_webhook(&self) -> anyhow::Result<Webhook> {
        let name = format!("{WEBHOOK}.{}", self.namespace);
        let what = || format!("can't tell the MutatingWebhookConfiguration {name} about the authority");
        let webhooks: Api<MutatingWebhookConfiguration> = Api::all(self.client.clone());
        for _ in 0..TRIES {
            let Some(mut found) = webhooks.get_opt(&name).await.with_context(what)? else {
                return Ok(Webhook::Absent);
            };
            let Some(authorities) = self.authorities().await? else { return Ok(Webhook::Unchanged) };
            let authorities = ByteString(authorities);
            let mut changed = false;
            for webhook in found.webhooks.iter_mut().flatten() {
                if webhook.client_config.ca_bundle.as_ref() != Some(&authorities) {
                    webhook.client_config.ca_bundle = Some(authorities.clone());
                    changed = true;
                }
            }
            if !changed {
                return Ok(Webhook::Unchanged);
            }
            match webhooks.replace(&name, &PostParams::default(), &found).await {
                Err(kube::Error::Api(status)) if status.code == 409 => {}
                other => return other.map(|_| Webhook::Patched).with_context(what),
            }
        }
        anyhow::bail!("{}: others write it at the same time", what())
    }

    /// `ca.crt` of the control plane's Secret.
    async fn authorities(&self) -> anyhow::Result<Option<Vec<u8>>> {
        let secret = self.secret(Holder::Server.secret()).await?;
        Ok(secret.map(|secret| material(&secret).authorities).filter(|authorities| !authorities.is_empty()))
    }

    async fn secret(&self, name: &str) -> anyhow::Result<Option<Secret>> {
        self.secrets().get_opt(name).await.with_context(|| format!("can't read the Secret {}/{name}", self.namespace))
    }

    /// Creates a Secret, or puts `data` into the one there is; what others added to its metadata stays.
    async fn put(&self, name: &str, kind: &str, data: BTreeMap<String, ByteString>) -> anyhow::Result<()> {
        let what = || format!("can't write the Secret {}/{name}", self.namespace);
        for _ in 0..TRIES {
            let written = match self.secret(name).await? {
                Some(mut secret) => {
                    secret.labels_mut().extend(labels());
                    secret.data = Some(data.clone());
                    self.secrets().replace(name, &PostParams::default(), &secret).await
                }
                None => {
                    let secret = Secret {
                        metadata: self.metadata(name),
                        type_: Some(kind.to_owned()),
                        data: Some(data.clone()),
                        ..Secret::default()
                    };
                    self.secrets().create(&PostParams::default(), &secret).await
                }
            };
            match written {
                Err(kube::Error::Api(status)) if status.code == 409 => {}
                other => return other.map(drop).with_context(what),
            }
        }
        anyhow::bail!("{}: others write it at the same time", what())
    }

    fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    fn metadata(&self, name: &str) -> ObjectMeta {
        ObjectMeta {
            name: Some(name.to_owned()),
            namespace: Some(self.namespace.clone()),
            labels: Some(labels()),
            ..ObjectMeta::default()
        }
    }
}

/// The labels of what `certgen` makes, as Envoy Gateway sets them.
fn labels() -> BTreeMap<String, String> {
    BTreeMap::from([("control-plane".to_owned(), "envoy-gateway".to_owned())])
}

/// A Secret as files; what it lacks is empty.
fn material(secret: &Secret) -> Material {
    let value = |key: &str| {
        let data = secret.data.as_ref().and_then(|data| data.get(key));
        data.map(|bytes| bytes.0.clone()).unwrap_or_default()
    };
    Material { certificate: value("tls.crt"), key: value("tls.key"), authorities: value(AUTHORITY_KEY) }
}
