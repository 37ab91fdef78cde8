//! The xDS server on the network: TLS, and whose certificate is asked for.

use std::path::PathBuf;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::metrics::XdsMetrics;
use super::service::XdsServer;
use crate::tls::incoming::{incoming, open};
use crate::tls::material::{MaterialError, Peers, keep_fresh};

/// How the xDS server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// In plain text, by Envoys on this machine.
    Plain,
    /// Encrypted, with the certificate in a directory.
    Tls {
        /// The directory with `tls.crt`, `tls.key` and `ca.crt`.
        certificates: PathBuf,
        /// Whose certificates are asked for.
        proxies: Proxies,
    },
}

impl Transport {
    /// How proxies prove who they are; `None` where they don't.
    #[must_use]
    pub const fn proxies(&self) -> Option<Proxies> {
        match self {
            Self::Plain => None,
            Self::Tls { certificates: _, proxies } => Some(*proxies),
        }
    }
}

/// How a proxy proves who it is on an encrypted connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proxies {
    /// With a certificate of our authority.
    ShowCertificates,
    /// With the token of its service account, on each stream.
    SendTokens,
}

/// Serves until `stop`.
///
/// # Errors
/// When the certificates can't be used as they are now.
pub fn serve(
    server: XdsServer,
    listener: TcpListener,
    transport: Transport,
    metrics: XdsMetrics,
    tasks: &TaskTracker,
    stop: &CancellationToken,
) -> Result<(), MaterialError> {
    let ended = stop.clone();
    match transport {
        Transport::Plain => {
            tasks.spawn(async move { report(server.serve(listener, ended.cancelled_owned()).await) });
        }
        Transport::Tls { certificates, proxies } => {
            let peers = match proxies {
                Proxies::ShowCertificates => Peers::OfOurAuthority,
                Proxies::SendTokens => Peers::Anyone,
            };
            let (current, refresh) = keep_fresh(certificates, watch::channel(peers).1, stop.clone())?;
            tasks.spawn(refresh);
            let connections = incoming(listener, open(current), move || metrics.handshake_failed(), stop.clone());
            tasks.spawn(async move { report(server.serve_connections(connections, ended.cancelled_owned()).await) });
        }
    }
    Ok(())
}

fn report(served: Result<(), tonic::transport::Error>) {
    if let Err(error) = served {
        tracing::error!(%error, "the xDS server failed");
    }
}
