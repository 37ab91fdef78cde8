//! The table, as the sum of contributions. Several routes may contribute one resource (the matches of a rule share a
//! cluster, a route on two listeners brings its clusters twice), so contributions are counted: a resource leaves with its
//! last contributor. Where contents differ, the caller says which contributor comes first.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::resources::Contribution;
use super::table::{Resource, ResourceType, Table};

type Key = (ResourceType, Arc<str>);

/// The table and who contributes to it. A resource with one contributor, as nearly all have, is only in the table.
#[derive(Clone, Debug, Default)]
pub(super) struct Registry {
    table: Table,
    /// Resources with several contributors: each content, and how many contribute it.
    shared: FxHashMap<Key, Vec<(Arc<Resource>, usize)>>,
    /// The shared ones with more than one content.
    contested: FxHashSet<Key>,
}

impl Registry {
    /// The table as it stands.
    pub(super) const fn table(&self) -> &Table {
        &self.table
    }

    /// One more contributor.
    pub(super) fn add(&mut self, contribution: &Contribution) {
        let (kind, resource) = contribution;
        let key = (*kind, Arc::clone(&resource.name));
        if let Some(contents) = self.shared.get_mut(&key) {
            match contents.iter_mut().find(|(content, _)| same(content, resource)) {
                Some((_, count)) => *count += 1,
                None => {
                    contents.push((Arc::clone(resource), 1));
                    self.contested.insert(key);
                }
            }
            return;
        }
        let Some(only) = self.table.of(*kind).get(&resource.name) else {
            self.table.of_mut(*kind).insert(Arc::clone(resource));
            return;
        };
        if same(only, resource) {
            self.shared.insert(key, vec![(Arc::clone(only), 2)]);
        } else {
            let contents = vec![(Arc::clone(only), 1), (Arc::clone(resource), 1)];
            self.contested.insert(key.clone());
            self.shared.insert(key, contents);
        }
    }

    /// One contributor less. It must have been added.
    pub(super) fn remove(&mut self, contribution: &Contribution) {
        let (kind, resource) = contribution;
        let key = (*kind, Arc::clone(&resource.name));
        let Some(contents) = self.shared.get_mut(&key) else {
            self.table.of_mut(*kind).remove(&resource.name);
            return;
        };
        if let Some(at) = contents.iter().position(|(content, _)| same(content, resource))
            && let Some((_, count)) = contents.get_mut(at)
        {
            *count = count.saturating_sub(1);
            if *count == 0 {
                contents.remove(at);
            }
        }
        if let [(content, count)] = contents.as_slice() {
            self.table.of_mut(*kind).insert(Arc::clone(content));
            self.contested.remove(&key);
            if *count == 1 {
                self.shared.remove(&key);
            }
        }
    }

    /// Gives each contested name to its first contributor; `contributions` are all there are, in order. Costs nothing
    /// where none is contested.
    pub(super) fn settle<'a>(&mut self, contributions: impl Iterator<Item = &'a Contribution>) {
        if self.contested.is_empty() {
            return;
        }
        let mut open = self.contested.clone();
        for (kind, resource) in contributions {
            if open.is_empty() {
                return;
            }
            if open.remove(&(*kind, Arc::clone(&resource.name))) {
                self.table.of_mut(*kind).insert(Arc::clone(resource));
            }
        }
    }
}

fn same(a: &Arc<Resource>, b: &Arc<Resource>) -> bool {
    Arc::ptr_eq(a, b) || a == b
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster(body: &'static [u8]) -> Contribution {
        (ResourceType::Cluster, Arc::new(Resource::new("c", body)))
    }

    fn content(registry: &Registry) -> Option<Vec<u8>> {
        registry.table().of(ResourceType::Cluster).get("c").map(|resource| resource.body.to_vec())
    }

    #[test]
    fn a_resource_leaves_with_its_last_contributor() {
        let mut registry = Registry::default();
        for _ in 0..3 {
            registry.add(&cluster(b"1"));
        }
        registry.remove(&cluster(b"1"));
        registry.remove(&cluster(b"1"));
        assert_eq!(content(&registry), Some(b"1".to_vec()));
        registry.remove(&cluster(b"1"));
        assert_eq!(content(&registry), None);
    }

    #[test]
    fn the_first_of_different_contents_wins_and_the_other_follows_it() {
        let mut registry = Registry::default();
        let (first, second) = (cluster(b"1"), cluster(b"2"));
        registry.add(&second);
        registry.add(&first);
        registry.settle([&first, &second].into_iter());
        assert_eq!(content(&registry), Some(b"1".to_vec()));
        registry.remove(&first);
        registry.settle([&second].into_iter());
        assert_eq!(content(&registry), Some(b"2".to_vec()));
        registry.remove(&second);
        assert_eq!(content(&registry), None);
    }
}
