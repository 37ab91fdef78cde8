//! Whether a reference may cross namespaces: ReferenceGrants, asked from the side of the one who refers.

use super::view::View;
use crate::api::reference_grant::ReferenceGrant;

/// Who refers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceFrom<'a> {
    /// API group.
    pub group: &'a str,
    /// Kind.
    pub kind: &'a str,
    /// Namespace.
    pub namespace: &'a str,
}

/// What is referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceTo<'a> {
    /// API group; empty for the core group.
    pub group: &'a str,
    /// Kind.
    pub kind: &'a str,
    /// Namespace.
    pub namespace: &'a str,
    /// Name.
    pub name: &'a str,
}

/// Whether `from` may refer to `to`: always within a namespace, across namespaces when a ReferenceGrant in the target's
/// namespace says so.
#[must_use]
pub fn permitted(view: &View<'_>, from: ReferenceFrom<'_>, to: ReferenceTo<'_>) -> bool {
    from.namespace == to.namespace || view.grants_in(to.namespace).any(|grant| grants(grant, from, to))
}

/// Whether this ReferenceGrant, which is in the target's namespace, allows the reference.
fn grants(grant: &ReferenceGrant, from: ReferenceFrom<'_>, to: ReferenceTo<'_>) -> bool {
    let from_allowed = grant
        .spec
        .from
        .iter()
        .any(|entry| entry.namespace == from.namespace && entry.group == from.group && entry.kind == from.kind);
    from_allowed
        && grant.spec.to.iter().any(|entry| {
            entry.group == to.group
                && entry.kind == to.kind
                && entry.name.as_deref().is_none_or(|name| name.is_empty() || name == to.name)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GATEWAY: ReferenceFrom<'static> =
        ReferenceFrom { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "infra" };
    const SECRET: ReferenceTo<'static> = ReferenceTo { group: "", kind: "Secret", namespace: "certs", name: "tls" };

    fn grant(to_name: Option<&str>) -> ReferenceGrant {
        let mut grant: ReferenceGrant = serde_json::from_str(
            r#"{"metadata":{"name":"g","namespace":"certs"},"spec":{
                "from":[{"group":"gateway.networking.k8s.io","kind":"Gateway","namespace":"infra"}],
                "to":[{"group":"","kind":"Secret"}]}}"#,
        )
        .unwrap();
        grant.spec.to[0].name = to_name.map(str::to_owned);
        grant
    }

    #[test]
    fn a_grant_without_a_name_covers_every_object_of_the_kind() {
        assert!(grants(&grant(None), GATEWAY, SECRET));
        assert!(grants(&grant(Some("")), GATEWAY, SECRET));
        assert!(!grants(&grant(None), GATEWAY, ReferenceTo { kind: "ConfigMap", ..SECRET }));
    }

    #[test]
    fn a_grant_with_a_name_covers_that_object_alone() {
        assert!(grants(&grant(Some("tls")), GATEWAY, SECRET));
        assert!(!grants(&grant(Some("other")), GATEWAY, SECRET));
    }

    #[test]
    fn a_grant_is_for_one_kind_in_one_namespace() {
        assert!(!grants(&grant(None), ReferenceFrom { kind: "HTTPRoute", ..GATEWAY }, SECRET));
        assert!(!grants(&grant(None), ReferenceFrom { namespace: "shop", ..GATEWAY }, SECRET));
    }
}
