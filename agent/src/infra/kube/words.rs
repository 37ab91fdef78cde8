//! What the API server's refusals are called: what happened to which object, why, and what to do.

use kube::core::Status;

use super::kinds::Id;

/// How it is said that an object could not be `done` (applied, deleted, looked up).
pub(super) fn refused(id: &Id, done: &str, error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) => format!("{id} can't be {done}: {}{}", said(status), remedy(id, status)),
        other => format!("{id} can't be {done}: the API server gives no answer ({other}); it is tried again"),
    }
}

fn said(status: &Status) -> &str {
    if status.message.is_empty() { &status.reason } else { &status.message }
}

fn remedy(id: &Id, status: &Status) -> String {
    match status.code {
        403 if status.message.contains("being terminated") => {
            format!(". The namespace {} is being deleted; its Gateways go with it", id.namespace)
        }
        403 if status.message.contains("quota") => format!(". Raise the quota of the namespace {}", id.namespace),
        401 | 403 => ". Give the agent's ServiceAccount the right to do so: `kubectl gateway install` does".to_owned(),
        404 => format!(". Make the namespace {}, or delete its Gateways", id.namespace),
        409 => ". It was changed at the same time; it is tried again".to_owned(),
        422 if status.message.contains("immutable") || status.message.contains("may not change") => {
            format!(". The field can't be changed: delete {id}, and it is made anew")
        }
        400 | 422 | 500 => ". Correct what the EnvoyProxy or the Gateway asks for".to_owned(),
        _ => "; it is tried again".to_owned(),
    }
}

/// How it is said that we don't see objects of a kind.
pub(super) fn unseen(what: &str, error: &kube::runtime::watcher::Error) -> String {
    format!(
        "the agent can't watch {what}, so fleets stay as they are: {error}. If it lacks the right to, \
         `kubectl gateway install` gives it"
    )
}
