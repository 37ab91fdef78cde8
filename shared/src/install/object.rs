//! One object of an installation, and the kinds there are.

use serde_json::{Map, Value};

use super::text;

/// The steps of an installation, in their order: each needs those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Custom resource definitions.
    Definitions,
    /// The namespace.
    Namespace,
    /// Accounts, roles, bindings.
    Permissions,
    /// The webhook, whose authority the next step fills in.
    Webhook,
    /// Certificates and keys, made by a Job.
    Certificates,
    /// The configuration file.
    Configuration,
    /// What runs.
    Agent,
    /// The class of Gateways.
    Class,
}

impl Step {
    /// What people call it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Definitions => "custom resource definitions",
            Self::Namespace => "namespace",
            Self::Permissions => "permissions",
            Self::Webhook => "topology webhook",
            Self::Certificates => "certificates",
            Self::Configuration => "configuration",
            Self::Agent => "agent",
            Self::Class => "gateway class",
        }
    }
}

/// A kind, as the API server serves it.
struct Served {
    kind: InstallKind,
    group: &'static str,
    version: &'static str,
    name: &'static str,
    plural: &'static str,
    namespaced: bool,
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $kind:ident = $group:literal, $version:literal, $plural:literal, $namespaced:literal;)*) => {
        /// The kinds an installation is made of, and those that come to be by it; what runs comes first.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum InstallKind { $($(#[doc = $doc])* $kind,)* }

        const KINDS: &[Served] = &[$(Served {
            kind: InstallKind::$kind,
            group: $group,
            version: $version,
            name: stringify!($kind),
            plural: $plural,
            namespaced: $namespaced,
        },)*];
    };
}

kinds! {
    /// The agent's pods.
    Deployment = "apps", "v1", "deployments", true;
    /// How proxies and the plugin reach it.
    Service = "", "v1", "services", true;
    /// Its configuration file.
    ConfigMap = "", "v1", "configmaps", true;
    /// How many of its pods may be missing.
    PodDisruptionBudget = "policy", "v1", "poddisruptionbudgets", true;
    /// What makes certificates.
    Job = "batch", "v1", "jobs", true;
    /// Who pods are.
    ServiceAccount = "", "v1", "serviceaccounts", true;
    /// What they may do everywhere.
    ClusterRole = "rbac.authorization.k8s.io", "v1", "clusterroles", false;
    /// Who may.
    ClusterRoleBinding = "rbac.authorization.k8s.io", "v1", "clusterrolebindings", false;
    /// What they may do in one namespace.
    Role = "rbac.authorization.k8s.io", "v1", "roles", true;
    /// Who may.
    RoleBinding = "rbac.authorization.k8s.io", "v1", "rolebindings", true;
    /// What tells proxies their zone.
    MutatingWebhookConfiguration = "admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations", false;
    /// Where all of it is.
    Namespace = "", "v1", "namespaces", false;
    /// Certificates and keys, which certgen makes.
    Secret = "", "v1", "secrets", true;
    /// Who leads, which agents make.
    Lease = "coordination.k8s.io", "v1", "leases", true;
    /// Proxies, one a node, which agents make.
    DaemonSet = "apps", "v1", "daemonsets", true;
    /// How many proxies, which agents make.
    HorizontalPodAutoscaler = "autoscaling", "v2", "horizontalpodautoscalers", true;
    /// A kind of objects.
    CustomResourceDefinition = "apiextensions.k8s.io", "v1", "customresourcedefinitions", false;
    /// A class of Gateways.
    GatewayClass = "gateway.networking.k8s.io", "v1", "gatewayclasses", false;
    /// A rule of the Gateway API's own about its definitions.
    ValidatingAdmissionPolicy = "admissionregistration.k8s.io", "v1", "validatingadmissionpolicies", false;
    /// Where it counts.
    ValidatingAdmissionPolicyBinding = "admissionregistration.k8s.io", "v1", "validatingadmissionpolicybindings", false;
}

impl InstallKind {
    /// Every kind.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|served| served.kind)
    }

    /// The kind that is called so.
    #[must_use]
    pub fn of(api_version: &str, kind: &str) -> Option<Self> {
        Self::all().find(|known| known.kind() == kind && known.api_version() == api_version)
    }

    fn served(self) -> &'static Served {
        const NONE: Served = Served {
            kind: InstallKind::ConfigMap,
            group: "",
            version: "v1",
            name: "ConfigMap",
            plural: "configmaps",
            namespaced: true,
        };
        // The table is made from the same list as the enum.
        KINDS.get(self as usize).unwrap_or(&NONE)
    }

    /// Its API group; empty for the core.
    #[must_use]
    pub fn group(self) -> &'static str {
        self.served().group
    }

    /// Its version.
    #[must_use]
    pub fn version(self) -> &'static str {
        self.served().version
    }

    /// `group/version`.
    #[must_use]
    pub fn api_version(self) -> String {
        let Served { group, version, .. } = self.served();
        if group.is_empty() { (*version).to_owned() } else { format!("{group}/{version}") }
    }

    /// Its name.
    #[must_use]
    pub fn kind(self) -> &'static str {
        self.served().name
    }

    /// Its name in addresses.
    #[must_use]
    pub fn plural(self) -> &'static str {
        self.served().plural
    }

    /// Whether its objects are in namespaces.
    #[must_use]
    pub fn is_namespaced(self) -> bool {
        self.served().namespaced
    }
}

/// One object of an installation.
#[derive(Clone, Debug, PartialEq)]
pub struct InstallObject {
    /// When it is applied.
    pub step: Step,
    /// What it is.
    pub kind: InstallKind,
    /// Its namespace; `None` for kinds without.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
    /// All of it.
    pub content: Value,
}

impl InstallObject {
    /// The object `content`, to which apiVersion and kind are added in front.
    #[must_use]
    pub fn new(step: Step, kind: InstallKind, content: Value) -> Self {
        let mut object = Map::new();
        object.insert("apiVersion".to_owned(), Value::String(kind.api_version()));
        object.insert("kind".to_owned(), Value::String(kind.kind().to_owned()));
        if let Value::Object(rest) = content {
            object.extend(rest.into_iter().filter(|(key, _)| key != "apiVersion" && key != "kind"));
        }
        let content = Value::Object(object);
        let namespace = kind.is_namespaced().then(|| text(&content, "/metadata/namespace").to_owned());
        let name = text(&content, "/metadata/name").to_owned();
        Self { step, kind, namespace, name, content }
    }

    /// The object with one more label.
    #[must_use]
    pub fn labelled(mut self, label: &str, value: &str) -> Self {
        if let Some(Value::Object(metadata)) = self.content.get_mut("metadata") {
            let labels = metadata.entry("labels").or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(labels) = labels {
                labels.insert(label.to_owned(), Value::String(value.to_owned()));
            }
        }
        self
    }

    /// How lists call it: `Role shop/reader`.
    #[must_use]
    pub fn place(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("{} {namespace}/{}", self.kind.kind(), self.name),
            None => self.title(),
        }
    }

    /// How messages call it: `Deployment envoy-gateway`.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{} {}", self.kind.kind(), self.name)
    }
}
