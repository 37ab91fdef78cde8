//! Waiting for a condition, and never longer than it takes.

use std::fmt::Debug;
use std::time::{Duration, Instant};

/// How long something may take that is expected at once. Generous: the machine may be busy with other tests.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Asks again and again until the answer is `Ok`, and returns it.
///
/// # Panics
/// When that takes longer than [`PATIENCE`], with the last answer.
pub async fn until<T, E: Debug>(what: &str, mut ask: impl AsyncFnMut() -> Result<T, E>) -> T {
    let start = Instant::now();
    let mut pause = Duration::from_millis(2);
    loop {
        match ask().await {
            Ok(found) => return found,
            Err(last) if start.elapsed() > PATIENCE => panic!("{what}: not after {PATIENCE:?}; last seen: {last:?}"),
            Err(_) => tokio::time::sleep(pause).await,
        }
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}
