//! One HTTP request at a time, for tests and the demo.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// Sends `request` on a connection of its own and returns the whole answer.
///
/// # Errors
/// When there is no answer within five seconds.
pub async fn send(address: SocketAddr, request: Request<Full<Bytes>>) -> anyhow::Result<Response<Bytes>> {
    let exchange = async {
        let stream = TcpStream::connect(address).await?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        let answer = async {
            let (parts, body) = sender.send_request(request).await?.into_parts();
            let body = body.collect().await?.to_bytes();
            drop(sender);
            anyhow::Ok(Response::from_parts(parts, body))
        };
        // The connection's own end is no news once the answer is there.
        let (_, answer) = tokio::join!(connection, answer);
        answer
    };
    tokio::time::timeout(Duration::from_secs(5), exchange).await.context("no answer within 5 s")?
}

/// A GET of `path` for `host`.
///
/// # Errors
/// As [`send`].
pub async fn get(address: SocketAddr, host: &str, path: &str) -> anyhow::Result<Response<Bytes>> {
    send(address, Request::get(path).header("host", host).body(Full::default())?).await
}
