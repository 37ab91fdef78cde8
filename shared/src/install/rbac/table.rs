//! What the control plane needs rights for, and why: the one table all roles are made from.

use super::Mode;

/// Where a right is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// In the whole cluster: kinds without a namespace.
    Cluster,
    /// Where objects are watched.
    Watched,
    /// In the control plane's own namespace.
    Controller,
    /// Where proxies run.
    Fleet,
    /// The leader's, in the control plane's own namespace.
    Leader,
    /// In the control plane's own namespace, for the Job that makes certificates.
    Certificates,
    /// In the whole cluster, for the same Job.
    CertificatesCluster,
}

/// When a right is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always.
    Always,
    /// When proxies run in the namespaces of their Gateways.
    GatewayNamespaceMode,
    /// When proxies are told their zone.
    TopologyInjector,
}

impl When {
    pub(super) fn holds(self, mode: &Mode) -> bool {
        match self {
            Self::Always => true,
            Self::GatewayNamespaceMode => mode.gateway_namespaces,
            Self::TopologyInjector => mode.topology_injector,
        }
    }
}

/// One need.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    /// Where.
    pub scope: Scope,
    /// When.
    pub when: When,
    /// The API group; empty for the core.
    pub group: &'static str,
    /// The resources, with `/status` and the like.
    pub resources: &'static [&'static str],
    /// The names it is limited to; none for all. `{namespace}` stands for the control plane's.
    pub names: &'static [&'static str],
    /// What is done with them.
    pub verbs: &'static [&'static str],
    /// What for, as the documentation says it.
    pub why: &'static str,
}

const READ: &[&str] = &["get", "list", "watch"];
const WRITE_STATUS: &[&str] = &["update"];
const KEEP: &[&str] = &["get", "list", "watch", "create", "patch", "delete"];

const GATEWAY_API: &str = "gateway.networking.k8s.io";
const EXTENSIONS: &str = "gateway.envoyproxy.io";

const fn need(
    scope: Scope,
    group: &'static str,
    resources: &'static [&'static str],
    verbs: &'static [&'static str],
    why: &'static str,
) -> Need {
    Need { scope, when: When::Always, group, resources, names: &[], verbs, why }
}

impl Need {
    const fn when(self, when: When) -> Self {
        Self { when, ..self }
    }

    const fn named(self, names: &'static [&'static str]) -> Self {
        Self { names, ..self }
    }
}

/// Everything that is needed.
pub const NEEDS: &[Need] = &[
    need(Scope::Cluster, "", &["nodes"], READ, "addresses of node ports, zones of proxies"),
    need(Scope::Cluster, "", &["namespaces"], READ, "selectors of namespaces"),
    need(
        Scope::Cluster,
        GATEWAY_API,
        &["gatewayclasses"],
        &["get", "list", "watch", "patch"],
        "which classes are ours; the finalizer of those in use",
    ),
    need(Scope::Cluster, GATEWAY_API, &["gatewayclasses/status"], WRITE_STATUS, "statuses"),
    need(
        Scope::Cluster,
        "apiextensions.k8s.io",
        &["customresourcedefinitions"],
        READ,
        "which kinds there are, and their versions",
    ),
    need(
        Scope::Cluster,
        "authorization.k8s.io",
        &["subjectaccessreviews"],
        &["create"],
        "may who asks read what is asked about",
    ),
    need(Scope::Cluster, "authentication.k8s.io", &["tokenreviews"], &["create"], "who a proxy is, and who asks"),
    need(Scope::Watched, "", &["configmaps", "secrets", "services"], READ, "what routes and policies refer to"),
    need(
        Scope::Watched,
        "events.k8s.io",
        &["events"],
        &["create", "patch"],
        "rejections told at the object that caused them",
    ),
    need(Scope::Watched, "discovery.k8s.io", &["endpointslices"], READ, "endpoints of backends"),
    need(Scope::Watched, "multicluster.x-k8s.io", &["serviceimports"], READ, "backends of other clusters"),
    need(
        Scope::Watched,
        EXTENSIONS,
        &[
            "backends",
            "backendtrafficpolicies",
            "clienttrafficpolicies",
            "envoyextensionpolicies",
            "envoypatchpolicies",
            "envoyproxies",
            "httproutefilters",
            "securitypolicies",
        ],
        READ,
        "the objects people write",
    ),
    need(
        Scope::Watched,
        EXTENSIONS,
        &[
            "backends/status",
            "backendtrafficpolicies/status",
            "clienttrafficpolicies/status",
            "envoyextensionpolicies/status",
            "envoypatchpolicies/status",
            "envoyproxies/status",
            "securitypolicies/status",
        ],
        WRITE_STATUS,
        "statuses",
    ),
    need(
        Scope::Watched,
        GATEWAY_API,
        &[
            "backendtlspolicies",
            "gateways",
            "grpcroutes",
            "httproutes",
            "listenersets",
            "referencegrants",
            "tcproutes",
            "tlsroutes",
            "udproutes",
        ],
        READ,
        "the objects people write",
    ),
    need(
        Scope::Watched,
        GATEWAY_API,
        &[
            "backendtlspolicies/status",
            "gateways/status",
            "grpcroutes/status",
            "httproutes/status",
            "listenersets/status",
            "tcproutes/status",
            "tlsroutes/status",
            "udproutes/status",
        ],
        WRITE_STATUS,
        "statuses",
    ),
    need(Scope::Fleet, "", &["configmaps", "serviceaccounts", "services"], KEEP, "proxies"),
    need(Scope::Fleet, "apps", &["daemonsets", "deployments"], KEEP, "proxies"),
    need(Scope::Fleet, "autoscaling", &["horizontalpodautoscalers"], KEEP, "how many proxies"),
    need(Scope::Fleet, "policy", &["poddisruptionbudgets"], KEEP, "how many proxies may be missing"),
    need(Scope::Fleet, "discovery.k8s.io", &["endpointslices"], READ, "nodes on which a proxy is ready"),
    need(Scope::Fleet, "", &["pods"], &["get"], "whether a pod that is bound to a node is a proxy")
        .when(When::TopologyInjector),
    need(Scope::Fleet, "", &["pods/portforward"], &["create", "get"], "what a proxy says of itself, for `explain`"),
    need(Scope::Controller, "", &["secrets"], READ, "certificates of the control plane"),
    need(Scope::Leader, "coordination.k8s.io", &["leases"], &["get", "create", "update"], "who leads"),
    need(Scope::Certificates, "", &["secrets"], &["get", "create", "update"], "certificates and keys"),
    need(
        Scope::Certificates,
        "",
        &["configmaps"],
        &["get", "create", "update"],
        "the authority, for whoever checks the agent",
    ),
    need(
        Scope::CertificatesCluster,
        "admissionregistration.k8s.io",
        &["mutatingwebhookconfigurations"],
        &["get", "update"],
        "the authority the API server checks the topology webhook by",
    )
    .when(When::TopologyInjector)
    .named(&["envoy-gateway-topology-injector.{namespace}"]),
];
