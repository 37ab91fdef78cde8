//! Whose objects are: two control planes may carry the same labels, and each removes only its own.

use std::collections::BTreeSet;
use std::sync::Arc;

use gateway_shared::api::envoy_gateway::EnvoyGateway;
use gateway_shared::install::configuration::ConfigFile;
use gateway_shared::install::{CONFIG_MAP, INSTANCE, InstallKind, MANAGED_BY, MANAGER, NAME};
use serde_json::Value;

use super::facts::{Key, key_of};
use super::live;
use super::removal::KINDS;
use super::request::Earlier;
use crate::cluster::Cluster;
use crate::exit::Failure;

/// Everything that carries our label, of the kinds an installation has.
///
/// # Errors
/// When the API server doesn't answer or refuses.
pub async fn marked(cluster: &Cluster) -> Result<Vec<(InstallKind, Value)>, Failure> {
    let mut marked = Vec::new();
    for kind in KINDS {
        let all = live::list(cluster, *kind, &format!("{MANAGED_BY}={MANAGER}")).await?;
        marked.extend(all.into_iter().map(|value| (*kind, value)));
    }
    Ok(marked)
}

/// The Deployments of control planes, ours and others of the kind, in every namespace.
///
/// # Errors
/// When the API server doesn't answer or refuses.
pub async fn control_planes(cluster: &Cluster) -> Result<Vec<Value>, Failure> {
    let mut found = live::list(cluster, InstallKind::Deployment, "control-plane=envoy-gateway").await?;
    found.retain(|deployment| key_of(InstallKind::Deployment, deployment).2 == NAME);
    Ok(found)
}

/// The instances an installation in `namespace` has, by what is there of it; by its place when nothing is.
#[must_use]
pub fn instances(marked: &[(InstallKind, Value)], namespace: &str) -> BTreeSet<String> {
    let its = marked.iter().filter(|(kind, value)| names(*kind, value) == Some(namespace));
    let found: BTreeSet<String> = its.filter_map(|(_, value)| instance(value).map(str::to_owned)).collect();
    if found.is_empty() { BTreeSet::from([Earlier::default().instance_in(namespace)]) } else { found }
}

/// The objects among `marked`, which all carry our label, that are of the control plane in `namespace`.
///
/// A role is of whom a binding gives it to. One that nobody has is left of an installation that went half-way: the
/// instance says of which.
#[must_use]
pub fn of(marked: &[(InstallKind, Value)], namespace: &str) -> Vec<Key> {
    let instances = instances(marked, namespace);
    let is_its = |(kind, value): &&(InstallKind, Value)| match kind {
        InstallKind::Role | InstallKind::ClusterRole => {
            let mut holders = marked.iter().filter(|(_, binding)| gives(binding, *kind, value)).peekable();
            if holders.peek().is_none() {
                return instance(value).is_some_and(|instance| instances.contains(instance));
            }
            holders.all(|(kind, binding)| names(*kind, binding) == Some(namespace))
        }
        _ => names(*kind, value) == Some(namespace),
    };
    marked.iter().filter(is_its).map(|(kind, value)| key_of(*kind, value)).collect()
}

/// The namespace of the control plane an object is for, as far as it says so itself.
fn names(kind: InstallKind, value: &Value) -> Option<&str> {
    let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str);
    match kind {
        InstallKind::MutatingWebhookConfiguration => text("/webhooks/0/clientConfig/service/namespace"),
        InstallKind::RoleBinding | InstallKind::ClusterRoleBinding => {
            text("/subjects/0/namespace").or_else(|| text("/metadata/namespace"))
        }
        InstallKind::Role | InstallKind::ClusterRole => None,
        _ => text("/metadata/namespace"),
    }
}

/// Whether `binding` gives the role `value`.
fn gives(binding: &Value, kind: InstallKind, value: &Value) -> bool {
    let same = |mine: &str, its: &str| {
        let name = binding.pointer(mine);
        name.is_some() && name == value.pointer(its)
    };
    binding.pointer("/roleRef/kind").and_then(Value::as_str) == Some(kind.kind())
        && same("/roleRef/name", "/metadata/name")
        && (kind == InstallKind::ClusterRole || same("/metadata/namespace", "/metadata/namespace"))
}

/// The instance an object is labelled with.
#[must_use]
pub fn instance(value: &Value) -> Option<&str> {
    value.pointer("/metadata/labels")?.get(INSTANCE)?.as_str()
}

/// A control plane in another namespace.
#[derive(Clone, Debug)]
pub struct Neighbour {
    /// Its namespace.
    pub namespace: String,
    /// Its configuration, if there is one.
    pub config: Option<Arc<EnvoyGateway>>,
}

impl Neighbour {
    /// Whether proxies in `place` may be its own.
    fn may_have(&self, place: &str) -> bool {
        let beside_gateways = |config: &Arc<EnvoyGateway>| {
            let watched = config.watched_namespaces();
            config.gateway_namespace_mode() && (watched.is_empty() || watched.iter().any(|name| name == place))
        };
        self.namespace == place || self.config.as_ref().is_none_or(beside_gateways)
    }

    /// Whether classes with this name of a controller may be its own.
    #[must_use]
    pub fn may_answer(&self, controller_name: &str) -> bool {
        self.config.as_ref().is_none_or(|config| config.controller_name() == controller_name)
    }
}

/// Whether proxies in `place` are of the control plane in `namespace`. Without its configuration nobody knows any more
/// where it put them; then those that can be of no other are its own.
#[must_use]
pub fn has_fleet(namespace: &str, config: Option<&EnvoyGateway>, neighbours: &[Neighbour], place: &str) -> bool {
    let beside_gateways = config.filter(|config| config.gateway_namespace_mode());
    let watched = beside_gateways.map(EnvoyGateway::watched_namespaces);
    let anywhere = config.is_none() || neighbours.is_empty() || watched.is_some_and(<[String]>::is_empty);
    place == namespace
        || watched.is_some_and(|watched| watched.iter().any(|name| name == place))
        || anywhere && !neighbours.iter().any(|neighbour| neighbour.may_have(place))
}

/// The control planes in other namespaces.
///
/// # Errors
/// When the API server doesn't answer or refuses.
pub async fn neighbours(cluster: &Cluster, namespace: &str) -> Result<Vec<Neighbour>, Failure> {
    let mut neighbours = Vec::new();
    for deployment in control_planes(cluster).await? {
        let (_, place, _) = key_of(InstallKind::Deployment, &deployment);
        let Some(place) = place.filter(|place| place != namespace) else { continue };
        let config = live::get(cluster, InstallKind::ConfigMap, Some(&place), CONFIG_MAP).await?;
        neighbours.push(Neighbour { namespace: place, config: config.as_ref().and_then(configuration) });
    }
    Ok(neighbours)
}

/// The configuration in a ConfigMap, if it can be understood.
#[must_use]
pub fn configuration(config_map: &Value) -> Option<Arc<EnvoyGateway>> {
    let text = Earlier::of(None, Some(config_map)).config?;
    ConfigFile::read("", &text).ok().map(|config| config.file)
}

#[cfg(test)]
mod tests {
    use gateway_shared::install::options::{NamespaceMode, Values};
    use gateway_shared::install::{self, Options};

    use super::*;
    use crate::installation::removal::KINDS;

    /// What an installation of `instance` in `namespace` leaves in a cluster, of the kinds that are removed.
    fn installed(namespace: &str, instance: &str) -> Vec<(InstallKind, Value)> {
        let values = Values { watch_namespaces: Some(vec!["shop".to_owned()]), ..Values::default() };
        let options = Options {
            namespace: namespace.to_owned(),
            instance: instance.to_owned(),
            version: "v1.0.0".to_owned(),
            config: ConfigFile::default().with(&values),
            values,
            autoscaled: false,
        };
        let objects = install::render(&options).into_iter().filter(|object| KINDS.contains(&object.kind));
        objects.map(|object| (object.kind, object.content)).collect()
    }

    fn keys(marked: &[(InstallKind, Value)]) -> Vec<Key> {
        marked.iter().map(|(kind, value)| key_of(*kind, value)).collect()
    }

    #[test]
    fn an_installation_is_what_its_namespace_and_bindings_say() {
        let here = installed("gateways", "eg");
        assert_eq!(of(&here, "gateways"), keys(&here));
        assert_eq!(of(&here, "envoy-gateway-system"), [], "of another control plane, though its label is the same");
        let both: Vec<_> = here.iter().cloned().chain(installed("other", "other")).collect();
        assert_eq!(of(&both, "gateways"), keys(&here));
    }

    #[test]
    fn what_is_left_says_its_instance() {
        let mut left = installed("gw", "foo");
        left.retain(|(kind, _)| {
            [InstallKind::ClusterRole, InstallKind::Role, InstallKind::ServiceAccount].contains(kind)
        });
        assert_eq!(of(&left, "gw"), keys(&left));
        let stranger = installed("other", "other").into_iter().find(|(kind, _)| *kind == InstallKind::ClusterRole);
        let stranger = [stranger.unwrap()];
        assert_eq!(of(&stranger, "gw"), []);
        assert_eq!(of(&stranger, "other"), keys(&stranger));
    }

    fn neighbour(namespace: &str, mode: NamespaceMode, watched: &[&str]) -> Neighbour {
        let watch_namespaces = Some(watched.iter().map(|name| (*name).to_owned()).collect());
        let values = Values { namespace_mode: Some(mode), watch_namespaces, ..Values::default() };
        Neighbour { namespace: namespace.to_owned(), config: Some(ConfigFile::default().with(&values).file) }
    }

    #[test]
    fn proxies_are_of_who_may_have_made_them() {
        let together = neighbour("gateways", NamespaceMode::ControllerNamespace, &[]);
        let beside = neighbour("gateways", NamespaceMode::GatewayNamespace, &["infra"]);
        let unknown = Neighbour { namespace: "gateways".to_owned(), config: None };
        let one = std::slice::from_ref;
        let whole = |neighbours: &[Neighbour], place| has_fleet("gw", None, neighbours, place);
        assert!(whole(&[], "shop"), "with its configuration gone, its proxies are looked for everywhere");
        assert!(whole(one(&together), "shop") && !whole(one(&together), "gateways"));
        assert!(whole(one(&beside), "shop") && !whole(one(&beside), "infra"));
        assert!(!whole(one(&unknown), "shop") && whole(one(&unknown), "gw"));
        let known = |config: &Neighbour, place| {
            has_fleet("gw", config.config.as_deref(), &[neighbour("x", NamespaceMode::GatewayNamespace, &[])], place)
        };
        assert!(known(&beside, "infra") && !known(&beside, "shop") && !known(&together, "shop"));
        assert_eq!(configuration(&serde_json::json!({ "data": { "envoy-gateway.yaml": "kind: [" } })), None);
        assert!(together.may_answer("gateway.envoyproxy.io/gatewayclass-controller"));
        assert!(!together.may_answer("example.com/other"));
    }
}
