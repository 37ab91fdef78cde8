//! How callers reach the API in a cluster: encrypted from end to end, directly (through a forwarded port) or inside an
//! upgraded HTTP connection, which is what the API server's proxy lets through.
//!
//! Between caller and agent stands the API server, and behind it a network. Neither needs to be trusted with what proves
//! who a caller is: TLS ends in this process, with a certificate the caller checks, on either way.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, UPGRADE};
use hyper::service::service_fn;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper::{HeaderMap, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

use crate::tls::connection::Connection;
use crate::tls::incoming::handshake;
use crate::tls::material::Current;

/// The protocol an HTTP connection is upgraded to.
pub const PROTOCOL: &str = "gateway-agent";

/// The first byte of a TLS connection.
const TLS_HANDSHAKE: u8 = 0x16;

/// Bytes in both directions.
pub trait Bidirectional: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Bidirectional for S {}

/// A connection to the API, whichever way it came.
pub type ApiConnection = Connection<Box<dyn Bidirectional>>;

/// Opens the encrypted connection on `stream`.
///
/// # Errors
/// Why there is none, in words.
pub async fn open(stream: TcpStream, address: SocketAddr, current: Current) -> Result<ApiConnection, String> {
    let mut first = [0];
    let inner: Box<dyn Bidirectional> = match stream.peek(&mut first).await {
        Ok(1) if first == [TLS_HANDSHAKE] => Box::new(stream),
        Ok(1) => Box::new(TokioIo::new(upgraded(stream).await?)),
        Ok(_) => return Err("it was closed at once".to_owned()),
        Err(error) => return Err(error.to_string()),
    };
    handshake(inner, address, &current).await
}

/// Answers HTTP until the connection is upgraded.
async fn upgraded(stream: TcpStream) -> Result<Upgraded, String> {
    let (sender, asked) = oneshot::channel::<OnUpgrade>();
    let sender = Mutex::new(Some(sender));
    let service = service_fn(move |mut request: Request<Incoming>| {
        let upgrade = wants_tunnel(request.headers()).then(|| hyper::upgrade::on(&mut request));
        let taken = upgrade.and_then(|upgrade| {
            let sender = sender.lock().unwrap_or_else(PoisonError::into_inner).take()?;
            sender.send(upgrade).ok()
        });
        std::future::ready(Ok::<_, Infallible>(answer(taken.is_some())))
    });
    let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    // It ends with the upgrade, with the connection, or when nobody waits for it any more.
    let _serving = AbortOnDropHandle::new(tokio::spawn(connection.with_upgrades()));
    let upgrade = asked.await.map_err(|_| "it spoke HTTP and asked for no tunnel".to_owned())?;
    upgrade.await.map_err(|error| error.to_string())
}

fn wants_tunnel(headers: &HeaderMap) -> bool {
    let has = |name, word: &str| {
        let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).any(|value| value.trim().eq_ignore_ascii_case(word))
    };
    has(UPGRADE, PROTOCOL) && has(CONNECTION, "upgrade")
}

fn answer(tunnel: bool) -> Response<Full<Bytes>> {
    let text = if tunnel { "" } else { "`kubectl gateway` talks with this port\n" };
    let mut answer = Response::new(Full::new(Bytes::from_static(text.as_bytes())));
    if tunnel {
        *answer.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        answer.headers_mut().insert(CONNECTION, hyper::header::HeaderValue::from_static("Upgrade"));
        answer.headers_mut().insert(UPGRADE, hyper::header::HeaderValue::from_static(PROTOCOL));
    } else {
        *answer.status_mut() = StatusCode::NOT_FOUND;
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tunnel_has_to_be_asked_for_by_name() {
        let headers = |upgrade: &'static str, connection: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(UPGRADE, upgrade.parse().unwrap());
            headers.insert(CONNECTION, connection.parse().unwrap());
            headers
        };
        assert!(wants_tunnel(&headers("gateway-agent", "keep-alive, Upgrade")));
        assert!(!wants_tunnel(&headers("websocket", "Upgrade")));
        assert!(!wants_tunnel(&headers("gateway-agent", "close")));
        assert!(!wants_tunnel(&HeaderMap::new()));
    }
}
