//! What all watches of the API server have in common: how long one request lasts, and how soon it is tried again.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::time::{Duration, Instant};

use kube::runtime::watcher;

use crate::backoff::Backoff;

/// How long one request watches, in seconds. A connection that died without a word is noticed 5 seconds later.
const WATCH_SECONDS: u32 = 120;
/// After how long without a word a connection is given up: later than a watch gives itself up, which is silent for as
/// long as nothing changes.
pub(crate) const LONGEST_SILENCE: Duration = Duration::from_secs(150);
/// How long to wait before an attempt after the first failure.
const FIRST_RETRY: Duration = Duration::from_millis(100);
/// How long at most: an API server that comes back is noticed that soon.
const LAST_RETRY: Duration = Duration::from_secs(2);
/// After so long without a failure the next one is a first one.
const FORGET: Duration = Duration::from_secs(10);

/// A watch of everything. Whoever wants less says so.
pub(crate) fn config() -> watcher::Config {
    watcher::Config::default().timeout(WATCH_SECONDS)
}

/// How soon a watch that fails is tried again.
#[derive(Debug)]
pub(crate) struct Retries {
    backoff: Backoff,
    failed: Option<Instant>,
}

impl Default for Retries {
    fn default() -> Self {
        Self { backoff: Backoff::new(FIRST_RETRY, LAST_RETRY), failed: None }
    }
}

impl Retries {
    /// How long to wait after a failure at `now`.
    pub(crate) fn wait(&mut self, now: Instant) -> Duration {
        if self.failed.is_none_or(|failed| now.duration_since(failed) > FORGET) {
            self.backoff.reset();
        }
        self.failed = Some(now);
        with_jitter(self.backoff.next_delay())
    }
}

/// Up to half as long again, so that all watches don't knock at once.
fn with_jitter(delay: Duration) -> Duration {
    // The keys of a hasher are the randomness the standard library has.
    let random = RandomState::new().hash_one(()) % 1000;
    let share = u32::try_from(random).unwrap_or_default();
    delay + delay * share / 2000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_comes_back_after_an_outage_is_noticed_within_three_seconds() {
        let (mut retries, mut now) = (Retries::default(), Instant::now());
        for _ in 0..100 {
            let wait = retries.wait(now);
            assert!(wait <= LAST_RETRY + LAST_RETRY / 2, "{wait:?}");
            now += wait;
        }
        let wait = retries.wait(now + 2 * FORGET);
        assert!(wait <= FIRST_RETRY + FIRST_RETRY / 2, "{wait:?}");
    }
}
