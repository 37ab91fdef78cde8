//! What loops wait for, when what they wait for may never come.

use std::time::Instant;

use tokio::sync::watch::Receiver;

/// Ends when there is another value; never, when nobody is left to send one.
pub(crate) async fn changed<T>(receiver: &mut Receiver<T>) {
    if receiver.changed().await.is_err() {
        std::future::pending().await
    }
}

/// Ends at `at`; never, when that isn't known.
pub(crate) async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}
