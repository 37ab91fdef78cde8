//! How the watches fare, said once when it changes and not with every attempt.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use kube::Error as ClientError;
use kube::runtime::watcher::Error as WatchError;
use tracing::{info, warn};

use super::store::Source;

/// What keeps a watch from going on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// There is no answer from the API server.
    Unreachable(String),
    /// The API server doesn't know the kind: its CRD is gone.
    NoSuchKind,
    /// What the watch goes on from is too old: it has to list everything.
    Expired,
    /// The API server can't stream lists.
    NoStreaming,
    /// We may not.
    Forbidden(String),
    /// The API server can't at the moment: it is too busy, or broken where this kind is concerned.
    Failing(String),
    /// The API server says something else.
    Refused(String),
}

impl Trouble {
    /// What an error of a watch means. `streaming` says whether the watch was to begin with a streamed list.
    pub(super) fn of(error: &WatchError, streaming: bool) -> Self {
        let client = match error {
            WatchError::InitialListFailed(error)
            | WatchError::WatchStartFailed(error)
            | WatchError::WatchFailed(error) => error,
            WatchError::WatchError(status) => return Self::of_status(status.code, &status.message, streaming),
            WatchError::NoResourceVersion => return Self::Refused(error.to_string()),
        };
        Self::of_answer(client, streaming)
    }

    /// What an error of one request means.
    pub(super) fn of_answer(error: &ClientError, streaming: bool) -> Self {
        match error {
            ClientError::Api(status) => Self::of_status(status.code, &status.message, streaming),
            other => Self::Unreachable(cause(other)),
        }
    }

    fn of_status(code: u16, message: &str, streaming: bool) -> Self {
        match code {
            404 => Self::NoSuchKind,
            410 => Self::Expired,
            // 400 and 422 from servers that don't know how, 500 from those whose storage is too old for it.
            400 | 422 | 500 if streaming => Self::NoStreaming,
            401 | 403 => Self::Forbidden(message.to_owned()),
            429 | 500.. => Self::Failing(format!("{message} ({code})")),
            _ => Self::Refused(format!("{message} ({code})")),
        }
    }
}

/// What an error came from in the end: what is around it only says which part of the client passed it on.
fn cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// How all watches fare. Clones speak of the same watches.
#[derive(Clone, Debug, Default)]
pub(super) struct Health(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    unreachable: bool,
    troubles: BTreeMap<Source, Trouble>,
}

impl Health {
    /// The API server doesn't answer. One line for all watches.
    fn unreachable(&self, why: &str) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut state.unreachable, true) {
            warn!("the API server can't be reached: {why}; what is known goes on, and it is tried again and again");
        }
    }

    /// The API server answers.
    fn reached(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut state.unreachable, false) {
            info!("the API server answers again; the watches go on");
        }
    }

    /// A watch can't go on.
    pub(super) fn trouble(&self, source: &Source, trouble: Trouble) {
        if let Trouble::Unreachable(why) = &trouble {
            return self.unreachable(why);
        }
        self.reached();
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = match &trouble {
            // The words may be others at each attempt, and those of one kind share their fate.
            Trouble::Failing(_) => state.is_failing(source.kind),
            trouble => state.troubles.get(source) == Some(trouble),
        };
        if !is_known {
            say(source, &trouble);
        }
        state.troubles.insert(source.clone(), trouble);
    }

    /// A watch goes on.
    pub(super) fn well(&self, source: &Source) {
        self.reached();
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let goes_on = match state.troubles.remove(source) {
            Some(Trouble::Forbidden(_) | Trouble::Refused(_)) => true,
            Some(Trouble::Failing(_)) => !state.is_failing(source.kind),
            Some(Trouble::Unreachable(_) | Trouble::NoSuchKind | Trouble::Expired | Trouble::NoStreaming) | None => {
                false
            }
        };
        if goes_on {
            info!(kind = source.kind, "this watch goes on");
        }
    }
}

impl State {
    fn is_failing(&self, kind: &str) -> bool {
        self.troubles.iter().any(|(source, trouble)| source.kind == kind && matches!(trouble, Trouble::Failing(_)))
    }
}

fn say(source: &Source, trouble: &Trouble) {
    let kind = source.kind;
    let place = source.namespace.as_deref().map_or_else(String::new, |namespace| format!(" in {namespace}"));
    match trouble {
        Trouble::Forbidden(message) => warn!(
            "we may not watch {kind}{place}: {message}; give our service account the verbs get, list and watch of it"
        ),
        Trouble::Failing(message) | Trouble::Refused(message) => warn!(
            "watching {kind}{place} fails: {message}; what is known of it goes on, and it is tried again and again"
        ),
        Trouble::Unreachable(_) | Trouble::NoSuchKind | Trouble::Expired | Trouble::NoStreaming => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_what_to_do_next() {
        for (code, streaming, trouble) in [
            (410, false, Trouble::Expired),
            (404, true, Trouble::NoSuchKind),
            (422, true, Trouble::NoStreaming),
            (500, true, Trouble::NoStreaming),
            (422, false, Trouble::Refused("m (422)".to_owned())),
            (403, true, Trouble::Forbidden("m".to_owned())),
            (500, false, Trouble::Failing("m (500)".to_owned())),
            (503, true, Trouble::Failing("m (503)".to_owned())),
        ] {
            assert_eq!(Trouble::of_status(code, "m", streaming), trouble, "{code}");
        }
    }

    #[test]
    fn a_kind_that_is_broken_makes_nobody_say_that_the_server_is_away_and_comes_back() {
        let health = Health::default();
        let source = |kind, namespace: &str| Source { kind, namespace: Some(namespace.into()) };
        let is_away = || health.0.lock().unwrap().unreachable;
        let is_failing = |kind| health.0.lock().unwrap().is_failing(kind);
        for namespace in ["a", "b"] {
            let trouble = Trouble::of_status(500, "conversion webhook failed", false);
            health.trouble(&source("HTTPRoute", namespace), trouble);
        }
        health.well(&source("Gateway", "a"));
        assert_eq!((is_away(), is_failing("HTTPRoute"), is_failing("Gateway")), (false, true, false));
        health.well(&source("HTTPRoute", "a"));
        assert!(is_failing("HTTPRoute"), "in the other namespace it goes on");
        health.well(&source("HTTPRoute", "b"));
        assert!(!is_failing("HTTPRoute"));
        health.trouble(&source("Gateway", "a"), Trouble::Unreachable("no answer".to_owned()));
        assert!(is_away());
        health.trouble(&source("Gateway", "a"), Trouble::of_status(503, "not yet", false));
        assert_eq!((is_away(), is_failing("Gateway")), (false, true), "that is an answer");
    }
}
