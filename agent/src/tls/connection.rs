//! A connection whose handshake is done, and who is at its other end.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::server::TlsStream;
use tonic::transport::server::Connected;

/// An encrypted connection over any byte stream. gRPC handlers find its [`Peer`] in their request's extensions.
#[derive(Debug)]
pub struct Connection<S> {
    stream: TlsStream<S>,
    peer: Peer,
}

/// Who is at the other end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Where it calls from.
    pub address: SocketAddr,
    /// The certificate it proved to own, checked against the authorities of the handshake.
    pub certificate: Option<CertificateDer<'static>>,
}

impl<S> Connection<S> {
    /// The connection of a finished handshake.
    pub fn new(stream: TlsStream<S>, address: SocketAddr) -> Self {
        let shown = stream.get_ref().1.peer_certificates().and_then(<[_]>::first);
        let peer = Peer { address, certificate: shown.map(|shown| shown.clone().into_owned()) };
        Self { stream, peer }
    }
}

impl<S> Connected for Connection<S> {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        self.peer.clone()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Connection<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Connection<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
