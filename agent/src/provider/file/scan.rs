//! Which files there are, and which of them may have changed since they were read.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A file that changed this shortly before it was read may change again without looking different.
const TIME_GRAIN: Duration = Duration::from_millis(50);

/// What tells two contents of a file apart without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    length: u64,
    seconds: i64,
    nanoseconds: i64,
    /// The file was too young when it was looked at: read it again next time.
    young: bool,
}

impl Stamp {
    /// The stamp of the file behind `path`, through symbolic links.
    fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        let young = metadata
            .modified()
            .is_ok_and(|modified| SystemTime::now().duration_since(modified).map_or(true, |age| age < TIME_GRAIN));
        metadata.is_file().then(|| Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            length: metadata.len(),
            seconds: metadata.mtime(),
            nanoseconds: metadata.mtime_nsec(),
            young,
        })
    }

    /// Whether a file with this stamp, seen before as `earlier`, has to be read again.
    pub(super) fn differs(&self, earlier: &Self) -> bool {
        earlier.young || Self { young: false, ..*self } != Self { young: false, ..*earlier }
    }
}

/// Every file that counts under `paths`, with its stamp.
pub(super) fn files(paths: &[PathBuf]) -> BTreeMap<PathBuf, Stamp> {
    let mut found = BTreeSet::new();
    for path in paths {
        if path.is_dir() {
            let entries = std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
            found.extend(entries.filter(|path| counts(path)));
        } else {
            found.insert(path.clone());
        }
    }
    found.into_iter().filter_map(|path| Stamp::of(&path).map(|stamp| (path, stamp))).collect()
}

/// Whether a file of a watched folder is meant: no hidden file, no editor's backup, and a name that says what it is.
fn counts(path: &Path) -> bool {
    let hidden = path.file_name().and_then(|name| name.to_str()).is_none_or(|name| name.starts_with('.'));
    let suffix = path.extension().and_then(|suffix| suffix.to_str());
    !hidden && matches!(suffix, Some("yaml" | "yml" | "json"))
}

/// The folders in which something happens when one of `paths` changes, with the identity each has now.
pub(super) fn folders(paths: &[PathBuf]) -> BTreeMap<PathBuf, (u64, u64)> {
    let mut folders = BTreeMap::new();
    for path in paths {
        // The folder above tells when the path itself is replaced.
        let above = path.parent().map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent });
        for folder in above.into_iter().chain(path.is_dir().then_some(path.as_path())) {
            if let Ok(metadata) = std::fs::metadata(folder) {
                folders.insert(folder.to_owned(), (metadata.dev(), metadata.ino()));
            }
        }
    }
    folders
}
