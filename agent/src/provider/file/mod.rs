//! Objects from files: folders and files are watched, and every change becomes a new set of objects.
//!
//! A file that can't be read or understood keeps the objects it gave last, and what is wrong with it is reported.

mod scan;
mod store;
mod watch;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use gateway_shared::api::metadata::ObjectKey;
use gateway_shared::resources::Resources;
use gateway_shared::resources::decode::Finding;
use tokio::sync::watch::{Receiver, channel};
use tokio_util::sync::CancellationToken;

/// A kind and a key: what names an object.
pub type Identity = (&'static str, ObjectKey);

/// Where an object is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The file.
    pub file: Arc<str>,
    /// The line it begins on, from 1.
    pub line: usize,
}

/// All that the files say now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loaded {
    /// The objects.
    pub resources: Arc<Resources>,
    /// Where each stands.
    pub origins: Arc<BTreeMap<Identity, Origin>>,
    /// What could not be used, file by file: the objects these files gave before, if any, go on.
    pub errors: Arc<[Finding]>,
    /// What was passed over.
    pub warnings: Arc<[Finding]>,
    /// Whether nothing that these files once held may be missing. An agent that starts beside a broken file can't know
    /// what was in it, and must not take down what may belong to it.
    pub complete: bool,
}

/// Watches `paths` until `stop`. The first value is there when the files have been read once; then each change is one.
///
/// In a folder the files ending in `.yaml`, `.yml` and `.json` count, not those in folders below it nor hidden ones.
/// A path that isn't there yet is waited for.
pub fn start(paths: Vec<PathBuf>, stop: CancellationToken) -> Receiver<Option<Arc<Loaded>>> {
    let (sender, receiver) = channel(None);
    tokio::spawn(watch::run(paths, sender, stop));
    receiver
}

#[cfg(test)]
mod tests;
