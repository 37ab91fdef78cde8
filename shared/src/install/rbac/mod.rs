//! Accounts, roles and bindings: what the table asks for, for the mode the control plane runs in.

mod readers;
pub mod table;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use self::table::{NEEDS, Scope};
use super::object::{InstallKind, InstallObject, Step};
use super::options::Options;
use super::{NAME, certificates, labels};

/// What of the configuration decides about rights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mode {
    /// The namespaces that are watched; none named means all.
    pub watched: Vec<String>,
    /// Proxies run in the namespaces of their Gateways.
    pub gateway_namespaces: bool,
    /// Proxies are told their zone.
    pub topology_injector: bool,
}

impl Mode {
    fn of(options: &Options) -> Self {
        let watched: BTreeSet<_> = options.config.file.watched_namespaces().iter().cloned().collect();
        Self {
            watched: watched.into_iter().collect(),
            gateway_namespaces: options.config.file.gateway_namespace_mode(),
            topology_injector: options.config.topology_injector(),
        }
    }
}

/// One role: its name after the common prefix, that of its binding, where it counts, and what it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Role {
    name: String,
    binding: String,
    account: Account,
    /// The namespaces it is in; `None` for the whole cluster.
    namespaces: Option<Vec<String>>,
    scopes: Vec<Scope>,
}

/// Who has a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Account {
    Agent,
    Certgen,
}

/// All accounts, roles and bindings.
pub(super) fn objects(options: &Options) -> Vec<InstallObject> {
    let mode = Mode::of(options);
    let mut objects = vec![account(options, NAME), account(options, &certificates::name(options))];
    for role in roles(&mode, &options.namespace) {
        objects.extend(role.render(options, &mode));
    }
    objects.extend(readers::objects(options));
    objects
}

/// An account. Pods that need its token say so themselves.
fn account(options: &Options, name: &str) -> InstallObject {
    let content = json!({
        "metadata": labels::metadata(options, name),
        "automountServiceAccountToken": false,
    });
    InstallObject::new(Step::Permissions, InstallKind::ServiceAccount, content)
}

/// The roles of a mode, under the names Envoy Gateway's chart gives them.
fn roles(mode: &Mode, namespace: &str) -> Vec<Role> {
    let role = |name: &str, namespaces: Option<Vec<String>>, scopes: &[Scope]| Role {
        name: name.to_owned(),
        binding: name.to_owned(),
        account: Account::Agent,
        namespaces,
        scopes: scopes.to_vec(),
    };
    let own = || Some(vec![namespace.to_owned()]);
    let objects = |namespaces, scopes: &[Scope]| Role {
        binding: "envoy-gateway-rolebinding".to_owned(),
        ..role("envoy-gateway-role", namespaces, scopes)
    };
    let mut roles = Vec::new();
    if mode.watched.is_empty() {
        roles.push(objects(None, &[Scope::Cluster, Scope::Watched]));
    } else {
        roles.push(objects(None, &[Scope::Cluster]));
        roles.push(objects(Some(mode.watched.clone()), &[Scope::Watched]));
    }
    if mode.gateway_namespaces {
        if mode.watched.is_empty() {
            roles.push(role("cluster-infra-manager", None, &[Scope::Fleet]));
        } else {
            roles.push(role("namespaced-infra-manager", Some(mode.watched.clone()), &[Scope::Fleet]));
        }
    }
    // The rate limit service is in the control plane's namespace in either mode.
    roles.push(role("infra-manager", own(), &[Scope::Fleet, Scope::Controller]));
    roles.push(Role {
        binding: "leader-election-rolebinding".to_owned(),
        ..role("leader-election-role", own(), &[Scope::Leader])
    });
    roles.push(Role { account: Account::Certgen, ..role("certgen", own(), &[Scope::Certificates]) });
    let certgen = format!("certgen:{namespace}");
    roles.push(Role { account: Account::Certgen, ..role(&certgen, None, &[Scope::CertificatesCluster]) });
    roles
}

impl Role {
    fn render(&self, options: &Options, mode: &Mode) -> Vec<InstallObject> {
        let rules = rules(&self.scopes, mode, &options.namespace);
        if rules.is_empty() {
            return Vec::new();
        }
        let namespaces = match &self.namespaces {
            None => vec![None],
            Some(namespaces) => namespaces.iter().map(Some).collect(),
        };
        namespaces.into_iter().flat_map(|namespace| self.in_one(options, namespace, &rules)).collect()
    }

    /// The role and its binding in one namespace, or in the whole cluster.
    fn in_one(&self, options: &Options, namespace: Option<&String>, rules: &[Value]) -> [InstallObject; 2] {
        let (role, binding) = match namespace {
            None => (InstallKind::ClusterRole, InstallKind::ClusterRoleBinding),
            Some(_) => (InstallKind::Role, InstallKind::RoleBinding),
        };
        let metadata = |name: &str| {
            let mut metadata = json!({
                "name": format!("{}-{name}", labels::full_name(&options.instance)),
                "labels": labels::common(options),
            });
            if let (Some(namespace), Value::Object(metadata)) = (namespace, &mut metadata) {
                metadata.insert("namespace".to_owned(), json!(namespace));
            }
            metadata
        };
        let account = match self.account {
            Account::Agent => NAME.to_owned(),
            Account::Certgen => certificates::name(options),
        };
        [
            InstallObject::new(Step::Permissions, role, json!({ "metadata": metadata(&self.name), "rules": rules })),
            InstallObject::new(
                Step::Permissions,
                binding,
                json!({
                    "metadata": metadata(&self.binding),
                    "roleRef": {
                        "apiGroup": role.group(),
                        "kind": role.kind(),
                        "name": format!("{}-{}", labels::full_name(&options.instance), self.name),
                    },
                    "subjects": [{ "kind": "ServiceAccount", "name": account, "namespace": options.namespace }],
                }),
            ),
        ]
    }
}

/// The rules of a role that is for `scopes`.
fn rules(scopes: &[Scope], mode: &Mode, namespace: &str) -> Vec<Value> {
    let needs = NEEDS.iter().filter(|need| scopes.contains(&need.scope) && need.when.holds(mode));
    needs
        .map(|need| {
            let mut rule = json!({ "apiGroups": [need.group], "resources": need.resources, "verbs": need.verbs });
            if let (false, Value::Object(rule)) = (need.names.is_empty(), &mut rule) {
                let names: Vec<String> = need.names.iter().map(|name| name.replace("{namespace}", namespace)).collect();
                rule.insert("resourceNames".to_owned(), json!(names));
            }
            rule
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(watched: &[&str], gateway_namespaces: bool) -> Mode {
        let watched = watched.iter().map(|name| (*name).to_owned()).collect();
        Mode { watched, gateway_namespaces, topology_injector: true }
    }

    /// Where `verb` on `resource` is granted to the agent: `*` for everywhere.
    fn granted(mode: &Mode, group: &str, resource: &str, verb: &str) -> Vec<String> {
        let has = |rule: &Value, list: &str, word: &str| {
            rule.get(list).and_then(Value::as_array).unwrap().iter().any(|said| said == word)
        };
        let mut found: Vec<String> = roles(mode, "gw")
            .into_iter()
            .filter(|role| {
                role.account == Account::Agent
                    && rules(&role.scopes, mode, "gw").iter().any(|rule| {
                        has(rule, "apiGroups", group) && has(rule, "resources", resource) && has(rule, "verbs", verb)
                    })
            })
            .flat_map(|role| role.namespaces.unwrap_or_else(|| vec!["*".to_owned()]))
            .collect();
        found.sort();
        found.dedup();
        found
    }

    #[test]
    fn rights_reach_no_further_than_the_mode_needs() {
        let everywhere = mode(&[], false);
        assert_eq!(granted(&everywhere, "", "secrets", "list"), ["*", "gw"]);
        assert_eq!(granted(&everywhere, "apps", "deployments", "create"), ["gw"]);
        let some = mode(&["shop", "infra"], false);
        assert_eq!(granted(&some, "", "secrets", "list"), ["gw", "infra", "shop"]);
        assert_eq!(granted(&some, "gateway.networking.k8s.io", "gateways/status", "update"), ["infra", "shop"]);
        assert_eq!(granted(&some, "gateway.networking.k8s.io", "gatewayclasses", "list"), ["*"]);
        let in_theirs = mode(&["shop"], true);
        assert_eq!(granted(&in_theirs, "apps", "deployments", "create"), ["gw", "shop"]);
        assert_eq!(granted(&mode(&[], true), "apps", "deployments", "create"), ["*", "gw"]);
    }

    #[test]
    fn nobody_may_write_secrets_but_the_certificates_job() {
        for mode in [mode(&[], false), mode(&["shop"], true)] {
            for verb in ["create", "update", "patch", "delete", "*"] {
                assert!(granted(&mode, "", "secrets", verb).is_empty(), "{verb}");
            }
        }
        assert!(NEEDS.iter().all(|need| !need.verbs.contains(&"*") && !need.resources.contains(&"*")));
    }
}
