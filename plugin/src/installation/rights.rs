//! What has to be allowed for an installation, and what of it is denied.

use std::collections::BTreeSet;

use gateway_shared::install::{InstallKind, InstallObject};
use k8s_openapi::api::authorization::v1::{ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec};
use kube::api::{Api, PostParams};

use super::facts::AT_ONCE;
use crate::cluster::Cluster;
use crate::exit::Failure;

/// Something that has to be allowed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Right {
    /// What is done.
    pub verb: &'static str,
    /// The API group.
    pub group: &'static str,
    /// With which resources.
    pub resource: &'static str,
    /// In which namespace.
    pub namespace: Option<String>,
}

/// What has to be allowed to apply `objects` and to see how the agent comes up; and, for a take-over, to keep what was
/// there.
#[must_use]
pub fn rights(objects: &[InstallObject], take_over: bool) -> BTreeSet<Right> {
    let mut rights = of_objects(objects);
    let namespace = objects.iter().find(|object| object.kind == InstallKind::Deployment);
    let namespace = namespace.and_then(|deployment| deployment.namespace.clone());
    let group = InstallKind::CustomResourceDefinition.group();
    rights.insert(Right { verb: "list", group, resource: "customresourcedefinitions", namespace: None });
    let keep: &[_] = if take_over { &["create", "update"] } else { &[] };
    rights.extend(["get"].iter().chain(keep).map(|verb| right(verb, InstallKind::Secret, namespace.as_deref())));
    rights.insert(Right { verb: "list", group: "", resource: "pods", namespace });
    rights
}

/// What has to be allowed to apply `objects`. A Job can't be changed, so it is deleted and made anew.
pub(super) fn of_objects(objects: &[InstallObject]) -> BTreeSet<Right> {
    let mut rights = BTreeSet::new();
    for InstallObject { kind, namespace, .. } in objects {
        let made_anew = (*kind == InstallKind::Job).then_some("delete");
        let verbs = ["get", "create", "patch"].into_iter().chain(made_anew);
        rights.extend(verbs.map(|verb| right(verb, *kind, namespace.as_deref())));
    }
    rights
}

pub(super) fn right(verb: &'static str, kind: InstallKind, namespace: Option<&str>) -> Right {
    Right { verb, group: kind.group(), resource: kind.plural(), namespace: namespace.map(str::to_owned) }
}

/// Those of `rights` that are denied.
pub(super) async fn denied(cluster: &Cluster, rights: &BTreeSet<Right>) -> Result<Vec<Right>, Failure> {
    let mut denied = Vec::new();
    for some in Vec::from_iter(rights).chunks(AT_ONCE) {
        let asked = some.iter().map(|right| denied_one(cluster, right));
        for answer in futures::future::join_all(asked).await {
            denied.extend(answer?);
        }
    }
    Ok(denied)
}

/// The right, if it is denied.
pub(super) async fn denied_one(cluster: &Cluster, right: &Right) -> Result<Option<Right>, Failure> {
    let Right { verb, group, resource, namespace } = right;
    let review = SelfSubjectAccessReview {
        spec: SelfSubjectAccessReviewSpec {
            resource_attributes: Some(ResourceAttributes {
                verb: Some((*verb).to_owned()),
                group: Some((*group).to_owned()),
                resource: Some((*resource).to_owned()),
                namespace: namespace.clone(),
                ..ResourceAttributes::default()
            }),
            ..SelfSubjectAccessReviewSpec::default()
        },
        ..SelfSubjectAccessReview::default()
    };
    let api: Api<SelfSubjectAccessReview> = Api::all(cluster.client.clone());
    let params = PostParams::default();
    let answer = cluster.ask("ask what you may do", api.create(&params, &review)).await?;
    Ok((!answer.status.is_some_and(|status| status.allowed)).then(|| right.clone()))
}

#[cfg(test)]
mod tests {
    use gateway_shared::install;
    use gateway_shared::install::options::NamespaceMode;

    use super::*;
    use crate::installation::facts::tests::options;

    #[test]
    fn all_that_is_done_has_to_be_allowed() {
        let objects = install::render(&options(NamespaceMode::ControllerNamespace, &[]));
        let asked = rights(&objects, false);
        let has = |verb, kind| asked.contains(&right(verb, kind, Some("gw")));
        assert!(has("delete", InstallKind::Job) && has("patch", InstallKind::Job));
        assert!(has("patch", InstallKind::Deployment) && !has("delete", InstallKind::Deployment));
        assert!(has("get", InstallKind::Secret) && !has("create", InstallKind::Secret));
        let kept = rights(&objects, true);
        assert!(["create", "update"].iter().all(|verb| kept.contains(&right(verb, InstallKind::Secret, Some("gw")))));
    }
}
