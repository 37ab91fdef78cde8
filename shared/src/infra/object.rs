//! One object of a fleet, ready to be applied.

use serde_json::Value;

/// The kinds of objects a fleet is made of, in the order they are applied (design §6 rule 24).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InfraKind {
    /// Who its pods are.
    ServiceAccount,
    /// The documents its Envoys read from disk.
    ConfigMap,
    /// Its pods, so many.
    Deployment,
    /// Its pods, one a node.
    DaemonSet,
    /// Where clients reach it.
    Service,
    /// How many pods there are, by load.
    HorizontalPodAutoscaler,
    /// How many pods may be missing.
    PodDisruptionBudget,
}

/// One object of a fleet, ready to be applied.
#[derive(Clone, Debug, PartialEq)]
pub struct InfraObject {
    /// What it is.
    pub kind: InfraKind,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// All of it: apiVersion, kind, metadata and the rest. Owner references are added by who applies it.
    pub content: Value,
}
