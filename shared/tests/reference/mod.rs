//! Reference data that lies beside the repository, for those who have it.

use std::path::{Path, PathBuf};

/// A folder beside the repository; where there is none, one line says so and the test has nothing to do.
pub(crate) fn beside(folder: &str) -> Option<PathBuf> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    let found = std::iter::successors(repository.parent(), |folder| folder.parent())
        .map(|parent| parent.join(folder))
        .find(|path| path.is_dir());
    if found.is_none() {
        println!("skipped: {folder} is not beside the repository");
    }
    found
}
