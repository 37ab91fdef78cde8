//! From events to sets of objects: the first change goes out at once, bursts go out as one, and nobody waits for quiet.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use super::store::{Event, Store};
use crate::provider::Loaded;

/// How long changes are gathered after the first: long enough for what comes together, short enough for nobody to notice.
const GATHER: Duration = Duration::from_millis(3);
/// After how long it is said what is being waited for.
const SAY_WHAT_IS_MISSING: Duration = Duration::from_secs(10);

/// Publishes what `store` makes of the events until `stop`. Nothing is published before the store is complete.
pub(super) async fn run(
    mut events: mpsc::Receiver<Event>,
    mut store: Store,
    out: watch::Sender<Option<Arc<Loaded>>>,
    stop: CancellationToken,
) {
    let mut complete = false;
    let mut told = Instant::now() + SAY_WHAT_IS_MISSING;
    loop {
        let event = tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep_until(told), if !complete => {
                say_missing(&store);
                told = Instant::now() + 6 * SAY_WHAT_IS_MISSING;
                continue;
            }
            event = events.recv() => match event {
                Some(event) => event,
                None => return,
            },
        };
        if !store.apply(event) {
            continue;
        }
        let deadline = Instant::now() + GATHER;
        while let Ok(Some(event)) = tokio::time::timeout_at(deadline, events.recv()).await {
            store.apply(event);
            if Instant::now() >= deadline {
                break;
            }
        }
        // A kind that comes later was empty before, so that nobody has to wait for its list.
        if !complete && !store.is_complete() {
            continue;
        }
        let loaded = store.loaded();
        if !std::mem::replace(&mut complete, true) {
            info!(objects = loaded.resources.len(), "every kind has been listed");
        }
        report(out.borrow().as_deref(), &loaded);
        out.send_replace(Some(Arc::new(loaded)));
    }
}

fn say_missing(store: &Store) {
    let missing: Vec<&str> = store.missing().map(|source| source.kind).collect();
    let missing = if missing.is_empty() { "the kinds there are".to_owned() } else { missing.join(", ") };
    warn!("nothing is served yet: still to be listed: {missing}");
}

/// Says what is new to say about the objects.
fn report(before: Option<&Loaded>, now: &Loaded) {
    let before = before.map(|before| &before.errors);
    if before.is_some_and(|before| Arc::ptr_eq(before, &now.errors)) {
        return;
    }
    for finding in now.errors.iter() {
        if !before.is_some_and(|before| before.contains(finding)) {
            error!("{finding}");
        }
    }
}
