//! The rules of the Lease, without IO: whose it is, when it may be taken over, and what is written then.
//!
//! They are those of client-go's `leaderelection`, so that an agent and an Envoy Gateway, or two agents, never lead at
//! the same time: clocks of other machines are never compared with ours. A lease is over when the record hasn't changed
//! for its duration by our own clock.

use std::time::{Duration, Instant};

use k8s_openapi::api::coordination::v1::LeaseSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::Timestamp;

/// What a Lease says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// Who holds it; empty when it was given back.
    pub(super) holder: String,
    /// For how long it is good, in seconds.
    pub(super) seconds: i32,
    /// When the holder took it.
    pub(super) acquired: Option<Timestamp>,
    /// When the holder last said it was alive, by its own clock.
    pub(super) renewed: Option<Timestamp>,
    /// How often it went from one holder to another.
    pub(super) transitions: i32,
}

impl Record {
    /// What `spec` says. Strategies of coordinated election are another protocol, which nobody speaks here.
    pub(super) fn read(spec: &LeaseSpec) -> Self {
        let LeaseSpec {
            holder_identity,
            lease_duration_seconds,
            acquire_time,
            renew_time,
            lease_transitions,
            preferred_holder: _,
            strategy: _,
        } = spec;
        Self {
            holder: holder_identity.clone().unwrap_or_default(),
            seconds: lease_duration_seconds.unwrap_or(0),
            acquired: acquire_time.as_ref().map(|time| time.0),
            renewed: renew_time.as_ref().map(|time| time.0),
            transitions: lease_transitions.unwrap_or(0),
        }
    }

    /// Writes itself into a Lease.
    pub(super) fn spec(&self) -> LeaseSpec {
        let Self { holder, seconds, acquired, renewed, transitions } = self;
        LeaseSpec {
            holder_identity: Some(holder.clone()),
            lease_duration_seconds: Some(*seconds),
            acquire_time: acquired.map(MicroTime),
            renew_time: renewed.map(MicroTime),
            lease_transitions: Some(*transitions),
            preferred_holder: None,
            strategy: None,
        }
    }
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// There is no Lease: make it.
    Create(Record),
    /// The lease is ours, or nobody's any more: write this, if the Lease is still the one that was read.
    Update(Record),
    /// Somebody else holds it.
    Wait,
}

/// One who would lead, and what it has seen of the Lease.
#[derive(Debug)]
pub(super) struct Elector {
    identity: String,
    seconds: i32,
    seen: Option<(Record, Instant)>,
}

impl Elector {
    /// Somebody who has seen nothing yet.
    pub(super) fn new(identity: &str, duration: Duration) -> Self {
        let seconds = i32::try_from(duration.as_secs()).unwrap_or(i32::MAX).max(1);
        Self { identity: identity.to_owned(), seconds, seen: None }
    }

    /// Whether the lease was ours when we last looked.
    pub(super) fn holds(&self) -> bool {
        self.seen.as_ref().is_some_and(|(record, _)| record.holder == self.identity)
    }

    /// Who held it when we last looked.
    pub(super) fn holder(&self) -> Option<&str> {
        self.seen.as_ref().map(|(record, _)| record.holder.as_str()).filter(|holder| !holder.is_empty())
    }

    /// What is to be done about the Lease that was `found` at `now`; `wall` is what a watch on the wall says then.
    pub(super) fn next(&mut self, found: Option<Record>, now: Instant, wall: Timestamp) -> Step {
        let Some(found) = found else {
            self.seen = None;
            return Step::Create(self.claim(wall, wall, 0));
        };
        if self.seen.as_ref().is_none_or(|(seen, _)| *seen != found) {
            self.seen = Some((found.clone(), now));
        }
        let since = self.seen.as_ref().map_or(now, |(_, since)| *since);
        let good_for = Duration::from_secs(u64::try_from(found.seconds).unwrap_or(0));
        if found.holder == self.identity {
            Step::Update(self.claim(found.acquired.unwrap_or(wall), wall, found.transitions))
        } else if found.holder.is_empty() || now.duration_since(since) >= good_for {
            Step::Update(self.claim(wall, wall, found.transitions.saturating_add(1)))
        } else {
            Step::Wait
        }
    }

    /// What is written to keep the lease without looking at it first; `None` when it isn't ours.
    pub(super) fn renewal(&self, wall: Timestamp) -> Option<Record> {
        let (record, _) = self.seen.as_ref().filter(|_| self.holds())?;
        Some(self.claim(record.acquired.unwrap_or(wall), wall, record.transitions))
    }

    /// Notes that `record` was written at `now`.
    pub(super) fn wrote(&mut self, record: Record, now: Instant) {
        self.seen = Some((record, now));
    }

    /// What is written to give the lease back; `None` when it isn't ours.
    pub(super) fn release(&self, wall: Timestamp) -> Option<Record> {
        let (record, _) = self.seen.as_ref().filter(|_| self.holds())?;
        Some(Record {
            holder: String::new(),
            seconds: 1,
            acquired: Some(wall),
            renewed: Some(wall),
            transitions: record.transitions,
        })
    }

    fn claim(&self, acquired: Timestamp, renewed: Timestamp, transitions: i32) -> Record {
        Record {
            holder: self.identity.clone(),
            seconds: self.seconds,
            acquired: Some(acquired),
            renewed: Some(renewed),
            transitions,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DURATION: Duration = Duration::from_secs(15);

    fn wall(second: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + second).unwrap()
    }

    fn record(holder: &str, renewed: i64, transitions: i32) -> Record {
        Record {
            holder: holder.to_owned(),
            seconds: 15,
            acquired: Some(wall(0)),
            renewed: Some(wall(renewed)),
            transitions,
        }
    }

    #[test]
    fn the_first_one_makes_the_lease() {
        let mut elector = Elector::new("a", DURATION);
        let Step::Create(made) = elector.next(None, Instant::now(), wall(0)) else { panic!("not made") };
        assert_eq!(made, record("a", 0, 0));
        assert!(!elector.holds(), "nothing was written yet");
        elector.wrote(made, Instant::now());
        assert!(elector.holds());
    }

    #[test]
    fn a_lease_is_taken_when_it_has_not_changed_for_its_duration_by_our_clock() {
        let (mut elector, start) = (Elector::new("b", DURATION), Instant::now());
        let after = |seconds| start + Duration::from_secs(seconds);
        // Its holder's clock is hours behind: that says nothing.
        assert_eq!(elector.next(Some(record("a", -9_999, 3)), start, wall(0)), Step::Wait);
        assert_eq!(elector.next(Some(record("a", -9_999, 3)), after(14), wall(14)), Step::Wait);
        // It is alive.
        assert_eq!(elector.next(Some(record("a", -9_990, 3)), after(14), wall(14)), Step::Wait);
        assert_eq!(elector.next(Some(record("a", -9_990, 3)), after(28), wall(28)), Step::Wait);
        let taken = Record { acquired: Some(wall(29)), ..record("b", 29, 4) };
        assert_eq!(elector.next(Some(record("a", -9_990, 3)), after(29), wall(29)), Step::Update(taken));
    }

    #[test]
    fn the_duration_that_counts_is_the_holders() {
        let (mut elector, start) = (Elector::new("b", DURATION), Instant::now());
        let long = Record { seconds: 60, ..record("a", 0, 0) };
        assert_eq!(elector.next(Some(long.clone()), start, wall(0)), Step::Wait);
        assert_eq!(elector.next(Some(long), start + Duration::from_secs(59), wall(59)), Step::Wait);
    }

    #[test]
    fn a_lease_that_was_given_back_is_taken_at_once() {
        let mut elector = Elector::new("b", DURATION);
        let Step::Update(taken) = elector.next(Some(record("", 0, 1)), Instant::now(), wall(5)) else {
            panic!("not taken")
        };
        assert_eq!((taken.holder.as_str(), taken.transitions), ("b", 2));
    }

    #[test]
    fn the_holder_keeps_what_it_has() {
        let mut elector = Elector::new("a", DURATION);
        assert_eq!(elector.renewal(wall(1)), None);
        assert_eq!(
            elector.next(Some(record("a", 0, 7)), Instant::now(), wall(9)),
            Step::Update(record("a", 9, 7)),
            "a container that starts again in its pod goes on"
        );
        elector.wrote(record("a", 9, 7), Instant::now());
        assert_eq!(elector.renewal(wall(11)), Some(record("a", 11, 7)));
    }

    #[test]
    fn whoever_finds_another_holder_leads_no_more() {
        let mut elector = Elector::new("a", DURATION);
        elector.wrote(record("a", 0, 0), Instant::now());
        assert_eq!(elector.next(Some(record("b", 1, 1)), Instant::now(), wall(1)), Step::Wait);
        assert!(!elector.holds());
        assert_eq!((elector.renewal(wall(2)), elector.release(wall(2))), (None, None));
        assert_eq!(elector.holder(), Some("b"));
    }

    #[test]
    fn giving_back_leaves_nobody_as_holder() {
        let mut elector = Elector::new("a", DURATION);
        elector.wrote(record("a", 0, 4), Instant::now());
        let given = elector.release(wall(3)).unwrap();
        assert_eq!((given.holder.as_str(), given.seconds, given.transitions), ("", 1, 4));
    }

    #[test]
    fn a_record_survives_being_written() {
        let written = record("a", 3, 2);
        assert_eq!(Record::read(&written.spec()), written);
    }
}
