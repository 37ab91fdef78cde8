//! Those who ask the agent: everybody the API server knows may reach it, and then gets what they may read themselves.

use serde_json::{Value, json};

use crate::install::object::{InstallKind, InstallObject, Step};
use crate::install::options::Options;
use crate::install::{AUTHORITY_CONFIG_MAP, NAME, labels};

/// Where the API server publishes the authority of client certificates, and the role that lets one read it.
const CLIENT_AUTHORITY: (&str, &str) = ("kube-system", "extension-apiserver-authentication-reader");

/// The role of those who ask, its binding, and the agent's right to know their certificates.
pub(super) fn objects(options: &Options) -> Vec<InstallObject> {
    let full = labels::full_name(&options.instance);
    let ask = format!("{NAME}-ask");
    let role = json!({
        "metadata": labels::metadata(options, &ask),
        "rules": [
            // The tunnel to the API, through the API server's proxy.
            rule("services/proxy", &format!("{NAME}:api")),
            // How to tell the agent from somebody else.
            rule("configmaps", AUTHORITY_CONFIG_MAP),
        ],
    });
    let everybody = json!({ "kind": "Group", "apiGroup": InstallKind::Role.group(), "name": "system:authenticated" });
    let binding = json!({
        "metadata": labels::metadata(options, &ask),
        "roleRef": { "apiGroup": InstallKind::Role.group(), "kind": "Role", "name": ask },
        "subjects": [everybody],
    });
    let known = json!({
        "metadata": {
            "name": format!("{full}-client-authority:{}", options.namespace),
            "namespace": CLIENT_AUTHORITY.0,
            "labels": labels::common(options),
        },
        "roleRef": { "apiGroup": InstallKind::Role.group(), "kind": "Role", "name": CLIENT_AUTHORITY.1 },
        "subjects": [{ "kind": "ServiceAccount", "name": NAME, "namespace": options.namespace }],
    });
    vec![
        InstallObject::new(Step::Permissions, InstallKind::Role, role),
        InstallObject::new(Step::Permissions, InstallKind::RoleBinding, binding),
        InstallObject::new(Step::Permissions, InstallKind::RoleBinding, known),
    ]
}

fn rule(resource: &str, name: &str) -> Value {
    json!({ "apiGroups": [""], "resources": [resource], "resourceNames": [name], "verbs": ["get"] })
}
