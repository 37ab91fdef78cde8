//! Everything an answer may rest on, in one place: the last translation, where objects were written, what is live.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::evidence::{FleetEvidence, Known, LiveEvidence};
use super::nameable::Nameable;
use super::provenance::Index;
use super::question::Kind;
use super::report::Subject;
use crate::api::metadata::{Object, ObjectKey, ObjectMeta, manifest};
use crate::gatewayapi::decision::RouteKind;
use crate::pipeline::Outcome;
use crate::xds::table::Table;

/// Where objects were read from, and what could not be read. Empty where objects come from an API server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sources {
    /// By kind and key: `file:line` of the object.
    pub origins: BTreeMap<(String, ObjectKey), String>,
    /// What is broken in files.
    pub faults: Vec<FileFault>,
}

/// Something in a file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFault {
    /// `file:line`.
    pub place: String,
    /// What is wrong with it.
    pub message: String,
    /// The object it is part of, as far as that could be read: `HTTPRoute shop/checkout`, `HTTPRoute checkout`, `HTTPRoute`.
    pub object: Option<String>,
}

/// What answers are made from.
pub struct Facts<'a> {
    /// The last translation.
    pub outcome: &'a Outcome,
    /// Where objects were written.
    pub sources: &'a Sources,
    /// What a running agent knows; none when none was asked.
    pub live: Option<&'a LiveEvidence>,
    /// By IR key: which resource of the fleet holds what. Filled as it is asked for.
    indexes: RefCell<BTreeMap<Arc<str>, Rc<Index>>>,
    /// Which objects advice may name.
    nameable: Nameable,
}

/// Why delivery and warming are unknown without an agent.
pub const NO_AGENT: &str = "no agent was asked";

impl<'a> Facts<'a> {
    /// What is known from a translation and its files alone, or from a running agent too.
    #[must_use]
    pub const fn new(outcome: &'a Outcome, sources: &'a Sources, live: Option<&'a LiveEvidence>) -> Self {
        Self { outcome, sources, live, indexes: RefCell::new(BTreeMap::new()), nameable: Nameable::Everything }
    }

    /// The same, with advice that names no other objects than these.
    #[must_use]
    pub fn naming(self, nameable: Nameable) -> Self {
        Self { nameable, ..self }
    }

    /// Those of `keys`, objects of `resource`, that advice may name.
    pub(super) fn nameable(&self, resource: &str, keys: impl Iterator<Item = ObjectKey>) -> Vec<ObjectKey> {
        keys.filter(|key| self.nameable.allows(resource, &key.namespace)).collect()
    }

    /// That there is no object of `kind` that advice may name.
    pub(super) fn none_of(&self, kind: &str) -> String {
        match self.nameable {
            Nameable::Everything => format!("no {kind} at all"),
            Nameable::Only(_) => format!("no {kind} that you may list"),
        }
    }

    /// The object of `kind` with this key, as reports name it.
    #[must_use]
    pub fn subject(&self, kind: &str, key: &ObjectKey) -> Subject {
        let resources = &self.outcome.resources;
        let generation = match kind {
            "GatewayClass" => resources.gateway_classes().get(key).map(|object| object.metadata.generation),
            "Gateway" => resources.gateways().get(key).map(|object| object.metadata.generation),
            _ => Kind::parse(kind)
                .and_then(|kind| self.route_metadata(kind.route()?, key))
                .map(|metadata| metadata.generation),
        };
        Subject {
            kind: kind.to_owned(),
            namespace: key.namespace.to_string(),
            name: key.name.to_string(),
            generation: generation.filter(|generation| *generation > 0),
            origin: self.sources.origins.get(&(kind.to_owned(), key.clone())).cloned(),
        }
    }

    /// The object of `kind` with this key, as reports name it.
    #[must_use]
    pub fn subject_of(&self, kind: Kind, key: &ObjectKey) -> Subject {
        self.subject(kind.kind(), key)
    }

    /// The metadata of a Route.
    #[must_use]
    pub fn route_metadata(&self, kind: RouteKind, key: &ObjectKey) -> Option<&'a ObjectMeta> {
        let resources = &self.outcome.resources;
        match kind {
            RouteKind::Http => resources.http_routes().get(key).map(|object| &object.metadata),
            RouteKind::Tls => resources.tls_routes().get(key).map(|object| &object.metadata),
            RouteKind::Tcp => resources.tcp_routes().get(key).map(|object| &object.metadata),
            RouteKind::Udp => resources.udp_routes().get(key).map(|object| &object.metadata),
        }
    }

    /// The manifest of a Route, for following field paths in it; null where it is gone.
    pub(super) fn route_manifest(&self, kind: RouteKind, key: &ObjectKey) -> Value {
        let resources = &self.outcome.resources;
        let manifest = match kind {
            RouteKind::Http => resources.http_routes().get(key).map(|object| manifest_of(object.as_ref())),
            RouteKind::Tls => resources.tls_routes().get(key).map(|object| manifest_of(object.as_ref())),
            RouteKind::Tcp => resources.tcp_routes().get(key).map(|object| manifest_of(object.as_ref())),
            RouteKind::Udp => resources.udp_routes().get(key).map(|object| manifest_of(object.as_ref())),
        };
        manifest.unwrap_or(Value::Null)
    }

    /// What the agent knows about one fleet, or why it isn't known.
    ///
    /// # Errors
    /// The reason, as it stands behind `unknown, because`.
    pub fn fleet(&self, ir_key: &str) -> Result<&'a FleetEvidence, String> {
        let live = self.live.ok_or_else(|| NO_AGENT.to_owned())?;
        live.fleets.get(ir_key).ok_or_else(|| format!("the agent knows nothing of a fleet {ir_key} yet"))
    }

    /// The resources one fleet is served (or, without an agent, would be), or why they aren't known.
    ///
    /// # Errors
    /// The reason, as it stands behind `unknown, because`.
    pub fn table(&self, ir_key: &str) -> Result<&'a Table, String> {
        if let Ok(fleet) = self.fleet(ir_key) {
            return match &fleet.snapshot {
                Known::Is(facts) => Ok(&facts.table),
                Known::Unknown(reason) => Err(reason.clone()),
            };
        }
        let snapshot = self.outcome.snapshots.get(ir_key);
        snapshot.map(|snapshot| &*snapshot.table).ok_or_else(|| format!("there is no snapshot for {ir_key}"))
    }

    /// Which resource of the fleet holds what.
    pub(super) fn index(&self, ir_key: &Arc<str>) -> Rc<Index> {
        if let Some(known) = self.indexes.borrow().get(ir_key) {
            return Rc::clone(known);
        }
        let index = Rc::new(self.table(ir_key).map(Index::of).unwrap_or_default());
        self.indexes.borrow_mut().insert(Arc::clone(ir_key), Rc::clone(&index));
        index
    }
}

/// The manifest of `object`, for following field paths in it.
pub(super) fn manifest_of<T: Object + Serialize>(object: &T) -> Value {
    manifest(object).unwrap_or(Value::Null)
}

/// The reference (an object with a `name`) at `path` of `manifest`, or around it.
pub(super) fn reference_at<'v>(manifest: &'v Value, path: &str) -> Option<&'v Value> {
    let mut found = None;
    let mut at = manifest;
    for step in path.split(['.', '[']).filter(|step| !step.is_empty()) {
        let next = match step.strip_suffix(']') {
            Some(index) => index.parse::<usize>().ok().and_then(|index| at.get(index)),
            None => at.get(step),
        };
        let Some(next) = next else { break };
        at = next;
        let is_reference = at.get("name").is_some_and(Value::is_string)
            && at.get("backendRefs").is_none()
            && at.get("protocol").is_none();
        if is_reference {
            found = Some(at);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_found_at_or_around_a_field() {
        let route = serde_json::json!({
            "metadata": {"name": "r"},
            "spec": {"rules": [{"name": "rule", "backendRefs": [{"name": "a"}, {"name": "b", "namespace": "x"}]}]},
        });
        let name = |path| reference_at(&route, path).and_then(|found| found.get("name")).and_then(Value::as_str);
        assert_eq!(name("spec.rules[0].backendRefs[1]"), Some("b"));
        assert_eq!(name("spec.rules[0].backendRefs[1].namespace"), Some("b"));
        assert_eq!(name("spec.rules[0].backendRefs[7]"), None);
        assert_eq!(name("spec.rules[0]"), None);
    }
}
