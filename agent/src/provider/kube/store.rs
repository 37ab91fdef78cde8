//! What all watches said, as one set of objects: a state machine of plain calls.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use gateway_shared::api::any_object::AnyObject;
use gateway_shared::api::label_selector::LabelSelector;
use gateway_shared::api::metadata::{Object as _, ObjectKey};
use gateway_shared::api::namespace::Namespace;
use gateway_shared::resources::Resources;
use gateway_shared::resources::decode::{Fault, Finding};

use super::decode::Decoded;
use super::seen::Seen;
use crate::provider::{Identity, Loaded};

/// What the objects come from, in messages.
const CLUSTER: &str = "the cluster";

/// One watch: the objects of a kind, everywhere or in one namespace.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Source {
    /// Kind, as in a manifest.
    pub(super) kind: &'static str,
    /// The namespace; `None` for all of them.
    pub(super) namespace: Option<Arc<str>>,
}

impl Source {
    fn covers(&self, key: &ObjectKey) -> bool {
        self.namespace.as_ref().is_none_or(|namespace| *namespace == key.namespace)
    }
}

/// What happened.
#[derive(Debug)]
pub(super) enum Event {
    /// These watches run from now on and no others; what is missing is said in the findings.
    Planned(BTreeSet<Source>, Vec<Finding>),
    /// A watch lists everything from the beginning.
    Restarted(Source),
    /// An object is in that list.
    Listed(Source, Decoded),
    /// The list is complete.
    ListedAll(Source),
    /// There will be no list: nothing is lost without this kind.
    Forgone(Source),
    /// An object is new or has changed.
    Changed(Source, Decoded),
    /// An object is gone.
    Deleted(Source, ObjectKey),
}

/// Which namespaces count.
#[derive(Debug)]
struct Selection {
    selector: LabelSelector,
    /// Its own infrastructure a control plane sees whatever is selected.
    controller_namespace: Arc<str>,
    selected: BTreeSet<Arc<str>>,
}

/// The kinds that count in the control plane's own namespace, selected or not.
const INFRASTRUCTURE: &[&str] = &["Service", "EndpointSlice", "ConfigMap", "Secret"];

impl Selection {
    fn selects(&self, kind: &str, namespace: &str) -> bool {
        namespace.is_empty()
            || self.selected.contains(namespace)
            || (*namespace == *self.controller_namespace && INFRASTRUCTURE.contains(&kind))
    }
}

/// The objects of all watches. An object that comes again as it was keeps its place in memory, so that translation sees
/// it equal at no cost, and nothing is published.
#[derive(Debug)]
pub(super) struct Store {
    resources: Resources,
    selection: Option<Selection>,
    /// Objects of namespaces that aren't selected.
    aside: BTreeMap<Identity, AnyObject>,
    /// The watches that run; `None` before it is known which kinds there are.
    planned: Option<BTreeSet<Source>>,
    /// Those that have listed everything once.
    complete: BTreeSet<Source>,
    /// What the lists that are under way have named so far.
    listing: BTreeMap<Source, HashSet<ObjectKey>>,
    faults: BTreeMap<Identity, Finding>,
    errors: Arc<[Finding]>,
    warnings: Arc<[Finding]>,
    origins: Arc<BTreeMap<Identity, crate::provider::Origin>>,
    seen: Seen,
}

impl Store {
    /// An empty store. Without a selector objects of every namespace count.
    pub(super) fn new(selector: Option<LabelSelector>, controller_namespace: &str, seen: Seen) -> Self {
        let selection = selector.map(|selector| Selection {
            selector,
            controller_namespace: controller_namespace.into(),
            selected: BTreeSet::new(),
        });
        Self {
            resources: Resources::default(),
            selection,
            aside: BTreeMap::new(),
            planned: None,
            complete: BTreeSet::new(),
            listing: BTreeMap::new(),
            faults: BTreeMap::new(),
            errors: Arc::from([]),
            warnings: Arc::from([]),
            origins: Arc::default(),
            seen,
        }
    }

    /// Whether every kind that exists has been listed once: before that nothing may be published, for what isn't known
    /// yet would look as if it were gone.
    pub(super) fn is_complete(&self) -> bool {
        self.planned.as_ref().is_some_and(|planned| planned.is_subset(&self.complete))
    }

    /// The watches that are still to list everything once.
    pub(super) fn missing(&self) -> impl Iterator<Item = &Source> {
        self.planned.iter().flatten().filter(|source| !self.complete.contains(*source))
    }

    /// Everything, as it is now.
    pub(super) fn loaded(&self) -> Loaded {
        Loaded {
            resources: Arc::new(self.resources.clone()),
            origins: Arc::clone(&self.origins),
            errors: Arc::clone(&self.errors),
            warnings: Arc::clone(&self.warnings),
            complete: true,
        }
    }

    /// Takes in what happened. Tells whether [`Store::loaded`] or [`Store::is_complete`] may give something else now.
    pub(super) fn apply(&mut self, event: Event) -> bool {
        match event {
            Event::Planned(sources, missing) => self.plan(sources, missing),
            Event::Restarted(source) => {
                self.listing.insert(source, HashSet::new());
                false
            }
            Event::Listed(source, decoded) => {
                if let Some(listing) = self.listing.get_mut(&source) {
                    listing.insert(decoded.key.clone());
                }
                self.put(source.kind, decoded)
            }
            Event::ListedAll(source) => self.finish_list(source),
            Event::Forgone(source) => self.complete.insert(source),
            Event::Changed(source, decoded) => self.put(source.kind, decoded),
            Event::Deleted(source, key) => self.take(source.kind, &key),
        }
    }

    /// Forgets what came from watches that no longer run: their kind is gone.
    fn plan(&mut self, sources: BTreeSet<Source>, missing: Vec<Finding>) -> bool {
        let before = self.planned.replace(sources).unwrap_or_default();
        let planned = self.planned.clone().unwrap_or_default();
        let mut changed = before != planned;
        for gone in before.difference(&planned) {
            self.complete.remove(gone);
            self.listing.remove(gone);
            for key in self.known(gone) {
                changed |= self.take(gone.kind, &key);
            }
        }
        if *self.warnings != *missing {
            self.warnings = missing.into();
            changed = true;
        }
        changed
    }

    /// What was known and isn't in the list is gone: it was deleted while nobody watched.
    fn finish_list(&mut self, source: Source) -> bool {
        let Some(listed) = self.listing.remove(&source) else { return false };
        let mut changed = false;
        for key in self.known(&source) {
            if !listed.contains(&key) {
                changed |= self.take(source.kind, &key);
            }
        }
        changed | self.complete.insert(source)
    }

    /// The objects a watch gave, whatever became of them.
    fn known(&self, source: &Source) -> BTreeSet<ObjectKey> {
        let first = (source.kind, ObjectKey::new("", ""));
        fn of<'a, T>(map: &'a BTreeMap<Identity, T>, first: &Identity) -> impl Iterator<Item = ObjectKey> + use<'a, T> {
            let kind = first.0;
            map.range(first.clone()..)
                .take_while(move |((found, _), _)| *found == kind)
                .map(|((_, key), _)| key.clone())
        }
        let keys = self.resources.keys(source.kind).into_iter();
        keys.chain(of(&self.aside, &first)).chain(of(&self.faults, &first)).filter(|key| source.covers(key)).collect()
    }

    /// Puts an object in the place of what it was before. One that can't be read leaves that where it is.
    fn put(&mut self, kind: &'static str, decoded: Decoded) -> bool {
        let Decoded { key, seen, result } = decoded;
        if let Some(seen) = seen {
            self.seen.put(kind, key.clone(), seen);
        }
        let object = match result {
            Ok(object) => object,
            Err(fault) => return self.put_fault(kind, key, fault),
        };
        let mut changed = self.clear_fault(&(kind, key.clone()));
        if self.selection.as_ref().is_none_or(|selection| selection.selects(kind, &key.namespace)) {
            if self.resources.get(kind, &key).as_ref() != Some(&object) {
                self.resources.insert(object);
                changed = true;
            }
        } else {
            self.aside.insert((kind, key.clone()), object);
        }
        changed | self.select(kind, &key)
    }

    /// Takes an object out.
    fn take(&mut self, kind: &'static str, key: &ObjectKey) -> bool {
        self.seen.remove(kind, key);
        let identity = (kind, key.clone());
        self.aside.remove(&identity);
        let changed = self.clear_fault(&identity) | self.resources.remove_key(kind, key);
        changed | self.select(kind, key)
    }

    /// Notes that an object can't be read.
    fn put_fault(&mut self, kind: &'static str, key: ObjectKey, fault: Fault) -> bool {
        let Fault { path, message } = fault;
        let identity = (kind, key);
        let earlier = self.aside.contains_key(&identity) || self.resources.get(kind, &identity.1).is_some();
        let consequence = if earlier { "what it was before goes on" } else { "it has no effect until it is corrected" };
        let finding = Finding {
            file: CLUSTER.to_owned(),
            line: 0,
            document: 0,
            object: Some(format!("{kind} {}", identity.1)),
            path,
            message: format!("{message}; {consequence}"),
        };
        if self.faults.get(&identity) == Some(&finding) {
            return false;
        }
        self.faults.insert(identity, finding);
        self.errors = self.faults.values().cloned().collect();
        true
    }

    fn clear_fault(&mut self, identity: &Identity) -> bool {
        if self.faults.remove(identity).is_none() {
            return false;
        }
        self.errors = self.faults.values().cloned().collect();
        true
    }

    /// After something happened to the object `key`: if it is a Namespace that is selected now and wasn't before, or the
    /// other way round, its objects count or don't.
    fn select(&mut self, kind: &str, key: &ObjectKey) -> bool {
        let Some(selection) = self.selection.as_mut().filter(|_| kind == Namespace::KIND) else { return false };
        let namespace = &key.name;
        let labels = self.resources.namespaces().get(key).map(|namespace| &namespace.metadata().labels);
        let selected = labels.is_some_and(|labels| selection.selector.matches(labels));
        if selected {
            if !selection.selected.insert(Arc::clone(namespace)) {
                return false;
            }
            let mine: Vec<Identity> =
                self.aside.keys().filter(|(_, key)| key.namespace == *namespace).cloned().collect();
            for identity in &mine {
                if let Some(object) = self.aside.remove(identity) {
                    self.resources.insert(object);
                }
            }
            !mine.is_empty()
        } else {
            if !selection.selected.remove(namespace) {
                return false;
            }
            let mut changed = false;
            for kind in AnyObject::KINDS.iter().copied().filter(|kind| !selection.selects(kind, namespace)) {
                for key in self.resources.keys(kind).into_iter().filter(|key| key.namespace == *namespace) {
                    if let Some(object) = self.resources.get(kind, &key) {
                        self.resources.remove_key(kind, &key);
                        self.aside.insert((kind, key), object);
                        changed = true;
                    }
                }
            }
            changed
        }
    }
}
