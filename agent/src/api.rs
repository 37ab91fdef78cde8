//! Serving the API for `kubectl gateway`: in plain text on this host, or in a cluster encrypted, to callers it knows.

use std::path::PathBuf;
use std::sync::Arc;

use kube::Client;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use crate::access::{client_authority, tunnel};
use crate::explain_service::ExplainService;
use crate::tls::incoming::incoming;
use crate::tls::material::{MaterialError, Peers, keep_fresh};

/// Serves until `stop`.
///
/// # Errors
/// When the certificates can't be used as they are now.
pub fn serve(
    service: ExplainService,
    listener: TcpListener,
    certificates: Option<PathBuf>,
    client: Option<Client>,
    tasks: &TaskTracker,
    stop: &CancellationToken,
) -> Result<(), MaterialError> {
    let ended = stop.clone().cancelled_owned();
    let server = Server::builder().add_service(service.into_server());
    let Some(directory) = certificates else {
        let connections = TcpIncoming::from(listener);
        tasks.spawn(async move { report(server.serve_with_incoming_shutdown(connections, ended).await) });
        return Ok(());
    };
    let peers = match client {
        Some(client) => {
            let (peers, follow) = client_authority::follow(client, stop.clone());
            tasks.spawn(follow);
            peers
        }
        None => watch::channel(Peers::Anyone).1,
    };
    let (current, refresh) = keep_fresh(directory, peers, stop.clone())?;
    tasks.spawn(refresh);
    let open = move |stream, address| tunnel::open(stream, address, Arc::clone(&current));
    let connections = incoming(listener, open, || {}, stop.clone());
    tasks.spawn(async move { report(server.serve_with_incoming_shutdown(connections, ended).await) });
    Ok(())
}

fn report(served: Result<(), tonic::transport::Error>) {
    if let Err(error) = served {
        tracing::error!(%error, "the API failed");
    }
}
