//! Which of the kinds the API server has, and at which version.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gateway_shared::resources::decode::Finding;
use kube::api::ListParams;
use kube::{Client, Error};

use super::registry::{Presence, WATCHED, Watched};
use super::store::Source;

/// The kinds an API server has: plurals, by group and version.
pub(super) type Served = BTreeMap<(&'static str, &'static str), BTreeSet<String>>;

/// What to watch.
#[derive(Default)]
pub(super) struct Plan {
    /// Every watch, and the version it watches.
    pub(super) watches: BTreeMap<Source, (&'static Watched, &'static str)>,
    /// What is missing.
    pub(super) missing: Vec<Finding>,
}

/// Asks the API server which of our kinds it has.
///
/// # Errors
/// When there is no answer: then nothing is known, which isn't the same as that there are none.
pub(super) async fn served(client: &Client) -> Result<Served, Error> {
    let mut served = Served::new();
    for (group, version) in asked() {
        match client.list_api_group_resources(&format!("{group}/{version}")).await {
            Ok(list) => {
                // A subresource has a slash in its name.
                let plurals = list.resources.into_iter().map(|resource| resource.name);
                served.insert((group, version), plurals.filter(|name| !name.contains('/')).collect());
            }
            Err(Error::Api(status)) if status.code == 404 => {}
            Err(error) => return Err(error),
        }
    }
    Ok(served)
}

/// Puts into `served` what is missing there and is served all the same, of the kinds that are watched already: an API
/// server that starts lists its kinds one after the other, and has their objects before. A kind is gone when its objects
/// are asked for and nobody knows them. Any other answer leaves it where it is: a kind taken for gone takes all its
/// objects along.
///
/// # Errors
/// When there is no answer.
pub(super) async fn keep_those_that_answer(
    client: &Client,
    served: &mut Served,
    watched: impl Iterator<Item = (&Source, &'static Watched, &'static str)>,
) -> Result<(), Error> {
    let mut gone: BTreeSet<&str> = BTreeSet::new();
    for (source, watched, version) in watched {
        let is_listed = served.get(&(watched.group, version)).is_some_and(|plurals| plurals.contains(watched.plural));
        if is_listed || watched.fixed_version().is_some() || gone.contains(watched.kind) {
            continue;
        }
        match watched.api(client, version, source).list(&ListParams::default().limit(1)).await {
            Err(Error::Api(status)) if status.code == 404 => {
                gone.insert(watched.kind);
            }
            Ok(_) | Err(Error::Api(_)) => {
                served.entry((watched.group, version)).or_default().insert(watched.plural.to_owned());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The groups and versions that may be missing.
fn asked() -> BTreeSet<(&'static str, &'static str)> {
    let optional = WATCHED.iter().filter(|watched| watched.presence != Presence::Always);
    optional.flat_map(|watched| watched.versions.iter().map(|version| (watched.group, *version))).collect()
}

/// What to watch where these kinds are: everywhere, or in `namespaces` if there are any.
pub(super) fn plan(served: &Served, namespaces: &[Arc<str>]) -> Plan {
    let mut plan = Plan::default();
    let mut missing: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for watched in WATCHED {
        let Some(version) = watched.fixed_version().or_else(|| best(watched, served)) else {
            match watched.presence {
                Presence::GatewayApi => missing.entry("the Gateway API").or_default().push(watched.kind),
                Presence::EnvoyGateway => missing.entry("Envoy Gateway").or_default().push(watched.kind),
                Presence::Always | Presence::Optional | Presence::Foreign => {}
            }
            continue;
        };
        let mut watch = |namespace| {
            plan.watches.insert(Source { kind: watched.kind, namespace }, (watched, version));
        };
        if watched.namespaced && !namespaces.is_empty() {
            namespaces.iter().for_each(|namespace| watch(Some(Arc::clone(namespace))));
        } else {
            watch(None);
        }
    }
    plan.missing = missing.into_iter().map(|(whose, kinds)| finding(whose, &kinds)).collect();
    plan
}

/// The best version in which a kind is there.
fn best(watched: &Watched, served: &Served) -> Option<&'static str> {
    let there = |version: &&&'static str| {
        served.get(&(watched.group, **version)).is_some_and(|plurals| plurals.contains(watched.plural))
    };
    watched.versions.iter().find(there).copied()
}

fn finding(whose: &str, kinds: &[&str]) -> Finding {
    let (verb, them) = if kinds.len() == 1 { ("is", "it is") } else { ("are", "they are") };
    let message = format!(
        "{} {verb} not there: install the CRDs of {whose}; {them} watched as soon as they are",
        kinds.join(", ")
    );
    Finding { file: "the cluster".to_owned(), line: 0, document: 0, object: None, path: String::new(), message }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GATEWAY_API: &str = "gateway.networking.k8s.io";

    fn served(versions: &[(&'static str, &[&str])]) -> Served {
        let plurals = |plurals: &[&str]| plurals.iter().map(|plural| (*plural).to_owned()).collect();
        versions.iter().map(|(version, names)| ((GATEWAY_API, *version), plurals(names))).collect()
    }

    fn version(plan: &Plan, kind: &'static str, namespace: Option<&str>) -> Option<&'static str> {
        let source = Source { kind, namespace: namespace.map(Arc::from) };
        plan.watches.get(&source).map(|(_, version)| *version)
    }

    #[test]
    fn each_kind_is_watched_at_the_best_version_that_is_served() {
        let plan = plan(
            &served(&[
                ("v1", &["gatewayclasses", "gateways", "httproutes"]),
                ("v1alpha2", &["tlsroutes", "tcproutes"]),
                ("v1alpha3", &["tlsroutes"]),
                ("v1beta1", &["referencegrants", "gateways"]),
            ]),
            &[],
        );
        assert_eq!(version(&plan, "Gateway", None), Some("v1"));
        assert_eq!(version(&plan, "ReferenceGrant", None), Some("v1beta1"));
        assert_eq!(version(&plan, "TLSRoute", None), Some("v1alpha3"));
        assert_eq!(version(&plan, "TCPRoute", None), Some("v1alpha2"));
        assert_eq!(version(&plan, "UDPRoute", None), None);
    }

    #[test]
    fn missing_crds_are_said_once_for_those_who_bring_them_and_core_kinds_are_watched_all_the_same() {
        let plan = plan(&Served::new(), &[]);
        let messages: Vec<&str> = plan.missing.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(messages.len(), 2, "{messages:?}");
        assert!(messages.iter().any(|it| it.starts_with("GatewayClass, Gateway, HTTPRoute, ReferenceGrant are not")));
        assert_eq!(version(&plan, "Service", None), Some("v1"));
        assert_eq!(plan.watches.len(), 5);
    }

    #[test]
    fn namespaces_split_the_watches_of_kinds_that_are_in_namespaces() {
        let plan = plan(&served(&[("v1", &["gatewayclasses", "httproutes"])]), &["a".into(), "b".into()]);
        assert_eq!(version(&plan, "GatewayClass", None), Some("v1"));
        assert_eq!(version(&plan, "HTTPRoute", None), None);
        assert_eq!(version(&plan, "HTTPRoute", Some("b")), Some("v1"));
        assert_eq!(version(&plan, "Namespace", None), Some("v1"));
    }
}
