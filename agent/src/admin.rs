//! The agent's own admin interface: health, readiness, metrics, log level.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::logging::LogLevel;
use crate::metrics::Metrics;

/// Why the agent is not ready, or nothing when it is.
pub type Readiness = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// What the interface shows and turns.
#[derive(Clone)]
pub struct Admin {
    /// The metrics.
    pub metrics: Metrics,
    /// The log level.
    pub log_level: LogLevel,
    /// Readiness.
    pub readiness: Readiness,
}

/// Serves everything until `stop`.
///
/// # Errors
/// When the listener fails as a whole.
pub async fn serve(listener: TcpListener, admin: Admin, stop: CancellationToken) -> std::io::Result<()> {
    let router = Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .route("/logging", get(log_level).put(set_log_level).post(set_log_level))
        .with_state(admin);
    axum::serve(listener, router).with_graceful_shutdown(stop.cancelled_owned()).await
}

/// Serves metrics alone, where others than administrators may see them, until `stop`.
///
/// # Errors
/// When the listener fails as a whole.
pub async fn serve_metrics(listener: TcpListener, admin: Admin, stop: CancellationToken) -> std::io::Result<()> {
    let router = Router::new().route("/metrics", get(metrics)).with_state(admin);
    axum::serve(listener, router).with_graceful_shutdown(stop.cancelled_owned()).await
}

/// Serves health and readiness alone, for the kubelet, until `stop`.
///
/// # Errors
/// When the listener fails as a whole.
pub async fn serve_health(listener: TcpListener, admin: Admin, stop: CancellationToken) -> std::io::Result<()> {
    let router =
        Router::new().route("/healthz", get(|| async { "ok\n" })).route("/readyz", get(ready)).with_state(admin);
    axum::serve(listener, router).with_graceful_shutdown(stop.cancelled_owned()).await
}

async fn ready(State(admin): State<Admin>) -> impl IntoResponse {
    match (admin.readiness)() {
        None => (StatusCode::OK, "ok\n".to_owned()),
        Some(reason) => (StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {reason}\n")),
    }
}

async fn metrics(State(admin): State<Admin>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], admin.metrics.encode())
}

async fn log_level(State(admin): State<Admin>) -> String {
    format!("{}\n", admin.log_level.get())
}

#[derive(Debug, Deserialize)]
struct Level {
    level: Option<String>,
}

async fn set_log_level(State(admin): State<Admin>, Query(Level { level }): Query<Level>) -> impl IntoResponse {
    let Some(level) = level else {
        return (StatusCode::BAD_REQUEST, "which level? PUT /logging?level=debug\n".to_owned());
    };
    match admin.log_level.set(&level) {
        Ok(()) => {
            tracing::info!(level, "the log level was set");
            (StatusCode::OK, format!("{level}\n"))
        }
        Err(error) => (StatusCode::BAD_REQUEST, format!("{error}\n")),
    }
}
