//! Asking one Envoy's admin interface: plain HTTP on loopback, every request with its own time limit.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::header::HOST;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

/// The most that is read of one answer, in bytes. A configuration of 20,000 routes is about 60 MB of JSON.
const ANSWER_LIMIT: usize = 256 * 1024 * 1024;

/// One Envoy's admin interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdminClient {
    address: SocketAddr,
    time_limit: Duration,
}

/// Why an admin interface gave no usable answer.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// It could not be reached or broke off.
    #[error("Envoy's admin interface at {address} gave no answer to {request}: {cause}")]
    Unreachable {
        /// The admin address.
        address: SocketAddr,
        /// Method and path.
        request: String,
        /// What went wrong.
        cause: String,
    },
    /// It took too long.
    #[error("Envoy's admin interface at {address} did not answer {request} within {} ms", limit.as_millis())]
    TimedOut {
        /// The admin address.
        address: SocketAddr,
        /// Method and path.
        request: String,
        /// The limit that was reached.
        limit: Duration,
    },
    /// It answered something we can't read.
    #[error("Envoy's admin interface at {address} answered {request} with {what}")]
    Unexpected {
        /// The admin address.
        address: SocketAddr,
        /// Method and path.
        request: String,
        /// What it answered.
        what: String,
    },
}

impl AdminClient {
    /// A client of the interface at `address` that waits for an answer as long as `time_limit`.
    #[must_use]
    pub const fn new(address: SocketAddr, time_limit: Duration) -> Self {
        Self { address, time_limit }
    }

    /// The address it asks.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The answer to a GET of `path`, whatever its status.
    ///
    /// # Errors
    /// When there is no answer in time.
    pub async fn get(&self, path: &str) -> Result<(StatusCode, Bytes), AdminError> {
        self.request(Method::GET, path).await
    }

    /// The answer to a POST of nothing to `path`, whatever its status.
    ///
    /// # Errors
    /// When there is no answer in time.
    pub async fn post(&self, path: &str) -> Result<(StatusCode, Bytes), AdminError> {
        self.request(Method::POST, path).await
    }

    /// The JSON document at `path`.
    ///
    /// # Errors
    /// When there is no answer in time, or it isn't a success with JSON in it.
    pub async fn json(&self, path: &str) -> Result<Value, AdminError> {
        let (status, body) = self.get(path).await?;
        let unexpected =
            |what: String| AdminError::Unexpected { address: self.address, request: format!("GET {path}"), what };
        if status != StatusCode::OK {
            return Err(unexpected(format!("status {status}")));
        }
        serde_json::from_slice(&body).map_err(|error| unexpected(format!("JSON that can't be read: {error}")))
    }

    /// Whether Envoy says it is ready for traffic (`/ready`).
    ///
    /// # Errors
    /// When there is no answer in time.
    pub async fn ready(&self) -> Result<bool, AdminError> {
        Ok(self.get("/ready").await?.0 == StatusCode::OK)
    }

    /// The value of one counter or gauge, if Envoy has it.
    ///
    /// # Errors
    /// When there is no answer in time.
    pub async fn stat(&self, name: &str) -> Result<Option<u64>, AdminError> {
        let filter = name.replace('.', "%5C.");
        let (_, body) = self.get(&format!("/stats?filter=%5E{filter}%24")).await?;
        Ok(String::from_utf8_lossy(&body)
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")?.trim().parse().ok()))
    }

    async fn request(&self, method: Method, path: &str) -> Result<(StatusCode, Bytes), AdminError> {
        let request = format!("{method} {path}");
        match tokio::time::timeout(self.time_limit, self.exchange(method, path)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(cause)) => {
                Err(AdminError::Unreachable { address: self.address, request, cause: Causes(&*cause).to_string() })
            }
            Err(_) => Err(AdminError::TimedOut { address: self.address, request, limit: self.time_limit }),
        }
    }

    async fn exchange(
        &self,
        method: Method,
        path: &str,
    ) -> Result<(StatusCode, Bytes), Box<dyn std::error::Error + Send + Sync>> {
        let stream = TcpStream::connect(self.address).await?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, self.address.to_string())
            .body(Empty::<Bytes>::new())?;
        let exchange = async {
            let response = sender.send_request(request).await?;
            let status = response.status();
            let body = Limited::new(response.into_body(), ANSWER_LIMIT).collect().await?.to_bytes();
            // Dropping the sender ends the connection.
            drop(sender);
            Ok((status, body))
        };
        let (_, answer) = tokio::join!(connection, exchange);
        answer
    }
}

/// An error and what caused it, in one line.
struct Causes<'a>(&'a (dyn std::error::Error + 'static));

impl fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}
