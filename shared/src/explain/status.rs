//! Every object in one line each, worst first.

use serde::{Deserialize, Serialize};

use super::facts::Facts;
use super::findings as catalogue;
use super::question::Kind;
use super::report::{API_VERSION, Layer, LayerName, Severity, Subject, Verdict};
use super::{gateway, gateway_class, route};
use crate::api::metadata::Object as _;
use crate::api::references::ParentReference;

/// Every object that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusList {
    /// [`API_VERSION`].
    pub api_version: String,
    /// `StatusList`.
    pub kind: String,
    /// One row for each object, or for each parent of a Route; worst first.
    pub items: Vec<Row>,
    /// What was asked for and is left out, since who asks may not read it: one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<String>,
}

/// One object, as far as one parent goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// The object.
    pub object: Subject,
    /// The Gateway (and listener) of a Route, the class of a Gateway.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub parent: String,
    /// Whether it serves.
    pub state: State,
    /// The layer that is broken, unknown or has a warning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<LayerName>,
    /// Why, in one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The code of the finding behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// How an object does, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum State {
    /// A layer is broken.
    Broken,
    /// It serves, but not as it should.
    Warning,
    /// A layer's answer isn't known.
    Unknown,
    /// Every layer is well.
    Serving,
    /// It is none of ours: its class belongs to another controller, and only that one knows.
    Foreign,
}

/// What `status` is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only these kinds and, where a name is given, these objects; all where empty.
    pub objects: Vec<(Kind, Option<String>)>,
    /// Only this namespace (and what has none); all where none.
    pub namespace: Option<String>,
    /// Only objects with these labels.
    pub labels: Vec<LabelTerm>,
}

/// One term of a label selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelTerm {
    /// `key=value`.
    Equals(String, String),
    /// `key!=value`.
    Differs(String, String),
    /// `key`.
    Exists(String),
    /// `!key`.
    Absent(String),
}

impl LabelTerm {
    /// Whether labels fit the term.
    fn fits(&self, labels: &crate::api::labels::Labels) -> bool {
        match self {
            Self::Equals(key, value) => labels.get(key) == Some(value.as_str()),
            Self::Differs(key, value) => labels.get(key) != Some(value.as_str()),
            Self::Exists(key) => labels.get(key).is_some(),
            Self::Absent(key) => labels.get(key).is_none(),
        }
    }

    /// The terms of a selector as kubectl takes it: `a=b,c!=d,e,!f`.
    ///
    /// # Errors
    /// The term that can't be read.
    pub fn parse_all(selector: &str) -> Result<Vec<Self>, String> {
        let terms = selector.split(',').map(str::trim).filter(|term| !term.is_empty());
        terms.map(Self::parse).collect()
    }

    fn parse(term: &str) -> Result<Self, String> {
        let word = |text: &str| {
            let text = text.trim();
            let known = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
            if text.chars().all(known) {
                Ok(text.to_owned())
            } else {
                Err(format!("`{term}` is no label selector; write key=value, key!=value, key or !key"))
            }
        };
        if let Some((key, value)) = term.split_once("!=") {
            return Ok(Self::Differs(word(key)?, word(value)?));
        }
        if let Some((key, value)) = term.split_once("==").or_else(|| term.split_once('=')) {
            return Ok(Self::Equals(word(key)?, word(value)?));
        }
        match term.strip_prefix('!') {
            Some(key) => Ok(Self::Absent(word(key)?)),
            None => Ok(Self::Exists(word(term)?)),
        }
    }
}

/// The rows for what `filter` lets through.
#[must_use]
pub fn status(facts: &Facts<'_>, filter: &Filter) -> StatusList {
    let mut items = Vec::new();
    let resources = &facts.outcome.resources;
    let wanted = |kind: Kind, metadata: &crate::api::metadata::ObjectMeta| {
        let named = |(of, name): &(Kind, Option<String>)| {
            *of == kind && name.as_ref().is_none_or(|name| *name == metadata.name)
        };
        (filter.objects.is_empty() || filter.objects.iter().any(named))
            && filter.namespace.as_ref().is_none_or(|wanted| {
                !kind.is_namespaced() || metadata.namespace.as_deref().unwrap_or("default") == wanted
            })
            && filter.labels.iter().all(|term| term.fits(&metadata.labels))
    };
    for class in resources.gateway_classes().iter().filter(|class| wanted(Kind::GatewayClass, &class.metadata)) {
        let subject = facts.subject_of(Kind::GatewayClass, &class.key());
        items.push(row(subject, String::new(), &gateway_class::layers(facts, class)));
    }
    for gateway in resources.gateways().iter().filter(|gateway| wanted(Kind::Gateway, &gateway.metadata)) {
        let subject = facts.subject_of(Kind::Gateway, &gateway.key());
        items.push(row(subject, gateway.spec.gateway_class_name.clone(), &gateway::layers(facts, gateway)));
    }
    for (id, fragment) in &facts.outcome.translation.routes {
        let kind = Kind::ALL.into_iter().find(|kind| kind.route() == Some(id.kind));
        let (Some(kind), Some(metadata)) = (kind, facts.route_metadata(id.kind, &id.key)) else { continue };
        if !wanted(kind, metadata) {
            continue;
        }
        let subject = facts.subject_of(kind, &id.key);
        if fragment.parents.is_empty() {
            items.push(row(subject.clone(), String::new(), &route::layers(facts, fragment, &[])));
        }
        for parent in &fragment.parents {
            let parent_name = parent_in_words(&parent.parent, &id.key.namespace);
            items.push(row(subject.clone(), parent_name, &route::layers(facts, fragment, &[parent])));
        }
    }
    items.sort_by(|a, b| (a.state, a.layer, &a.object, &a.parent).cmp(&(b.state, b.layer, &b.object, &b.parent)));
    StatusList { api_version: API_VERSION.to_owned(), kind: "StatusList".to_owned(), items, hidden: Vec::new() }
}

/// `infra/edge:https:443`.
fn parent_in_words(parent: &ParentReference, namespace: &str) -> String {
    let mut words = format!("{}/{}", parent.namespace.as_deref().unwrap_or(namespace), parent.name);
    if let Some(section) = &parent.section_name {
        words.push(':');
        words.push_str(section);
    }
    if let Some(port) = parent.port {
        words.push(':');
        words.push_str(&port.to_string());
    }
    words
}

/// The row that `layers` come to: the first that is broken, else the first with a warning, else the first unknown.
fn row(object: Subject, parent: String, layers: &[Layer]) -> Row {
    let first = |verdict| layers.iter().find(|layer| layer.verdict == verdict);
    let foreign = catalogue::FOREIGN_CLASS.code();
    let (state, layer) = if let Some(layer) = first(Verdict::No) {
        let is_foreign = layer.findings.iter().any(|finding| finding.code == foreign);
        (if is_foreign { State::Foreign } else { State::Broken }, Some(layer))
    } else if let Some(layer) = layers.iter().find(|layer| layer.has_warning()) {
        (State::Warning, Some(layer))
    } else if let Some(layer) = first(Verdict::Unknown) {
        (State::Unknown, Some(layer))
    } else {
        (State::Serving, None)
    };
    let finding = layer.and_then(|layer| layer.findings.iter().find(|finding| finding.severity != Severity::Info));
    let why = match (state, layer, finding) {
        (State::Warning, _, Some(finding)) => finding.cause.clone(),
        (_, Some(layer), _) => layer.summary.strip_prefix("unknown, because ").unwrap_or(&layer.summary).to_owned(),
        _ => String::new(),
    };
    let code = finding.map(|finding| finding.code.clone());
    Row { object, parent, state, layer: layer.map(|layer| layer.name), why, code }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_read_as_kubectl_reads_them() {
        let labels = [("app".to_owned(), "shop".to_owned())].into_iter().collect();
        let fits =
            |selector: &str| LabelTerm::parse_all(selector).map(|terms| terms.iter().all(|term| term.fits(&labels)));
        assert_eq!(fits("app=shop,!beta"), Ok(true));
        assert_eq!(fits("app==shop,app"), Ok(true));
        assert_eq!(fits("app!=shop"), Ok(false));
        assert_eq!(fits(""), Ok(true));
        assert!(fits("app in (a)").is_err());
    }

    #[test]
    fn a_row_tells_the_worst() {
        let subject = Subject {
            kind: "HTTPRoute".to_owned(),
            namespace: "shop".to_owned(),
            name: "home".to_owned(),
            generation: None,
            origin: None,
        };
        let layers = [
            Layer::unknown(LayerName::Delivery, "no agent was asked"),
            Layer::no(LayerName::Warming, "cold", Vec::new()),
        ];
        let broken = row(subject.clone(), String::new(), &layers);
        assert_eq!(
            (broken.state, broken.layer, broken.why.as_str()),
            (State::Broken, Some(LayerName::Warming), "cold")
        );
        let finding = catalogue::FOREIGN_CLASS.found(subject.clone(), "of another controller");
        let foreign =
            row(subject.clone(), String::new(), &[Layer::no(LayerName::Attachment, "not ours", vec![finding])]);
        assert_eq!((foreign.state, foreign.code.as_deref()), (State::Foreign, Some("EGX-1104")));
        assert!(State::Serving < State::Foreign, "an object that serves at one parent serves");
        let unknown = row(subject, String::new(), &layers[..1]);
        assert_eq!((unknown.state, unknown.why.as_str()), (State::Unknown, "no agent was asked"));
    }
}
