//! A small HTTP server that answers with what it was asked: the backend of the demo and of the end-to-end tests.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use serde_json::json;
use tokio::net::TcpListener;

/// Answers every request on `listener` with a JSON document: `backend` (this `name`), `method`, `path`, `host`,
/// `headers` and `bytes` (of the body). `/status/503` answers with that status, `/delay/500` after so many milliseconds.
///
/// # Errors
/// When the listener fails as a whole.
pub async fn serve(listener: TcpListener, name: String) -> std::io::Result<()> {
    axum::serve(listener, Router::new().fallback(answer).with_state(name)).await
}

async fn answer(State(backend): State<String>, request: Request) -> impl IntoResponse {
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
    let host = headers.get("host").and_then(|values| values.first());
    let document = json!({
        "backend": backend,
        "method": parts.method.as_str(),
        "path": path,
        "host": host,
        "headers": headers,
        "bytes": bytes,
    });
    (status, [(header::CONTENT_TYPE, "application/json")], format!("{document}\n"))
}
