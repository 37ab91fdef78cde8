//! The accept loop: each connection is opened on its own, within a time limit, and gives way to newer ones when too many
//! are being opened, so that no peer holds up another.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio_rustls::TlsAcceptor;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;

use super::connection::Connection;
use super::material::Current;

/// How long opening a connection may take, its handshake included.
const OPENING_LIMIT: Duration = Duration::from_secs(10);

/// How many connections may be opened at once. One more drops the oldest: honest peers take milliseconds, and whoever
/// says nothing waits in vain.
pub(super) const OPENINGS: usize = 256;

/// How long to wait when no connection can be accepted at all, such as when files run out.
const PAUSE: Duration = Duration::from_millis(100);

/// Connections that `open` made of those that come in, as a gRPC server takes them. `failed` is told of each of which it
/// made none.
pub fn incoming<C, F>(
    listener: TcpListener,
    open: impl Fn(TcpStream, SocketAddr) -> F + Clone + Send + 'static,
    failed: impl Fn() + Clone + Send + 'static,
    stop: CancellationToken,
) -> ReceiverStream<io::Result<C>>
where
    C: Send + 'static,
    F: Future<Output = Result<C, String>> + Send + 'static,
{
    let (ready, connections) = mpsc::channel(OPENINGS);
    tokio::spawn(async move {
        let mut under_way: VecDeque<AbortHandle> = VecDeque::new();
        loop {
            let accepted = tokio::select! {
                () = stop.cancelled() => return,
                () = ready.closed() => return,
                accepted = listener.accept() => accepted,
            };
            let (stream, address) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::debug!(%error, "a connection could not be accepted");
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            // Small messages go out at once; where that can't be set they go out a little later.
            let _ = stream.set_nodelay(true);
            under_way.retain(|opening| !opening.is_finished());
            if under_way.len() >= OPENINGS
                && let Some(oldest) = under_way.pop_front()
            {
                oldest.abort();
                failed();
            }
            let (opening, ready, failed) = (open(stream, address), ready.clone(), failed.clone());
            let task = tokio::spawn(async move {
                let opened = tokio::time::timeout(OPENING_LIMIT, opening).await;
                let opened =
                    opened.unwrap_or_else(|_| Err(format!("it took longer than {} s", OPENING_LIMIT.as_secs())));
                match opened {
                    Ok(connection) => drop(ready.send(Ok(connection)).await),
                    Err(why) => {
                        tracing::debug!(%address, why, "a connection came to nothing");
                        failed();
                    }
                }
            });
            under_way.push_back(task.abort_handle());
        }
    });
    ReceiverStream::new(connections)
}

/// Opens connections by a handshake alone.
pub fn open(current: Current) -> impl Fn(TcpStream, SocketAddr) -> HandshakeOf<TcpStream> + Clone + Send + 'static {
    move |stream, address| {
        let current = Arc::clone(&current);
        Box::pin(async move { handshake(stream, address, &current).await })
    }
}

/// A handshake under way.
pub type HandshakeOf<S> = Pin<Box<dyn Future<Output = Result<Connection<S>, String>> + Send>>;

/// Shakes hands with who calls on `stream`.
///
/// # Errors
/// Why it came to nothing, in words.
pub async fn handshake<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    address: SocketAddr,
    current: &Current,
) -> Result<Connection<S>, String> {
    let acceptor = TlsAcceptor::from(current.load_full());
    let stream = acceptor.accept(stream).await.map_err(|error| error.to_string())?;
    Ok(Connection::new(stream, address))
}
