//! Which objects an answer may name as advice, such as "did you mean": who asks has to have the right to know them.

use std::collections::BTreeSet;

use super::question::Kind;

/// The resources that advice names, beside the kind that is asked about: API group and plural.
pub const ADVISED: [(&str, &str); 4] = [
    (super::question::GROUP, Kind::Gateway.plural()),
    ("", "services"),
    ("gateway.envoyproxy.io", "backends"),
    ("multicluster.x-k8s.io", "serviceimports"),
];

/// What may be named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Nameable {
    /// Everything: who asks has all of it before them.
    #[default]
    Everything,
    /// Only objects of these resources (plurals), in these namespaces; in all where none is named.
    Only(BTreeSet<(&'static str, Option<String>)>),
}

impl Nameable {
    /// Whether objects of `resource` in `namespace` may be named.
    #[must_use]
    pub fn allows(&self, resource: &str, namespace: &str) -> bool {
        match self {
            Self::Everything => true,
            Self::Only(allowed) => allowed
                .iter()
                .any(|(named, within)| *named == resource && within.as_ref().is_none_or(|within| within == namespace)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::metadata::ObjectKey;
    use crate::config::Config;
    use crate::explain::explain;
    use crate::explain::facts::{Facts, Sources};
    use crate::explain::question::Question;
    use crate::pipeline;
    use crate::resources::Resources;
    use crate::resources::decode;

    const MANIFESTS: &str = "\
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: eg}
spec: {controllerName: gateway.envoyproxy.io/gatewayclass-controller}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: vault-edge, namespace: bank}
spec: {gatewayClassName: eg, listeners: [{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: vault-route, namespace: bank}
spec: {parentRefs: [{name: vault-edge}]}
---
apiVersion: v1
kind: Service
metadata: {name: vault-service, namespace: bank}
spec: {ports: [{port: 80}]}
---
apiVersion: gateway.networking.k8s.io/v1beta1
kind: ReferenceGrant
metadata: {name: all, namespace: bank}
spec: {from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: mine}], to: [{group: \"\", kind: Service}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: spy, namespace: mine}
spec: {parentRefs: [{name: vault-edge}], rules: [{backendRefs: [{name: vault, namespace: bank, port: 80}]}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: prober, namespace: mine}
spec: {parentRefs: [{name: vault-edge, namespace: bank}], rules: [{backendRefs: [{name: vault, namespace: bank, port: 80}]}]}
";

    /// What the answer about an HTTPRoute of `mine` says, as JSON.
    fn told(name: &str, nameable: Nameable) -> String {
        let mut resources = Resources::default();
        let decoded = decode::manifests("f", MANIFESTS);
        assert!(decoded.errors.is_empty(), "{:?}", decoded.errors);
        decoded.objects.into_iter().for_each(|decoded| resources.insert(decoded.object));
        let outcome = pipeline::run(&resources, &Config::default(), &mut pipeline::Cache::default());
        let sources = Sources::default();
        let facts = Facts::new(&outcome, &sources, None).naming(nameable);
        let question = Question { kind: Kind::HttpRoute, key: ObjectKey::new("mine", name), all: true };
        serde_json::to_string(&explain(&question, &facts)).unwrap()
    }

    #[test]
    fn objects_one_may_not_list_are_never_advice() {
        for (asked, secret) in [("vault", "vault-route"), ("spy", "bank/vault-edge"), ("prober", "vault-service")] {
            let all = told(asked, Nameable::Everything);
            assert!(all.contains(secret), "{asked}: {all}");
            let own = ["httproutes", "gateways", "services"].map(|resource| (resource, Some("mine".to_owned())));
            let some = told(asked, Nameable::Only(BTreeSet::from(own)));
            assert!(!some.contains(secret), "{asked}: {some}");
        }
    }
}
