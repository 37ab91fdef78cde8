//! An HTTP client that tells exactly what came back, over plain connections and TLS.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use http_body_util::{BodyExt as _, Empty};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

/// How long one request may take.
const LIMIT: Duration = Duration::from_secs(20);

/// What to ask.
#[derive(Clone, Debug)]
pub struct Ask {
    method: String,
    host: String,
    path: String,
    headers: Vec<(String, String)>,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, as text.
    pub body: String,
}

/// `GET path` of `host`, where `url` is `host/path`.
///
/// # Panics
/// When `url` has no path.
#[must_use]
pub fn get(url: &str) -> Ask {
    let at = url.find('/').expect("a URL is host/path");
    let (host, path) = url.split_at(at);
    Ask { method: "GET".to_owned(), host: host.to_owned(), path: path.to_owned(), headers: Vec::new() }
}

impl Ask {
    /// With another method.
    #[must_use]
    pub fn method(mut self, method: &str) -> Self {
        method.clone_into(&mut self.method);
        self
    }

    /// With one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Asks on a connection of its own.
    ///
    /// # Errors
    /// When no whole answer comes.
    pub async fn of(&self, port: u16) -> anyhow::Result<Answer> {
        self.at(loopback(port)).await
    }

    /// Asks on a connection of its own to that address.
    ///
    /// # Errors
    /// When no whole answer comes.
    pub async fn at(&self, address: SocketAddr) -> anyhow::Result<Answer> {
        Connection::open(address).await?.send(self).await
    }

    /// Asks over TLS, with the host as server name, and trusting what `config` trusts.
    ///
    /// # Errors
    /// When the certificate isn't good for the host, or no whole answer comes.
    pub async fn over_tls(&self, port: u16, config: Arc<ClientConfig>) -> anyhow::Result<Answer> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.context("connect")?;
        let name = ServerName::try_from(self.host.clone()).context("the host is no server name")?;
        let stream = TlsConnector::from(config).connect(name, stream).await.context("TLS handshake")?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await.context("HTTP handshake")?;
        tokio::spawn(connection);
        Connection { sender }.send(self).await
    }
}

/// That port on loopback.
#[must_use]
pub fn loopback(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

/// One connection, for many requests one after the other.
#[derive(Debug)]
pub struct Connection {
    sender: SendRequest<Empty<Bytes>>,
}

impl Connection {
    /// Opens one.
    ///
    /// # Errors
    /// When nobody listens there.
    pub async fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let connect = tokio::time::timeout(LIMIT, TcpStream::connect(address));
        let stream = connect.await.map_err(|_| anyhow!("no connection within {LIMIT:?}"))?.context("connect")?;
        stream.set_nodelay(true).context("TCP_NODELAY")?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await.context("HTTP handshake")?;
        tokio::spawn(connection);
        Ok(Self { sender })
    }

    /// Whether the other side has closed it, so that no request may be sent on it any more.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// Sends one request and waits for the whole answer.
    ///
    /// # Errors
    /// When no whole answer comes.
    pub async fn send(&mut self, ask: &Ask) -> anyhow::Result<Answer> {
        tokio::time::timeout(LIMIT, self.exchange(ask)).await.map_err(|_| anyhow!("no answer within {LIMIT:?}"))?
    }

    async fn exchange(&mut self, ask: &Ask) -> anyhow::Result<Answer> {
        self.sender.ready().await.context("wait for the connection")?;
        let Ask { method, host, path, headers } = ask;
        let mut request = hyper::Request::builder().method(method.as_str()).uri(path).header("host", host);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let response = self.sender.send_request(request.body(Empty::new())?).await.context("send the request")?;
        let (head, body) = response.into_parts();
        let body = body.collect().await.context("read the body")?.to_bytes();
        let header = |(name, value): (&hyper::header::HeaderName, &hyper::header::HeaderValue)| {
            (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        Ok(Answer {
            status: head.status.as_u16(),
            headers: head.headers.iter().map(header).collect(),
            body: String::from_utf8_lossy(&body).into_owned(),
        })
    }
}

impl Answer {
    /// The first value of a header (name in lower case).
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// One thing the backend says it was asked (see [`crate::echo::serve`]); null where no backend of ours answered.
    #[must_use]
    pub fn asked(&self, what: &str) -> Value {
        let echo: Value = serde_json::from_str(&self.body).unwrap_or_default();
        echo.get(what).cloned().unwrap_or_default()
    }

    /// Which backend answered, or which pod of the conformance suite's echo server; empty for neither.
    #[must_use]
    pub fn backend(&self) -> String {
        let named = self.asked("backend").as_str().map(str::to_owned);
        named.or_else(|| Some(self.asked("pod").as_str()?.to_owned())).unwrap_or_default()
    }

    /// A header as the backend saw it, values joined by a comma; `None` where it saw none.
    #[must_use]
    pub fn seen_header(&self, name: &str) -> Option<String> {
        let headers = self.asked("headers");
        let values = headers.get(name)?.as_array()?.iter().filter_map(Value::as_str);
        Some(values.collect::<Vec<_>>().join(","))
    }
}
