//! The log file of one Envoy: appended to, and set aside once when it has grown large.

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;

/// The size at which a log file is set aside as `NAME.1`, in bytes.
const LIMIT: u64 = 10 * 1024 * 1024;

/// A log file that never holds up who writes to it: what can't be written is lost.
#[derive(Debug)]
pub(super) struct LogFile {
    path: PathBuf,
    open: Mutex<(File, u64)>,
}

impl LogFile {
    /// Opens the file at `path`, and creates it if need be.
    pub(super) fn open(path: PathBuf) -> std::io::Result<Self> {
        let file = File::options().create(true).append(true).open(&path)?;
        let size = file.metadata()?.len();
        Ok(Self { path, open: Mutex::new((file, size)) })
    }

    /// Appends a line of Envoy's.
    pub(super) fn line(&self, line: &str) {
        let Ok(mut open) = self.open.lock() else { return };
        if open.1 > LIMIT {
            drop(std::fs::rename(&self.path, self.path.with_extension("log.1")));
            if let Ok(file) = File::options().create(true).append(true).open(&self.path) {
                *open = (file, 0);
            }
        }
        open.1 = open.1.saturating_add(u64::try_from(line.len()).unwrap_or(u64::MAX));
        drop(writeln!(open.0, "{line}"));
    }
}
