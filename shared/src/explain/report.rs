//! The answer to a question, as data: what `-o json` prints, what the agent sends, and what every view is drawn from.
//!
//! The schema is documented in `docs/explain.md`; a change that breaks readers needs a new version.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The version of the documents in this file.
pub const API_VERSION: &str = "explain.kubectl-gateway.io/v1alpha1";

/// The answer about one object: one verdict for each layer it passes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// [`API_VERSION`].
    pub api_version: String,
    /// `Explanation`.
    pub kind: String,
    /// What was asked about.
    pub object: Subject,
    /// The answer in one word: `no` if any layer says so, else `unknown` if any does, else `yes`.
    pub verdict: Verdict,
    /// The five layers, in the order traffic's configuration passes them.
    pub layers: Vec<Layer>,
    /// What it became, by name, in each fleet that serves it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub became: Vec<Became>,
}

/// What an object became in one fleet, by the names it has in the IR and in Envoy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Became {
    /// The fleet's IR key.
    pub fleet: String,
    /// Envoy listeners.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listeners: Vec<String>,
    /// Route configurations, which go by the names of IR listeners.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub route_configurations: Vec<String>,
    /// Virtual hosts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub virtual_hosts: Vec<String>,
    /// Clusters, which go by the names of IR destinations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clusters: Vec<String>,
}

/// One object, and where it is written down.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Subject {
    /// The kind, as manifests write it.
    pub kind: String,
    /// The namespace; empty for a cluster-scoped object.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The generation the answer is about; absent where the object has none (a file) or isn't there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<i64>,
    /// `file:line`, where the object was read from a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

impl Subject {
    /// `namespace/name`, or the bare name of a cluster-scoped object.
    #[must_use]
    pub fn key(&self) -> String {
        if self.namespace.is_empty() { self.name.clone() } else { format!("{}/{}", self.namespace, self.name) }
    }

    /// `kind/name -n namespace`, as commands take it.
    #[must_use]
    pub fn as_arguments(&self) -> String {
        let kind = self.kind.to_lowercase();
        if self.namespace.is_empty() {
            format!("{kind}/{}", self.name)
        } else {
            format!("{kind}/{} -n {}", self.name, self.namespace)
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.key())
    }
}

/// The layers, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LayerName {
    /// Does a GatewayClass, Gateway and listener of ours accept it?
    #[serde(rename = "attachment")]
    Attachment,
    /// Which listeners, routes and destinations did it become?
    #[serde(rename = "IR")]
    Ir,
    /// Which Envoy resources, in which version, are ready to be served?
    #[serde(rename = "snapshot")]
    Snapshot,
    /// Which proxies took them?
    #[serde(rename = "delivery")]
    Delivery,
    /// Is Envoy done warming, and is anything healthy behind it?
    #[serde(rename = "warming")]
    Warming,
}

impl LayerName {
    /// Every layer, in order.
    pub const ALL: [Self; 5] = [Self::Attachment, Self::Ir, Self::Snapshot, Self::Delivery, Self::Warming];

    /// The name people read.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Attachment => "attachment",
            Self::Ir => "IR",
            Self::Snapshot => "snapshot",
            Self::Delivery => "delivery",
            Self::Warming => "warming",
        }
    }
}

/// What a layer answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// It is broken here.
    No,
    /// Nobody can tell; the summary says why.
    Unknown,
    /// An earlier layer is broken, so this one wasn't looked at.
    NotReached,
    /// All is well here.
    Yes,
}

/// One layer's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Layer {
    /// Which layer.
    pub name: LayerName,
    /// What it answers.
    pub verdict: Verdict,
    /// One line: what is there or, for `no` and `unknown`, because of what.
    pub summary: String,
    /// What the answer rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Fact>,
    /// What is wrong: the reasons for a `no`, worst first, and warnings beside a `yes`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

impl Layer {
    /// A layer where all is well.
    #[must_use]
    pub fn yes(name: LayerName, summary: impl Into<String>) -> Self {
        Self { name, verdict: Verdict::Yes, summary: summary.into(), evidence: Vec::new(), findings: Vec::new() }
    }

    /// A layer that is broken.
    #[must_use]
    pub fn no(name: LayerName, summary: impl Into<String>, findings: Vec<Finding>) -> Self {
        Self { name, verdict: Verdict::No, summary: summary.into(), evidence: Vec::new(), findings }
    }

    /// A layer nobody can answer for, because of `reason`.
    #[must_use]
    pub fn unknown(name: LayerName, reason: &str) -> Self {
        let summary = format!("unknown, because {reason}");
        Self { name, verdict: Verdict::Unknown, summary, evidence: Vec::new(), findings: Vec::new() }
    }

    /// A layer behind a broken one.
    #[must_use]
    pub fn not_reached(name: LayerName) -> Self {
        let summary = "not reached (--all goes on)".to_owned();
        Self { name, verdict: Verdict::NotReached, summary, evidence: Vec::new(), findings: Vec::new() }
    }

    /// Whether it holds a warning beside a `yes`.
    #[must_use]
    pub fn has_warning(&self) -> bool {
        self.verdict == Verdict::Yes && self.findings.iter().any(|finding| finding.severity != Severity::Info)
    }
}

/// One line of evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is about: a word.
    pub label: String,
    /// What is so.
    pub text: String,
}

impl Fact {
    /// A fact.
    #[must_use]
    pub fn new(label: impl Into<String>, text: impl Into<String>) -> Self {
        Self { label: label.into(), text: text.into() }
    }
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something doesn't serve because of it.
    Error,
    /// It serves, but not as asked.
    Warning,
    /// Worth knowing.
    Info,
}

/// One thing that is wrong, from the catalogue, with what is known about this case of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The stable code, `EGX-1203`; its first digit is the layer.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// The object to change.
    pub object: Subject,
    /// The field of that object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What is wrong, in one sentence.
    pub cause: String,
    /// What that rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Fact>,
    /// What to do, one way a line; the first is the likeliest.
    pub fix: Vec<String>,
    /// Where more is said about it.
    pub docs: String,
}

impl Report {
    /// The report on `object`. Layers behind the first broken one are marked as not reached, unless `all` are wanted.
    #[must_use]
    pub fn new(object: Subject, mut layers: Vec<Layer>, all: bool) -> Self {
        if !all {
            let mut broken = false;
            for layer in &mut layers {
                if broken {
                    *layer = Layer::not_reached(layer.name);
                }
                broken |= layer.verdict == Verdict::No;
            }
        }
        let has = |verdict| layers.iter().any(|layer| layer.verdict == verdict);
        let verdict = if has(Verdict::No) {
            Verdict::No
        } else if has(Verdict::Unknown) {
            Verdict::Unknown
        } else {
            Verdict::Yes
        };
        Self {
            api_version: API_VERSION.to_owned(),
            kind: "Explanation".to_owned(),
            object,
            verdict,
            layers,
            became: Vec::new(),
        }
    }

    /// The layer that stops the object: the first that is broken.
    #[must_use]
    pub fn first_broken(&self) -> Option<&Layer> {
        self.layers.iter().find(|layer| layer.verdict == Verdict::No)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject() -> Subject {
        Subject {
            kind: "HTTPRoute".to_owned(),
            namespace: "shop".to_owned(),
            name: "checkout".to_owned(),
            generation: Some(7),
            origin: None,
        }
    }

    fn layers() -> Vec<Layer> {
        vec![
            Layer::yes(LayerName::Attachment, "attached"),
            Layer::no(LayerName::Ir, "no destination", Vec::new()),
            Layer::yes(LayerName::Snapshot, "there"),
            Layer::unknown(LayerName::Delivery, "no agent was asked"),
        ]
    }

    #[test]
    fn what_follows_a_broken_layer_is_not_reached_unless_asked_for() {
        let verdicts = |all| -> Vec<Verdict> {
            Report::new(subject(), layers(), all).layers.iter().map(|layer| layer.verdict).collect()
        };
        assert_eq!(verdicts(false), [Verdict::Yes, Verdict::No, Verdict::NotReached, Verdict::NotReached]);
        assert_eq!(verdicts(true), [Verdict::Yes, Verdict::No, Verdict::Yes, Verdict::Unknown]);
    }

    #[test]
    fn unknown_is_never_shown_as_good() {
        let layers =
            vec![Layer::yes(LayerName::Attachment, ""), Layer::unknown(LayerName::Delivery, "nobody was asked")];
        assert_eq!(Report::new(subject(), layers, false).verdict, Verdict::Unknown);
    }
}
