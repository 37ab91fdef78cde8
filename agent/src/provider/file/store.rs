//! What each file gave, and the set of objects they make together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gateway_shared::api::any_object::AnyObject;
use gateway_shared::resources::Resources;
use gateway_shared::resources::decode::{self, Decoded, Finding};

use crate::provider::{Identity, Loaded, Origin};

/// The objects of all files. Objects that didn't change keep their place in memory, so that translation sees them equal
/// at no cost.
#[derive(Debug, Default)]
pub(super) struct Store {
    files: BTreeMap<PathBuf, File>,
    /// Which files define an object. The first of them counts.
    definers: BTreeMap<Identity, BTreeSet<PathBuf>>,
    resources: Resources,
}

/// What one file gave.
#[derive(Debug, Default)]
struct File {
    /// The hash of the content the rest was made from.
    content: Option<u128>,
    objects: BTreeMap<Identity, (AnyObject, usize)>,
    errors: Vec<Finding>,
    warnings: Vec<Finding>,
    /// Whether the file was ever read without an error.
    was_whole: bool,
}

impl Store {
    /// The files that are known.
    pub(super) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.keys()
    }

    /// Takes in what `path` holds now, or why it can't be read. Tells whether that is something new.
    pub(super) fn read(&mut self, path: &Path, content: Result<&[u8], String>) -> bool {
        let name = path.display().to_string();
        let (hash, decoded) = match content {
            Ok(bytes) => {
                let hash = xxhash_rust::xxh3::xxh3_128(bytes);
                if self.files.get(path).is_some_and(|file| file.content == Some(hash)) {
                    return false;
                }
                (Some(hash), decode::bytes(&name, bytes))
            }
            Err(error) => (None, unreadable(name, error)),
        };
        let Decoded { objects, mut warnings, errors } = decoded;
        let mut new = BTreeMap::new();
        for found in objects {
            let identity = (found.object.kind(), found.object.key());
            if let Some((_, line)) = new.insert(identity.clone(), (found.object, found.line)) {
                warnings.push(Finding {
                    file: path.display().to_string(),
                    line,
                    document: 0,
                    object: Some(words(&identity)),
                    path: String::new(),
                    message: "it stands in this file again further down, and that one counts; remove one of the two"
                        .to_owned(),
                });
            }
        }
        let old = self.files.remove(path).unwrap_or_default();
        let mut objects = old.objects.clone();
        if errors.is_empty() {
            objects.retain(|identity, _| new.contains_key(identity));
        }
        for (identity, (object, line)) in new {
            // Equal content keeps the older value.
            let object = match old.objects.get(&identity) {
                Some((before, _)) if *before == object => before.clone(),
                _ => object,
            };
            objects.insert(identity, (object, line));
        }
        let was_whole = old.was_whole || errors.is_empty();
        self.replace(path, &old.objects, File { content: hash, objects, errors, warnings, was_whole });
        true
    }

    /// Forgets a file that is no longer there, and what it gave.
    pub(super) fn remove(&mut self, path: &Path) {
        if let Some(old) = self.files.remove(path) {
            self.replace(path, &old.objects, File::default());
            self.files.remove(path);
        }
    }

    /// Puts `file` in the place of what `path` gave before, and brings the common set up to date.
    fn replace(&mut self, path: &Path, old: &BTreeMap<Identity, (AnyObject, usize)>, file: File) {
        let mut touched: BTreeSet<&Identity> = BTreeSet::new();
        for identity in old.keys().filter(|identity| !file.objects.contains_key(identity)) {
            if let Some(definers) = self.definers.get_mut(identity) {
                definers.remove(path);
            }
            touched.insert(identity);
        }
        let changed: Vec<Identity> = file
            .objects
            .iter()
            .filter(|(identity, (object, _))| old.get(*identity).is_none_or(|(before, _)| before != object))
            .map(|(identity, _)| identity.clone())
            .collect();
        for identity in &changed {
            self.definers.entry(identity.clone()).or_default().insert(path.to_owned());
            touched.insert(identity);
        }
        self.files.insert(path.to_owned(), file);
        for identity in touched {
            let definer = self.definers.get(identity).and_then(BTreeSet::first);
            let object = definer.and_then(|definer| self.files.get(definer)?.objects.get(identity));
            match (object, old.get(identity)) {
                (Some((object, _)), _) => self.resources.insert(object.clone()),
                (None, Some((object, _))) => {
                    self.resources.remove(object);
                    self.definers.remove(identity);
                }
                (None, None) => {}
            }
        }
    }

    /// Everything, as it is now.
    pub(super) fn loaded(&self) -> Loaded {
        let mut origins = BTreeMap::new();
        let mut warnings: Vec<Finding> = Vec::new();
        for (path, file) in &self.files {
            let name: Arc<str> = path.display().to_string().into();
            warnings.extend(file.warnings.iter().cloned());
            for (identity, (_, line)) in &file.objects {
                match self.definers.get(identity).and_then(BTreeSet::first) {
                    Some(first) if first != path => warnings.push(Finding {
                        file: name.to_string(),
                        line: *line,
                        document: 0,
                        object: Some(words(identity)),
                        path: String::new(),
                        message: format!("it is defined in {} too, and that one counts; remove one", first.display()),
                    }),
                    _ => {
                        origins.insert(identity.clone(), Origin { file: Arc::clone(&name), line: *line });
                    }
                }
            }
        }
        Loaded {
            resources: Arc::new(self.resources.clone()),
            origins: Arc::new(origins),
            errors: self.files.values().flat_map(|file| file.errors.iter().cloned()).collect(),
            warnings: warnings.into(),
            complete: self.files.values().all(|file| file.was_whole),
        }
    }
}

/// How people name an object.
fn words((kind, key): &Identity) -> String {
    format!("{kind} {key}")
}

fn unreadable(file: String, error: String) -> Decoded {
    let message = format!("the file can't be read: {error}");
    let finding = Finding { file, line: 1, document: 0, object: None, path: String::new(), message };
    Decoded { errors: vec![finding], ..Decoded::default() }
}
