//! A small HTTP server that answers with what it was asked: the backend of the demo and of the end-to-end tests.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, Version, header};
use axum::response::IntoResponse;
use serde_json::json;
use tokio::net::TcpListener;

/// Answers every request on `listener`, HTTP/1.1 or HTTP/2, with a JSON document: `backend` (this `name`), `method`,
/// `path`, `host`, `http2`, `headers` and `bytes` (of the body). `/status/503` answers with that status, `/delay/500`
/// after so many milliseconds.
///
/// # Errors
/// When the listener fails as a whole.
pub async fn serve(listener: TcpListener, name: String) -> std::io::Result<()> {
    serve_counted(listener, name, Arc::default()).await
}

/// The same, counting requests in `served` as they come.
///
/// # Errors
/// When the listener fails as a whole.
pub async fn serve_counted(listener: TcpListener, name: String, served: Arc<AtomicUsize>) -> std::io::Result<()> {
    axum::serve(listener, Router::new().fallback(answer).with_state((name, served))).await
}

async fn answer(State((backend, served)): State<(String, Arc<AtomicUsize>)>, request: Request) -> impl IntoResponse {
    served.fetch_add(1, Ordering::SeqCst);
    let (parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().map_or_else(String::new, ToString::to_string);
    let number = |prefix: &str| path.strip_prefix(prefix)?.split(['/', '?']).next()?.parse::<u16>().ok();
    if let Some(milliseconds) = number("/delay/") {
        tokio::time::sleep(Duration::from_millis(milliseconds.into())).await;
    }
    let status = number("/status/").and_then(|status| StatusCode::from_u16(status).ok()).unwrap_or(StatusCode::OK);
    let bytes = axum::body::to_bytes(body, usize::MAX).await.map(|body| body.len()).unwrap_or_default();
    let mut headers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in &parts.headers {
        headers.entry(name.to_string()).or_default().push(String::from_utf8_lossy(value.as_bytes()).into_owned());
    }
    // HTTP/2 has the host in the address.
    let host = headers.get("host").and_then(|values| values.first()).cloned();
    let host = host.or_else(|| parts.uri.authority().map(ToString::to_string));
    let document = json!({
        "backend": backend,
        "method": parts.method.as_str(),
        "path": path,
        "host": host,
        "http2": parts.version == Version::HTTP_2,
        "headers": headers,
        "bytes": bytes,
    });
    (status, [(header::CONTENT_TYPE, "application/json")], format!("{document}\n"))
}
