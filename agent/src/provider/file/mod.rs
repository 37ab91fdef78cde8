//! Objects from files: folders and files are watched, and every change becomes a new set of objects.
//!
//! A file that can't be read or understood keeps the objects it gave last, and what is wrong with it is reported.

mod scan;
mod store;
mod watch;

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::watch::{Receiver, channel};
use tokio_util::sync::CancellationToken;

use crate::provider::Loaded;

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
