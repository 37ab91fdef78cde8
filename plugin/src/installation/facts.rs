//! What the cluster is like, as far as an installation cares: gathered here, judged in `checks`.

use std::collections::{BTreeMap, BTreeSet};

use gateway_shared::install::{
    AUTHORITY_CONFIG_MAP, AUTHORITY_KEY, CONFIG_KEY, CONFIG_MAP, InstallKind, InstallObject,
};
use gateway_shared::install::{MANAGED_BY, MANAGER, SECRETS};
use gateway_shared::install::{Options, VERSION};
use k8s_openapi::api::core::v1::Secret;
use kube::api::Api;
use serde_json::Value;

use super::rights::{Right, denied, denied_one, of_objects, right, rights};
use super::{belonging, live};
use crate::cluster::Cluster;
use crate::exit::Failure;

/// The most questions that are asked at once.
pub(super) const AT_ONCE: usize = 16;

/// Everything that is known.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The version of the API server, such as `v1.34.1`.
    pub server: String,
    /// What the user may not do, of what has to be done.
    pub denied: Vec<Right>,
    /// Whether the user may give rights they don't have themselves.
    pub may_escalate: bool,
    /// Custom resource definitions of the Gateway API and of ours, by name; `None` when they may not be listed.
    pub definitions: Option<BTreeMap<String, Definition>>,
    /// Control planes of this kind, here and in other namespaces; `None` when nobody may look.
    pub control_planes: Option<Vec<ControlPlane>>,
    /// The GatewayClasses there are.
    pub classes: Vec<Class>,
    /// What is there already of the objects to be applied.
    pub there: BTreeMap<Key, Value>,
    /// Which of the Secrets are there.
    pub secrets: BTreeSet<String>,
    /// Whether the authority of the agent's certificate is told to whoever checks the agent.
    pub authority: bool,
    /// The namespaces in which nothing can be made.
    pub unusable: BTreeMap<String, Unusable>,
    /// What an earlier installation of this control plane made, and nobody needs any more.
    pub stale: Vec<Key>,
    /// Whether the Gateway API's policy forbids its experimental definitions.
    pub safe_upgrades: bool,
}

/// Why nothing can be made in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// There is none of this name.
    Absent,
    /// It is being deleted.
    Ending,
}

/// Kind, namespace and name.
pub type Key = (InstallKind, Option<String>, String);

/// The key of an object.
#[must_use]
pub fn key(object: &InstallObject) -> Key {
    (object.kind, object.namespace.clone(), object.name.clone())
}

/// The key of an object of this kind in the cluster.
#[must_use]
pub fn key_of(kind: InstallKind, value: &Value) -> Key {
    (kind, text(value, &["metadata", "namespace"]), text(value, &["metadata", "name"]).unwrap_or_default())
}

/// A custom resource definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definition {
    /// The release it is of, by the Gateway API's annotation.
    pub bundle: Option<String>,
    /// The release channel, likewise.
    pub channel: Option<String>,
    /// Who looks after it.
    pub managed_by: Option<String>,
    /// Our version, if it is ours.
    pub version: Option<String>,
    /// The versions objects are stored in.
    pub stored: Vec<String>,
}

/// A Deployment that is a control plane of this kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControlPlane {
    /// Its namespace.
    pub namespace: String,
    /// Who looks after it: us, Helm, somebody.
    pub managed_by: Option<String>,
    /// The version it says it is of.
    pub version: Option<String>,
    /// Its image.
    pub image: String,
    /// What its pods are found by.
    pub selector: BTreeMap<String, String>,
    /// The name it answers to, from its configuration.
    pub controller_name: Option<String>,
}

/// A GatewayClass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub controller_name: String,
    /// Whether somebody accepted it.
    pub accepted: bool,
}

impl Facts {
    /// Looks at everything.
    ///
    /// # Errors
    /// When the API server can't be asked. What only can't be read is a fact too.
    pub async fn gather(
        cluster: &Cluster,
        options: &Options,
        objects: &[InstallObject],
        take_over: bool,
    ) -> Result<Self, Failure> {
        let server = cluster.ask("get the version", cluster.client.apiserver_version()).await?.git_version;
        let stale = stale(cluster, &options.namespace, objects).await?;
        let mut rights = rights(objects, take_over);
        rights.extend(stale.iter().map(|(kind, namespace, _)| right("delete", *kind, namespace.as_deref())));
        let denied = denied(cluster, &rights).await?;
        let escalate = Right {
            verb: "escalate",
            group: InstallKind::ClusterRole.group(),
            resource: "clusterroles",
            namespace: None,
        };
        Ok(Self {
            server,
            denied,
            may_escalate: denied_one(cluster, &escalate).await?.is_none(),
            definitions: definitions(cluster).await?,
            control_planes: control_planes(cluster).await?,
            classes: classes(cluster).await?,
            there: there(cluster, objects).await?,
            secrets: secrets(cluster, &options.namespace).await?,
            authority: authority(cluster, &options.namespace).await?,
            unusable: unusable(cluster, objects).await?,
            stale,
            safe_upgrades: safe_upgrades(cluster).await?,
        })
    }

    /// Looks at more objects that are to be applied.
    ///
    /// # Errors
    /// When the API server can't be asked.
    pub async fn look_at(&mut self, cluster: &Cluster, objects: &[InstallObject]) -> Result<(), Failure> {
        self.there.extend(there(cluster, objects).await?);
        let mut more = denied(cluster, &of_objects(objects)).await?;
        more.retain(|right| !self.denied.contains(right));
        self.denied.extend(more);
        Ok(())
    }
}

/// The text at a path of keys.
fn text(value: &Value, path: &[&str]) -> Option<String> {
    path.iter().try_fold(value, |value, key| value.get(key))?.as_str().map(str::to_owned)
}

async fn definitions(cluster: &Cluster) -> Result<Option<BTreeMap<String, Definition>>, Failure> {
    let Some(all) = readable(live::list(cluster, InstallKind::CustomResourceDefinition, "").await)? else {
        return Ok(None);
    };
    let ours = |group: &str| group == GATEWAY_API || group == EXTENSIONS;
    let of_interest = all.iter().filter(|value| text(value, &["spec", "group"]).is_some_and(|group| ours(&group)));
    let named = of_interest.filter_map(|value| Some((text(value, &["metadata", "name"])?, Definition::of(value))));
    Ok(Some(named.collect()))
}

/// The Gateway API's group.
pub const GATEWAY_API: &str = "gateway.networking.k8s.io";

/// The group of what the Gateway API tries out.
pub const GATEWAY_API_TRIED: &str = "gateway.networking.x-k8s.io";

/// Our group, which is Envoy Gateway's.
pub const EXTENSIONS: &str = "gateway.envoyproxy.io";

impl Definition {
    /// The definition in a document.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        let stored = value.pointer("/status/storedVersions").and_then(Value::as_array);
        Self {
            bundle: text(value, &["metadata", "annotations", "gateway.networking.k8s.io/bundle-version"]),
            channel: text(value, &["metadata", "annotations", "gateway.networking.k8s.io/channel"]),
            managed_by: text(value, &["metadata", "labels", MANAGED_BY]),
            version: text(value, &["metadata", "labels", VERSION]),
            stored: stored.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
        }
    }
}

async fn control_planes(cluster: &Cluster) -> Result<Option<Vec<ControlPlane>>, Failure> {
    let Some(found) = readable(belonging::control_planes(cluster).await)? else { return Ok(None) };
    let mut planes = Vec::new();
    for value in &found {
        let mut plane = ControlPlane::of(value);
        let config = live::get(cluster, InstallKind::ConfigMap, Some(&plane.namespace), CONFIG_MAP).await;
        plane.controller_name = readable(config)?.flatten().and_then(|config| controller_name(&config));
        planes.push(plane);
    }
    Ok(Some(planes))
}

impl ControlPlane {
    /// The control plane whose Deployment this is.
    #[must_use]
    pub fn of(deployment: &Value) -> Self {
        let selector = deployment.pointer("/spec/selector/matchLabels").and_then(Value::as_object);
        let image = deployment.pointer("/spec/template/spec/containers/0/image").and_then(Value::as_str);
        Self {
            namespace: text(deployment, &["metadata", "namespace"]).unwrap_or_default(),
            managed_by: text(deployment, &["metadata", "labels", MANAGED_BY]),
            version: text(deployment, &["metadata", "labels", VERSION]),
            image: image.unwrap_or_default().to_owned(),
            selector: selector
                .into_iter()
                .flatten()
                .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
                .collect(),
            controller_name: None,
        }
    }

    /// Whether we installed it.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        self.managed_by.as_deref() == Some(MANAGER)
    }
}

/// The name a configuration answers to.
fn controller_name(config_map: &Value) -> Option<String> {
    let file: serde_yaml::Value = serde_yaml::from_str(&text(config_map, &["data", CONFIG_KEY])?).ok()?;
    let said = file.get("gateway").and_then(|gateway| gateway.get("controllerName"));
    Some(said.and_then(serde_yaml::Value::as_str).unwrap_or(DEFAULT_CONTROLLER).to_owned())
}

/// The name Envoy Gateway answers to unless something else is said.
const DEFAULT_CONTROLLER: &str = "gateway.envoyproxy.io/gatewayclass-controller";

async fn classes(cluster: &Cluster) -> Result<Vec<Class>, Failure> {
    let found = readable(live::list(cluster, InstallKind::GatewayClass, "").await)?.unwrap_or_default();
    Ok(found.iter().map(Class::of).collect())
}

impl Class {
    /// The class in a document.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        let conditions = value.pointer("/status/conditions").and_then(Value::as_array);
        let accepted = conditions.into_iter().flatten().any(|condition| {
            text(condition, &["type"]).as_deref() == Some("Accepted")
                && text(condition, &["status"]).as_deref() == Some("True")
        });
        Self {
            name: text(value, &["metadata", "name"]).unwrap_or_default(),
            controller_name: text(value, &["spec", "controllerName"]).unwrap_or_default(),
            accepted,
        }
    }
}

/// What is there of `objects`.
pub async fn there(cluster: &Cluster, objects: &[InstallObject]) -> Result<BTreeMap<Key, Value>, Failure> {
    let mut found = BTreeMap::new();
    for some in objects.chunks(AT_ONCE) {
        let asked = some.iter().map(|object| async {
            let got = live::get(cluster, object.kind, object.namespace.as_deref(), &object.name).await;
            (key(object), got)
        });
        for (key, got) in futures::future::join_all(asked).await {
            if let Some(Some(value)) = readable(got)? {
                found.insert(key, value);
            }
        }
    }
    Ok(found)
}

async fn secrets(cluster: &Cluster, namespace: &str) -> Result<BTreeSet<String>, Failure> {
    let api: Api<Secret> = Api::namespaced(cluster.client.clone(), namespace);
    let mut found = BTreeSet::new();
    for name in SECRETS {
        let got = cluster.ask(&format!("get Secret {name}"), api.get_metadata_opt(name)).await;
        if let Some(Some(_)) = readable(got)? {
            found.insert(name.to_owned());
        }
    }
    Ok(found)
}

async fn authority(cluster: &Cluster, namespace: &str) -> Result<bool, Failure> {
    let found = live::get(cluster, InstallKind::ConfigMap, Some(namespace), AUTHORITY_CONFIG_MAP).await;
    let text = readable(found)?.flatten().and_then(|map| text(&map, &["data", AUTHORITY_KEY]));
    Ok(text.is_some_and(|text| !text.is_empty()))
}

/// The namespaces of `objects` in which nothing can be made.
async fn unusable(cluster: &Cluster, objects: &[InstallObject]) -> Result<BTreeMap<String, Unusable>, Failure> {
    let names: BTreeSet<&String> = objects.iter().filter_map(|object| object.namespace.as_ref()).collect();
    let mut found = BTreeMap::new();
    for name in names {
        match readable(live::get(cluster, InstallKind::Namespace, None, name).await)? {
            Some(None) => found.insert(name.clone(), Unusable::Absent),
            Some(Some(there)) if text(&there, &["status", "phase"]).as_deref() == Some("Terminating") => {
                found.insert(name.clone(), Unusable::Ending)
            }
            _ => None,
        };
    }
    Ok(found)
}

/// What carries our label, is of the control plane in `namespace`, and isn't among `objects`.
async fn stale(cluster: &Cluster, namespace: &str, objects: &[InstallObject]) -> Result<Vec<Key>, Failure> {
    let marked = readable(belonging::marked(cluster).await)?;
    // Whose a role is can't be told without bindings.
    Ok(marked.map(|marked| unneeded(&marked, namespace, objects)).unwrap_or_default())
}

fn unneeded(marked: &[(InstallKind, Value)], namespace: &str, objects: &[InstallObject]) -> Vec<Key> {
    let wanted: BTreeSet<Key> = objects.iter().map(key).collect();
    belonging::of(marked, namespace).into_iter().filter(|key| !wanted.contains(key)).collect()
}

/// The policy that comes with the Gateway API since 1.5.
pub const SAFE_UPGRADES: &str = "safe-upgrades.gateway.networking.k8s.io";

async fn safe_upgrades(cluster: &Cluster) -> Result<bool, Failure> {
    let found = live::get(cluster, InstallKind::ValidatingAdmissionPolicyBinding, None, SAFE_UPGRADES).await;
    Ok(readable(found)?.flatten().is_some())
}

impl Facts {
    /// Whether there are definitions of the Gateway API.
    #[must_use]
    pub fn has_gateway_api(&self) -> bool {
        let mut names = self.definitions.iter().flatten().map(|(name, _)| name);
        names.any(|name| name.strip_suffix(GATEWAY_API).is_some_and(|rest| rest.ends_with('.')))
    }
}

/// What may not be read is no reason to give up: the check of rights says so.
///
/// # Errors
/// When it can't be read for another reason.
pub fn readable<T>(answer: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(Failure::Told { message, .. }) if message.starts_with("you may not") => Ok(None),
        Err(failure) => Err(failure),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use gateway_shared::install;
    use gateway_shared::install::configuration::ConfigFile;
    use gateway_shared::install::options::{NamespaceMode, Values};

    use super::*;
    use crate::installation::removal::KINDS;

    pub(in crate::installation) fn options(mode: NamespaceMode, watched: &[&str]) -> Options {
        let values = Values {
            namespace_mode: Some(mode),
            watch_namespaces: Some(watched.iter().map(|name| (*name).to_owned()).collect()),
            replicas: Some(2),
            ..Values::default()
        };
        Options {
            namespace: "gw".to_owned(),
            instance: "gw".to_owned(),
            version: "v1.0.0".to_owned(),
            config: ConfigFile::default().with(&values),
            values,
            autoscaled: false,
        }
    }

    #[test]
    fn what_a_mode_no_longer_needs_is_stale() {
        let marked = |options: &Options| {
            let objects = install::render(options);
            let of = |kind: &InstallKind| objects.iter().filter(|object| object.kind == *kind).collect::<Vec<_>>();
            let listed = KINDS.iter().flat_map(of).map(|object| (object.kind, object.content.clone()));
            listed.collect::<Vec<_>>()
        };
        let stale = |before: &Options, after: &Options| {
            let stale = unneeded(&marked(before), "gw", &install::render(after));
            stale.into_iter().map(|(kind, at, name)| (kind, at.unwrap_or_default(), name)).collect::<Vec<_>>()
        };
        let named = |kind, at: &str, name: &str| (kind, at.to_owned(), format!("gw-gateway-helm-{name}"));
        let beside = options(NamespaceMode::GatewayNamespace, &[]);
        assert_eq!(stale(&beside, &beside), []);
        assert_eq!(
            stale(&beside, &options(NamespaceMode::ControllerNamespace, &[])),
            [
                named(InstallKind::ClusterRoleBinding, "", "cluster-infra-manager"),
                named(InstallKind::ClusterRole, "", "cluster-infra-manager"),
            ]
        );
        let watching = |place| options(NamespaceMode::ControllerNamespace, &[place]);
        assert_eq!(
            stale(&watching("shop"), &watching("infra")),
            [
                named(InstallKind::RoleBinding, "shop", "envoy-gateway-rolebinding"),
                named(InstallKind::Role, "shop", "envoy-gateway-role"),
            ]
        );
        let marked = marked(&beside);
        assert_eq!(unneeded(&marked, "other", &[]), []);
    }
}
