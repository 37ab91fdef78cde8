//! Whose status is to be looked at next, without IO or clock: each object once, again when it was asked for meanwhile,
//! later when it failed or was only just written, and nothing at all while the API server is in trouble.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

use gateway_shared::gatewayapi::subjects::Subject;

use crate::backoff::Backoff;

/// How long an object that failed waits at first.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// How long it waits at most.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// How long everyone waits at first when the API server is in trouble.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// How long everyone waits at most: a server that comes back is caught up with soon.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// How long an object that was written rests at first: a Gateway whose routes come one by one isn't written for each.
const FIRST_REST: Duration = Duration::from_millis(100);
/// How long it rests at most when it changes all the time.
const LONGEST_REST: Duration = Duration::from_secs(1);
/// How many rests are kept before those that are over are forgotten.
const KEPT_RESTS: usize = 256;

/// What came of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The object is as it should be, and was before.
    Settled,
    /// The object is as it should be now.
    Written,
    /// This object failed; others may go on.
    Failed,
    /// The API server is overloaded or away: nobody need try now.
    ServerTrouble,
}

/// The objects that are to be looked at.
#[derive(Debug)]
pub(super) struct Queue {
    ready: VecDeque<Subject>,
    /// What is in `ready`.
    queued: HashSet<Subject>,
    /// What is being worked on, and whether it was asked for again meanwhile.
    running: HashMap<Subject, bool>,
    /// What failed or rests and was asked for, with the time of the next attempt.
    waiting: HashMap<Subject, Instant>,
    rests: HashMap<Subject, Rest>,
    backoffs: HashMap<Subject, Backoff>,
    paused_until: Option<Instant>,
    pause: Backoff,
}

/// An object that was written is left alone for a while.
#[derive(Clone, Copy, Debug)]
struct Rest {
    until: Instant,
    length: Duration,
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            ready: VecDeque::new(),
            queued: HashSet::new(),
            running: HashMap::new(),
            waiting: HashMap::new(),
            rests: HashMap::new(),
            backoffs: HashMap::new(),
            paused_until: None,
            pause: Backoff::new(FIRST_PAUSE, LONGEST_PAUSE),
        }
    }
}

impl Queue {
    /// Asks for an object. One that waits goes on waiting.
    pub(super) fn push(&mut self, subject: Subject) {
        if let Some(again) = self.running.get_mut(&subject) {
            *again = true;
        } else if !self.waiting.contains_key(&subject) && self.queued.insert(subject.clone()) {
            self.ready.push_back(subject);
        }
    }

    /// Takes the next object that may be worked on at `now`.
    pub(super) fn next(&mut self, now: Instant) -> Option<Subject> {
        if self.paused_until.is_some_and(|until| until > now) {
            return None;
        }
        self.paused_until = None;
        let due: Vec<Subject> =
            self.waiting.iter().filter(|(_, until)| **until <= now).map(|(subject, _)| subject.clone()).collect();
        for subject in due {
            self.waiting.remove(&subject);
            self.push(subject);
        }
        loop {
            let subject = self.ready.pop_front()?;
            self.queued.remove(&subject);
            match self.rests.get(&subject).filter(|rest| rest.until > now) {
                Some(rest) => drop(self.waiting.insert(subject, rest.until)),
                None => {
                    self.running.insert(subject.clone(), false);
                    return Some(subject);
                }
            }
        }
    }

    /// Notes at `now` what came of an object that was taken.
    pub(super) fn done(&mut self, subject: Subject, end: End, now: Instant) {
        let again = self.running.remove(&subject).unwrap_or(false);
        match end {
            End::Settled | End::Written => {
                self.backoffs.remove(&subject);
                self.pause.reset();
                if end == End::Written {
                    self.rest(subject.clone(), now);
                }
                if again {
                    self.push(subject);
                }
            }
            End::Failed => {
                let backoff = self.backoffs.entry(subject.clone());
                let wait = backoff.or_insert_with(|| Backoff::new(FIRST_WAIT, LONGEST_WAIT)).next_delay();
                self.waiting.insert(subject, now + wait);
            }
            End::ServerTrouble => {
                // Several that were on their way fail together: that is one trouble.
                if self.paused_until.is_none_or(|until| until <= now) {
                    self.paused_until = Some(now + self.pause.next_delay());
                }
                self.push(subject);
            }
        }
    }

    /// Leaves an object alone for a while; for longer where the last rest is only just over.
    fn rest(&mut self, subject: Subject, now: Instant) {
        let fresh = |rest: &Rest| now < rest.until + rest.length;
        let length = match self.rests.get(&subject).filter(|rest| fresh(rest)) {
            Some(last) => last.length.saturating_mul(2).min(LONGEST_REST),
            None => FIRST_REST,
        };
        if self.rests.len() >= KEPT_RESTS {
            self.rests.retain(|_, rest| fresh(rest));
        }
        self.rests.insert(subject, Rest { until: now + length, length });
    }

    /// When there may be something to do although nothing happens until then.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        let paused = self.paused_until.filter(|_| !self.ready.is_empty());
        let waiting = self.waiting.values().min().copied();
        match (paused, waiting) {
            (Some(paused), Some(waiting)) => Some(paused.min(waiting)),
            (paused, waiting) => paused.or(waiting),
        }
    }
}

#[cfg(test)]
mod tests {
    use gateway_shared::api::metadata::ObjectKey;
    use gateway_shared::gatewayapi::subjects::SubjectKind;

    use super::*;

    fn subject(name: &str) -> Subject {
        Subject::new(SubjectKind::Gateway, ObjectKey::new("infra", name))
    }

    fn pushed(names: &[&str]) -> Queue {
        let mut queue = Queue::default();
        names.iter().for_each(|name| queue.push(subject(name)));
        queue
    }

    #[test]
    fn each_object_is_taken_once_in_the_order_it_was_asked_for() {
        let now = Instant::now();
        let mut queue = pushed(&["a", "b", "a"]);
        assert_eq!(queue.next(now), Some(subject("a")));
        assert_eq!(queue.next(now), Some(subject("b")));
        assert_eq!(queue.next(now), None);
    }

    #[test]
    fn what_is_asked_for_while_it_runs_runs_again_and_never_twice_at_once() {
        let now = Instant::now();
        let mut queue = pushed(&["a"]);
        queue.next(now);
        queue.push(subject("a"));
        queue.push(subject("a"));
        assert_eq!(queue.next(now), None);
        queue.done(subject("a"), End::Settled, now);
        assert_eq!(queue.next(now), Some(subject("a")));
        queue.done(subject("a"), End::Settled, now);
        assert_eq!((queue.next(now), queue.wake_at()), (None, None));
    }

    #[test]
    fn an_object_that_fails_waits_longer_each_time_and_holds_up_nobody() {
        let start = Instant::now();
        let mut queue = pushed(&["a", "b"]);
        queue.next(start);
        queue.done(subject("a"), End::Failed, start);
        queue.push(subject("a"));
        assert_eq!(queue.next(start), Some(subject("b")));
        assert_eq!(queue.next(start + FIRST_WAIT / 2), None);
        let second = queue.wake_at().unwrap();
        assert_eq!(second, start + FIRST_WAIT);
        assert_eq!(queue.next(second), Some(subject("a")));
        queue.done(subject("a"), End::Failed, second);
        assert_eq!(queue.wake_at(), Some(second + 2 * FIRST_WAIT));
        let third = second + 2 * FIRST_WAIT;
        queue.next(third);
        queue.done(subject("a"), End::Settled, third);
        assert_eq!(queue.wake_at(), None);
    }

    #[test]
    fn a_server_in_trouble_is_left_alone_for_a_while() {
        let start = Instant::now();
        let mut queue = pushed(&["a", "b", "c"]);
        queue.next(start);
        queue.next(start);
        queue.done(subject("a"), End::ServerTrouble, start);
        queue.done(subject("b"), End::ServerTrouble, start);
        assert_eq!(queue.next(start), None);
        assert_eq!(queue.wake_at(), Some(start + FIRST_PAUSE), "two failures at once are one trouble");
        let later = start + FIRST_PAUSE;
        let order: Vec<_> = std::iter::from_fn(|| queue.next(later)).collect();
        assert_eq!(order, [subject("c"), subject("a"), subject("b")]);
        queue.done(subject("c"), End::ServerTrouble, later);
        assert_eq!(queue.wake_at(), Some(later + 2 * FIRST_PAUSE));
    }

    #[test]
    fn what_was_just_written_rests_and_is_written_again_with_all_that_came_meanwhile() {
        let start = Instant::now();
        let mut queue = pushed(&["a"]);
        queue.next(start);
        queue.done(subject("a"), End::Written, start);
        let mut now = start;
        for rest in [FIRST_REST, 2 * FIRST_REST, 4 * FIRST_REST] {
            queue.push(subject("a"));
            assert_eq!(queue.next(now), None);
            queue.push(subject("a"));
            assert_eq!(queue.wake_at(), Some(now + rest));
            now += rest;
            assert_eq!(queue.next(now), Some(subject("a")));
            queue.done(subject("a"), End::Written, now);
        }
        // One that was quiet for long starts anew.
        now += 10 * LONGEST_REST;
        queue.push(subject("a"));
        assert_eq!(queue.next(now), Some(subject("a")));
        queue.done(subject("a"), End::Written, now);
        queue.push(subject("a"));
        assert_eq!((queue.next(now), queue.wake_at()), (None, Some(now + FIRST_REST)));
    }
}
