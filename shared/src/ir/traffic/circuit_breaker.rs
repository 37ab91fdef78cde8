//! Limits towards upstreams.

use serde::Deserialize;
use serde::Serialize;

/// Limits of one cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CircuitBreaker {
    /// Connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_connections: Option<u32>,
    /// Requests waiting for a connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_pending_requests: Option<u32>,
    /// Requests in flight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_parallel_requests: Option<u32>,
    /// Requests one connection carries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_requests_per_connection: Option<u32>,
    /// Retries in flight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_parallel_retries: Option<u32>,
    /// Limits of each endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_endpoint: Option<PerEndpointCircuitBreakers>,
    /// Retries limited by share instead of number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_budget: Option<RetryBudget>,
}

/// Limits of one endpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PerEndpointCircuitBreakers {
    /// Connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_connections: Option<u32>,
}

/// Retries limited to a share of active requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RetryBudget {
    /// The share, in percent.
    #[serde(default)]
    pub percent: f64,
    /// Retries always allowed.
    #[serde(default)]
    pub min_retry_concurrency: u32,
}
