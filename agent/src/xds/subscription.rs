//! What a proxy asked for, of one type, on one stream: everything, certain names, or both.

use std::collections::BTreeSet;
use std::sync::Arc;

use gateway_shared::xds::table::ResourceType;

/// The name that stands for all resources of a type.
pub const WILDCARD: &str = "*";

/// The subscription of one stream to one type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subscription {
    wildcard: bool,
    names: BTreeSet<Arc<str>>,
    /// Whether any name, `*` included, was ever given: from then on an empty list means nothing (SotW).
    ever_named: bool,
}

/// How a subscription changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shift {
    /// Names that were asked for; in Delta also those that had been before.
    pub added: Vec<Arc<str>>,
    /// Names that are no longer asked for by name.
    pub removed: Vec<Arc<str>>,
    /// All resources are asked for from now on.
    pub wildcard_began: bool,
    /// They are no longer.
    pub wildcard_ended: bool,
}

impl Subscription {
    /// Whether the resource `name` is asked for.
    #[must_use]
    pub fn wants(&self, name: &str) -> bool {
        self.wildcard || self.names.contains(name)
    }

    /// Whether all resources are asked for.
    #[must_use]
    pub const fn is_wildcard(&self) -> bool {
        self.wildcard
    }

    /// The resources asked for by name.
    #[must_use]
    pub const fn names(&self) -> &BTreeSet<Arc<str>> {
        &self.names
    }

    /// A Delta request: names come and go. `first` is true for the stream's first request of this type; without any
    /// name it means everything, for the types where Envoy's older clients say it so.
    pub fn change(&mut self, kind: ResourceType, first: bool, subscribe: &[String], unsubscribe: &[String]) -> Shift {
        let mut shift = Shift::default();
        let before = self.wildcard;
        if first && subscribe.is_empty() && kind.is_wildcard_by_default() {
            self.wildcard = true;
        }
        for name in subscribe {
            if name == WILDCARD {
                self.wildcard = true;
            } else {
                let name: Arc<str> = Arc::from(name.as_str());
                self.names.insert(Arc::clone(&name));
                shift.added.push(name);
            }
        }
        for name in unsubscribe {
            if name == WILDCARD {
                self.wildcard = false;
            } else if let Some(name) = self.names.take(name.as_str()) {
                shift.removed.push(name);
            }
        }
        shift.wildcard_began = self.wildcard && !before;
        shift.wildcard_ended = before && !self.wildcard;
        shift
    }

    /// A SotW request: `names` is all that is asked for. An empty list means everything for listeners and clusters as
    /// long as the stream never gave a name, and nothing otherwise.
    pub fn replace(&mut self, kind: ResourceType, names: &[String]) -> Shift {
        let mut shift = Shift::default();
        let before = self.wildcard;
        self.ever_named |= !names.is_empty();
        self.wildcard = if names.is_empty() {
            kind.is_wildcard_by_default() && !self.ever_named
        } else {
            names.iter().any(|name| name == WILDCARD)
        };
        let wanted: BTreeSet<Arc<str>> =
            names.iter().filter(|name| *name != WILDCARD).map(|name| Arc::from(name.as_str())).collect();
        shift.added.extend(wanted.difference(&self.names).cloned());
        shift.removed.extend(self.names.difference(&wanted).cloned());
        self.names = wanted;
        shift.wildcard_began = self.wildcard && !before;
        shift.wildcard_ended = before && !self.wildcard;
        shift
    }
}
