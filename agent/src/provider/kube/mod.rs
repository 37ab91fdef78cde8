//! Objects from a cluster: every kind is watched, and every change becomes a new set of objects.
//!
//! `registry` says what is watched, `discovery` which of it there is, `supervisor` keeps a `watch` running for each;
//! `decode` reads objects, `store` makes one set of them, `publish` hands it on.

mod decode;
mod discovery;
mod health;
mod publish;
mod raw;
mod registry;
mod seen;
mod store;
mod supervisor;
mod watch;

use std::sync::Arc;

use gateway_shared::api::envoy_gateway::EnvoyGateway;
use gateway_shared::api::label_selector::LabelSelector;
use kube::Client;
use tokio::sync::mpsc;
use tokio::sync::watch::{Receiver, channel};
use tokio_util::sync::CancellationToken;

pub use seen::{Seen, SeenChanges, SeenObject};

use super::Loaded;
use store::Store;
use supervisor::Supervisor;

/// How many events wait for the store at most; watches wait then, and the API server with them.
const QUEUE: usize = 256;

/// What is watched.
#[derive(Clone, Debug)]
pub struct WatchSettings {
    /// The configuration file, for controller name, watched namespaces and feature gates.
    pub file: Arc<EnvoyGateway>,
    /// The namespace the control plane runs in.
    pub controller_namespace: String,
}

impl WatchSettings {
    /// The namespaces that are named, and the labels they are to have.
    fn scope(&self) -> (Vec<Arc<str>>, Option<LabelSelector>) {
        let namespaces = self.file.watched_namespaces().iter().map(|name| Arc::from(name.as_str()));
        (namespaces.collect(), self.file.watched_labels().cloned())
    }
}

/// Watches until `stop`. The first value is there when every kind that exists has been listed once; then each change,
/// or burst of changes, is one. What translation doesn't need of objects goes into `seen`.
pub fn start(
    client: Client,
    settings: WatchSettings,
    seen: Seen,
    stop: CancellationToken,
) -> Receiver<Option<Arc<Loaded>>> {
    let (sender, receiver) = channel(None);
    let (events, inbox) = mpsc::channel(QUEUE);
    let (namespaces, selector) = settings.scope();
    let store = Store::new(selector, &settings.controller_namespace, seen.clone());
    tokio::spawn(publish::run(inbox, store, sender, stop.clone()));
    tokio::spawn(Supervisor::new(client, namespaces, seen, events).run(stop));
    receiver
}

#[cfg(test)]
mod rights;
#[cfg(test)]
mod tests;
