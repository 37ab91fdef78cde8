//! Objects from a cluster: every kind is watched, and every change becomes a new set of objects.

mod seen;

use std::sync::Arc;

use gateway_shared::api::envoy_gateway::EnvoyGateway;
use kube::Client;
use tokio::sync::watch::{Receiver, channel};
use tokio_util::sync::CancellationToken;

pub use seen::{Seen, SeenObject};

use super::Loaded;

/// What is watched.
#[derive(Clone, Debug)]
pub struct WatchSettings {
    /// The configuration file, for controller name, watched namespaces and feature gates.
    pub file: Arc<EnvoyGateway>,
    /// The namespace the control plane runs in.
    pub controller_namespace: String,
}

/// Watches until `stop`. The first value is there when every kind that exists has been listed once; then each change,
/// or burst of changes, is one. What translation doesn't need of objects goes into `seen`.
pub fn start(
    client: Client,
    settings: WatchSettings,
    seen: Seen,
    stop: CancellationToken,
) -> Receiver<Option<Arc<Loaded>>> {
    let _ = (client, settings, seen, stop);
    let (sender, receiver) = channel(None);
    drop(sender);
    receiver
}
