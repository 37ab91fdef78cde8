//! What an uninstallation removes and what it keeps: decided here, from what was found.

use std::collections::{BTreeMap, BTreeSet};

use gateway_shared::install::{AUTHORITY_CONFIG_MAP, InstallKind, MANAGED_BY, MANAGER, SECRETS};
use serde_json::Value;

use super::facts::{EXTENSIONS, GATEWAY_API, GATEWAY_API_TRIED, Key};

/// What keeps a class from being deleted while a Gateway uses it.
pub const FINALIZER: &str = "gateway-exists-finalizer.gateway.networking.k8s.io";

/// The Lease of the leader.
pub const LEASE: &str = "5b9825d2.gateway.envoyproxy.io";

/// The kinds that are made beside definitions, classes and the namespace, in the order they go: first what calls the
/// agent, then the agent, so that nobody writes any more, then the rest.
pub const KINDS: &[InstallKind] = &[
    InstallKind::MutatingWebhookConfiguration,
    InstallKind::Deployment,
    InstallKind::PodDisruptionBudget,
    InstallKind::Service,
    InstallKind::Job,
    InstallKind::RoleBinding,
    InstallKind::Role,
    InstallKind::ClusterRoleBinding,
    InstallKind::ClusterRole,
    InstallKind::ServiceAccount,
    InstallKind::ConfigMap,
];

/// The kinds proxies are made of, in the order they go.
pub const FLEET_KINDS: &[InstallKind] = &[
    InstallKind::PodDisruptionBudget,
    InstallKind::HorizontalPodAutoscaler,
    InstallKind::Service,
    InstallKind::Deployment,
    InstallKind::DaemonSet,
    InstallKind::ConfigMap,
    InstallKind::ServiceAccount,
];

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The namespace of the control plane.
    pub namespace: String,
    /// Objects that carry our label and are of this installation, by [`KINDS`].
    pub ours: Vec<Key>,
    /// Objects of proxies.
    pub fleets: Vec<Key>,
    /// Classes that answer to our name: their names, and whether we made them.
    pub classes: Vec<(String, bool)>,
    /// The classes that carry our finalizer.
    pub held: BTreeSet<String>,
    /// Definitions and the policies that come with them: their keys, and whether we made them.
    pub definitions: Vec<(Key, bool)>,
    /// The namespace carries our label.
    pub namespace_ours: bool,
    /// The Secrets and the rest that the agent and its Job made.
    pub made: Vec<Key>,
    /// The namespaces of other control planes.
    pub neighbours: Vec<String>,
}

/// What is wanted gone beside the agent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wish {
    /// Proxies.
    pub fleets: bool,
    /// Definitions, and every object of their kinds.
    pub crds: bool,
}

/// What is done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removal {
    /// The objects that go, in order; the agent first.
    pub agent: Vec<Key>,
    /// Then proxies.
    pub fleets: Vec<Key>,
    /// Then definitions and classes.
    pub definitions: Vec<Key>,
    /// Classes that are only let go.
    pub released: Vec<String>,
    /// Then the namespace, if nothing of others is in it.
    pub namespace: bool,
    /// What stays, in words.
    pub kept: Vec<String>,
}

impl Removal {
    /// What goes and what stays.
    #[must_use]
    pub fn of(found: &Found, wish: Wish) -> Self {
        let Found { namespace, ours, fleets, classes, held, definitions, namespace_ours, made, neighbours } = found;
        // Without its definitions, another control plane would take down all its proxies.
        let crds = wish.crds && neighbours.is_empty();
        let mut removal = Self { agent: ours.clone(), ..Self::default() };
        let fleets_stay = !fleets.is_empty() && !wish.fleets;
        if fleets_stay {
            removal.kept.push(format!(
                "{} of running proxies, which go on serving what they have; nobody changes them any more (--fleets removes them)",
                objects(fleets.len())
            ));
            removal.kept.push("the certificates, which proxies use".to_owned());
        } else {
            removal.fleets.clone_from(fleets);
            removal.agent.extend(made.iter().cloned());
        }
        for (name, made_by_us) in classes {
            // With its class, the garbage collector would take the proxies.
            if *made_by_us && !fleets_stay || crds {
                removal.definitions.push((InstallKind::GatewayClass, None, name.clone()));
            } else {
                removal.kept.push(format!("GatewayClass {name}"));
            }
            if held.contains(name) {
                removal.released.push(name.clone());
            }
        }
        let (by_us, by_others): (Vec<_>, Vec<_>) = definitions.iter().partition(|(_, made_by_us)| *made_by_us);
        if crds {
            removal.definitions.extend(by_us.iter().map(|(key, _)| key.clone()));
        } else if wish.crds && !by_us.is_empty() {
            removal.kept.push(format!(
                "{} custom resource definitions, which the control plane in namespace {} needs (uninstall it first)",
                by_us.len(),
                neighbours.join(" and the one in namespace ")
            ));
        } else if !by_us.is_empty() {
            removal.kept.push(format!(
                "{} custom resource definitions and every object of their kinds (--crds removes them)",
                by_us.len()
            ));
        }
        if crds && !by_others.is_empty() {
            removal.kept.push(format!("{} custom resource definitions that somebody else installed", by_others.len()));
        }
        removal.namespace = *namespace_ours && !fleets_stay;
        if !removal.namespace {
            removal.kept.push(format!("namespace {namespace}"));
        }
        removal
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        let Self { agent, fleets, definitions, released, namespace, kept: _ } = self;
        agent.is_empty() && fleets.is_empty() && definitions.is_empty() && released.is_empty() && !namespace
    }

    /// How many objects of which kinds go.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut counts: BTreeMap<InstallKind, usize> = BTreeMap::new();
        let all = self.agent.iter().chain(&self.fleets).chain(&self.definitions);
        for (kind, ..) in all {
            *counts.entry(*kind).or_default() += 1;
        }
        if self.namespace {
            *counts.entry(InstallKind::Namespace).or_default() += 1;
        }
        gateway_shared::install::counted(counts.into_iter())
    }
}

/// `1 object`, `3 objects`.
fn objects(count: usize) -> String {
    if count == 1 { "1 object".to_owned() } else { format!("{count} objects") }
}

/// Whether a document carries our label.
#[must_use]
pub fn is_ours(document: &Value) -> bool {
    let labels = document.pointer("/metadata/labels");
    labels.and_then(|labels| labels.get(MANAGED_BY)?.as_str()) == Some(MANAGER)
}

/// Whether it is a definition an installation makes, or one of the policies that come with them.
#[must_use]
pub fn is_definition(name: &str) -> bool {
    [GATEWAY_API, GATEWAY_API_TRIED, EXTENSIONS]
        .iter()
        .any(|group| name.strip_suffix(group).is_some_and(|rest| rest.ends_with('.')))
}

/// What agent and Job make beside what is installed, and keep for themselves.
#[must_use]
pub fn made(namespace: &str) -> Vec<Key> {
    let of = |kind, name: &str| (kind, Some(namespace.to_owned()), name.to_owned());
    let mut keys: Vec<Key> = SECRETS.iter().map(|name| of(InstallKind::Secret, name)).collect();
    keys.push(of(InstallKind::Secret, super::before::NAME));
    keys.push(of(InstallKind::ConfigMap, AUTHORITY_CONFIG_MAP));
    keys.push(of(InstallKind::Lease, LEASE));
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> Found {
        let key = |kind, name: &str| (kind, Some("gw".to_owned()), name.to_owned());
        Found {
            namespace: "gw".to_owned(),
            ours: vec![key(InstallKind::Deployment, "envoy-gateway")],
            fleets: vec![key(InstallKind::Deployment, "envoy-infra-edge-1")],
            classes: vec![("eg".to_owned(), true), ("mine".to_owned(), false)],
            held: BTreeSet::from(["eg".to_owned(), "mine".to_owned()]),
            definitions: vec![
                ((InstallKind::CustomResourceDefinition, None, "backends.gateway.envoyproxy.io".to_owned()), true),
                ((InstallKind::CustomResourceDefinition, None, "gateways.gateway.networking.k8s.io".to_owned()), false),
            ],
            namespace_ours: true,
            made: vec![key(InstallKind::Secret, "envoy")],
            neighbours: Vec::new(),
        }
    }

    #[test]
    fn proxies_stay_with_all_they_need() {
        let removal = Removal::of(&found(), Wish::default());
        assert_eq!(removal.summary(), "1 Deployment");
        assert!(!removal.namespace && removal.definitions.is_empty() && removal.fleets.is_empty());
        assert_eq!(removal.released, ["eg", "mine"]);
        let kept = removal.kept.join("; ");
        for words in [
            "1 object of running proxies",
            "the certificates",
            "GatewayClass eg",
            "GatewayClass mine",
            "custom resource definitions",
            "namespace gw",
        ] {
            assert!(kept.contains(words), "{words} in {kept}");
        }
    }

    #[test]
    fn all_that_was_made_goes_when_asked() {
        let removal = Removal::of(&found(), Wish { fleets: true, crds: false });
        assert!(removal.namespace && removal.fleets.len() == 1 && removal.agent.len() == 2);
        assert_eq!(removal.definitions, [(InstallKind::GatewayClass, None, "eg".to_owned())]);
        let removal = Removal::of(&found(), Wish { fleets: true, crds: true });
        assert_eq!(removal.definitions.len(), 3);
        assert!(removal.kept.join("; ").contains("1 custom resource definitions that somebody else installed"));
        for name in ["backends.gateway.envoyproxy.io", "xmeshes.gateway.networking.x-k8s.io"] {
            assert!(is_definition(name), "{name}");
        }
        assert!(!is_definition("x.example.com"));
    }

    #[test]
    fn another_control_plane_keeps_its_definitions() {
        let found = Found { neighbours: vec!["gateways".to_owned()], ..found() };
        let removal = Removal::of(&found, Wish { fleets: true, crds: true });
        assert_eq!(removal.definitions, [(InstallKind::GatewayClass, None, "eg".to_owned())]);
        let kept = removal.kept.join("; ");
        assert!(kept.contains("which the control plane in namespace gateways needs"), "{kept}");
    }
}
