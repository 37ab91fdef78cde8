//! When to look: file system events, gathered for a moment, and a slow look at everything in case one was missed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::Loaded;
use super::scan::{Stamp, files, folders};
use super::store::Store;
use crate::waiting::sleep_until;

/// How long events are gathered before the files are looked at.
const GATHER: Duration = Duration::from_millis(3);
/// How long a file that is being written is left alone, if nobody says that the writing is over.
const WRITING: Duration = Duration::from_millis(100);
/// How long it is left alone at most, however long it is being written.
const WRITING_LIMIT: Duration = Duration::from_secs(2);
/// How often everything is looked at without an event: for file systems without events, and links that lead elsewhere.
const RESCAN: Duration = Duration::from_secs(2);

/// Watches until `stop`.
pub(super) async fn run(paths: Vec<PathBuf>, out: watch::Sender<Option<Arc<Loaded>>>, stop: CancellationToken) {
    // Events are small and gathered at once; what limits their number is how fast files can be written.
    let (sender, mut events) = mpsc::unbounded_channel();
    let mut watcher = Watcher::new(sender);
    let mut scanner = Scanner { paths: paths.clone(), store: Store::default(), stamps: BTreeMap::new(), first: true };
    let mut writing = Writing::default();
    let mut touched = BTreeSet::new();
    let mut rescan = tokio::time::interval(RESCAN);
    rescan.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        let next_written = writing.next_deadline();
        let written = sleep_until(next_written);
        tokio::select! {
            () = stop.cancelled() => return,
            Some(event) = events.recv() => {
                note(event, &mut touched, &mut writing);
                tokio::time::sleep(GATHER).await;
                while let Ok(event) = events.try_recv() {
                    note(event, &mut touched, &mut writing);
                }
            }
            () = written => {}
            _ = rescan.tick() => watcher.watch(&paths),
        }
        writing.settle(Instant::now());
        let leave_alone = writing.paths();
        let now = std::mem::take(&mut touched);
        // What is left alone is looked at once it has been written.
        touched.extend(now.intersection(&leave_alone).cloned());
        let result = tokio::task::spawn_blocking(move || {
            let news = scanner.look(&now, &leave_alone);
            (scanner, news)
        })
        .await;
        match result {
            Ok((back, news)) => {
                scanner = back;
                if let Some(loaded) = news {
                    report(out.borrow().as_deref(), &loaded);
                    out.send_replace(Some(Arc::new(loaded)));
                }
            }
            Err(error) => {
                warn!(%error, "reading the files broke off; everything is read anew");
                scanner =
                    Scanner { paths: paths.clone(), store: Store::default(), stamps: BTreeMap::new(), first: true };
            }
        }
    }
}

/// Which files an event is about, and whether they are still being written.
fn note(event: notify::Event, touched: &mut BTreeSet<PathBuf>, writing: &mut Writing) {
    let now = Instant::now();
    for path in event.paths {
        match event.kind {
            EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Any) => writing.begun(&path, now),
            EventKind::Access(AccessKind::Close(AccessMode::Write)) | EventKind::Remove(_) => writing.over(&path),
            // A file that is made by a link or a rename is whole; one that is opened to be written is still empty.
            EventKind::Create(_) if std::fs::metadata(&path).is_ok_and(|file| file.len() == 0) => {
                writing.begun(&path, now);
            }
            EventKind::Access(_) => continue,
            _ => {}
        }
        touched.insert(path);
    }
}

/// The files that are being written: reading one now would give half of it.
#[derive(Debug, Default)]
struct Writing(BTreeMap<PathBuf, (Instant, Instant)>);

impl Writing {
    fn begun(&mut self, path: &Path, now: Instant) {
        self.0.entry(path.to_owned()).or_insert((now, now)).1 = now;
    }

    fn over(&mut self, path: &Path) {
        self.0.remove(path);
    }

    /// Forgets those that have been quiet, or busy for too long.
    fn settle(&mut self, now: Instant) {
        self.0.retain(|_, (first, last)| now < deadline(*first, *last));
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.0.values().map(|(first, last)| deadline(*first, *last)).min()
    }

    fn paths(&self) -> BTreeSet<PathBuf> {
        self.0.keys().cloned().collect()
    }
}

fn deadline(first: Instant, last: Instant) -> Instant {
    (last + WRITING).min(first + WRITING_LIMIT)
}

/// The operating system's events, for as many of the folders as it can watch.
struct Watcher {
    notify: Option<RecommendedWatcher>,
    watched: BTreeMap<PathBuf, (u64, u64)>,
}

impl Watcher {
    fn new(events: mpsc::UnboundedSender<notify::Event>) -> Self {
        let made = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // An overflow of events has no path; the next look at everything makes up for it.
            if let Ok(event) = event {
                drop(events.send(event));
            }
        });
        if let Err(error) = &made {
            warn!(%error, "the system reports no file changes; files are looked at every {} s", RESCAN.as_secs());
        }
        Self { notify: made.ok(), watched: BTreeMap::new() }
    }

    /// Watches the folders of `paths`, anew where a folder has taken another's place.
    fn watch(&mut self, paths: &[PathBuf]) {
        let Some(notify) = &mut self.notify else { return };
        let folders = folders(paths);
        for gone in self.watched.keys().filter(|folder| folders.get(*folder) != self.watched.get(*folder)) {
            // The watch ended with its folder, or will now.
            drop(notify.unwatch(gone));
        }
        self.watched.retain(|folder, identity| folders.get(folder) == Some(identity));
        for (folder, identity) in folders {
            if self.watched.contains_key(&folder) {
                continue;
            }
            match notify.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => drop(self.watched.insert(folder, identity)),
                Err(error) => {
                    warn!(folder = %folder.display(), %error, "changes here are only seen every {} s", RESCAN.as_secs())
                }
            }
        }
    }
}

/// The files as they were seen last.
struct Scanner {
    paths: Vec<PathBuf>,
    store: Store,
    stamps: BTreeMap<PathBuf, Stamp>,
    first: bool,
}

impl Scanner {
    /// Reads what may have changed, but for what is to be left alone. The first time there is always news.
    fn look(&mut self, touched: &BTreeSet<PathBuf>, leave_alone: &BTreeSet<PathBuf>) -> Option<Loaded> {
        let mut news = std::mem::take(&mut self.first);
        let found = files(&self.paths);
        let gone: Vec<PathBuf> = self
            .store
            .paths()
            .filter(|path| !found.contains_key(*path) && !leave_alone.contains(*path))
            .cloned()
            .collect();
        for path in gone {
            self.store.remove(&path);
            self.stamps.remove(&path);
            news = true;
        }
        for (path, stamp) in found {
            let same = self.stamps.get(&path).is_some_and(|earlier| !stamp.differs(earlier));
            if leave_alone.contains(&path) || (same && !touched.contains(&path)) {
                continue;
            }
            let content = std::fs::read(&path);
            news |= self.store.read(&path, content.as_deref().map_err(ToString::to_string));
            self.stamps.insert(path, stamp);
        }
        news.then(|| self.store.loaded())
    }
}

/// Says what is new to say about the files.
fn report(before: Option<&Loaded>, now: &Loaded) {
    for error in now.errors.iter() {
        if !before.is_some_and(|before| before.errors.contains(error)) {
            tracing::error!(target: "files", "{error}; what this file gave before goes on");
        }
    }
    for warning in now.warnings.iter() {
        if !before.is_some_and(|before| before.warnings.contains(warning)) {
            warn!(target: "files", "{warning}");
        }
    }
    let objects = now.origins.len();
    info!(target: "files", objects, errors = now.errors.len(), "read the files");
}
