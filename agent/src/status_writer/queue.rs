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
    /// What is being worked on, and whether it was asked for meanwhile.
    running: HashMap<Subject, Asked>,
    /// What failed or rests and was asked for, with the time of the next attempt.
    waiting: HashMap<Subject, Instant>,
    rests: HashMap<Subject, Rest>,
    backoffs: HashMap<Subject, Backoff>,
    paused_until: Option<Instant>,
    pause: Backoff,
}

/// Whether an object was asked for while it was worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    /// It wasn't.
    Not,
    /// It was.
    Again,
    /// It was, since something else is to be said of it.
    Anew,
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
        if let Some(asked) = self.running.get_mut(&subject) {
            *asked = Asked::Again.max(*asked);
        } else if !self.waiting.contains_key(&subject) && self.queued.insert(subject.clone()) {
            self.ready.push_back(subject);
        }
    }

    /// Asks for an object of which something else is to be said than before. Why it failed before says nothing any more:
    /// it doesn't wait for that.
    pub(super) fn push_anew(&mut self, subject: Subject) {
        if let Some(asked) = self.running.get_mut(&subject) {
            *asked = Asked::Anew;
            return;
        }
        self.backoffs.remove(&subject);
        self.waiting.remove(&subject);
        self.push(subject);
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
                    self.running.insert(subject.clone(), Asked::Not);
                    return Some(subject);
                }
            }
        }
    }

    /// Notes at `now` what came of an object that was taken.
    pub(super) fn done(&mut self, subject: Subject, end: End, now: Instant) {
        let asked = self.running.remove(&subject).unwrap_or(Asked::Not);
        match end {
            End::Settled | End::Written => {
                self.backoffs.remove(&subject);
                self.pause.reset();
                if end == End::Written {
                    self.rest(subject.clone(), now);
                }
                if asked != Asked::Not {
                    self.push(subject);
                }
            }
            End::Failed if asked == Asked::Anew => self.push_anew(subject),
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
        let waiting = self.waiting.values().min().copied();
        match self.paused_until {
            Some(paused) if !self.ready.is_empty() => Some(paused),
            Some(paused) => waiting.map(|waiting| waiting.max(paused)),
            None => waiting,
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
    fn nothing_that_is_due_wakes_anybody_during_a_pause() {
        let start = Instant::now();
        let mut queue = pushed(&["a", "b"]);
        queue.next(start);
        queue.done(subject("a"), End::Failed, start);
        let due = start + FIRST_WAIT;
        queue.next(due - FIRST_PAUSE / 2);
        queue.done(subject("b"), End::ServerTrouble, due - FIRST_PAUSE / 2);
        let over = due + FIRST_PAUSE / 2;
        assert_eq!((queue.next(due), queue.wake_at()), (None, Some(over)));
        let order: Vec<_> = std::iter::from_fn(|| queue.next(over)).collect();
        assert_eq!(order, [subject("b"), subject("a")]);
    }

    #[test]
    fn an_object_that_failed_and_of_which_something_else_is_to_be_said_does_not_wait() {
        let start = Instant::now();
        let mut queue = pushed(&["a"]);
        queue.next(start);
        queue.done(subject("a"), End::Failed, start);
        queue.push_anew(subject("a"));
        assert_eq!(queue.next(start), Some(subject("a")));
        queue.push_anew(subject("a"));
        queue.push(subject("a"));
        queue.done(subject("a"), End::Failed, start);
        assert_eq!(queue.next(start), Some(subject("a")), "it was corrected while it was written");
        queue.done(subject("a"), End::Failed, start);
        assert_eq!(queue.wake_at(), Some(start + FIRST_WAIT), "it fails for the first time as it is now");
    }

    #[test]
    fn what_was_just_written_rests_though_something_else_is_to_be_said() {
        let start = Instant::now();
        let mut queue = pushed(&["a"]);
        queue.next(start);
        queue.done(subject("a"), End::Written, start);
        queue.push_anew(subject("a"));
        assert_eq!((queue.next(start), queue.wake_at()), (None, Some(start + FIRST_REST)));
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
