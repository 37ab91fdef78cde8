//! How long to wait before the next attempt: twice as long each time, up to a limit.

use std::time::Duration;

/// An exponential backoff.
#[derive(Clone, Debug)]
pub struct Backoff {
    first: Duration,
    limit: Duration,
    next: Duration,
}

impl Backoff {
    /// A backoff that begins with `first` and never exceeds `limit`.
    #[must_use]
    pub const fn new(first: Duration, limit: Duration) -> Self {
        Self { first, limit, next: first }
    }

    /// How long to wait now.
    pub fn next_delay(&mut self) -> Duration {
        let delay = self.next;
        self.next = self.next.saturating_mul(2).min(self.limit);
        delay
    }

    /// Begins again: the last attempt went well.
    pub const fn reset(&mut self) {
        self.next = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_doubles_up_to_its_limit_and_begins_again() {
        let mut backoff = Backoff::new(Duration::from_millis(200), Duration::from_millis(500));
        let delays: Vec<u128> = (0..4).map(|_| backoff.next_delay().as_millis()).collect();
        assert_eq!(delays, [200, 400, 500, 500]);
        backoff.reset();
        assert_eq!(backoff.next_delay().as_millis(), 200);
    }
}
