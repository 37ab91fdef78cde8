//! Small HTTP backends that answer what they were asked.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// An HTTP server on loopback that speaks HTTP/1.1 and HTTP/2 without TLS. It answers with a JSON document of its own
/// name and of what it was asked. The request header `x-answer` makes it answer with that status, `x-delay-ms` makes it
/// wait. It stops when it is dropped.
#[derive(Debug)]
pub struct Backend {
    /// The port it listens on.
    pub port: u16,
    served: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Backend {
    /// Starts one that calls itself `name`.
    ///
    /// # Panics
    /// When loopback has no free port.
    pub async fn start(name: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has a free port");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        let served = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&served);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let served = Arc::clone(&counted);
                tokio::spawn(async move {
                    let service = service_fn(move |request| answer(name, Arc::clone(&served), request));
                    // A client that goes away is no fault of this server's.
                    let _ =
                        auto::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Self { port, served, task }
    }

    /// How many requests it has been asked.
    #[must_use]
    pub fn served(&self) -> usize {
        self.served.load(Ordering::SeqCst)
    }
}

impl Drop for Backend {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(
    name: &'static str,
    served: Arc<AtomicUsize>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    served.fetch_add(1, Ordering::SeqCst);
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    if let Some(delay) = header("x-delay-ms").and_then(|text| text.parse().ok()) {
        tokio::time::sleep(Duration::from_millis(delay)).await;
    }
    let mut headers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (name, value) in request.headers() {
        headers.entry(name.as_str()).or_default().push(String::from_utf8_lossy(value.as_bytes()).into_owned());
    }
    // HTTP/2 has the host in its pseudo header.
    let host = header("host").map(str::to_owned).or_else(|| request.uri().authority().map(ToString::to_string));
    let body = json!({
        "backend": name,
        "method": request.method().as_str(),
        "path": request.uri().path_and_query().map(|path| path.as_str()),
        "host": host,
        "http2": request.version() == Version::HTTP_2,
        "headers": headers,
    });
    let mut response = Response::new(Full::from(body.to_string()));
    if let Some(status) = header("x-answer").and_then(|text| text.parse().ok()) {
        *response.status_mut() = status;
    }
    response.headers_mut().insert("x-backend", hyper::header::HeaderValue::from_static(name));
    Ok(response)
}
