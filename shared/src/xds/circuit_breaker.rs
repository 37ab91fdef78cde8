//! Limits towards upstreams.

use super::pb::cluster::{CircuitBreakers, circuit_breakers::Thresholds, circuit_breakers::thresholds};
use super::values::{percent, uint32};
use crate::ir::{CircuitBreaker, RetryBudget};

/// Retries allowed at once unless told otherwise: as many as requests, since restarting pods cause bursts of them.
const DEFAULT_RETRIES: u32 = 1024;
/// What Envoy takes when the budget doesn't say.
const DEFAULT_BUDGET_CONCURRENCY: u32 = 3;

/// The limits of a cluster.
pub(super) fn circuit_breakers(source: Option<&CircuitBreaker>) -> CircuitBreakers {
    let mut limits = Thresholds { max_retries: Some(uint32(DEFAULT_RETRIES)), ..Thresholds::default() };
    let mut per_host = Vec::new();
    if let Some(source) = source {
        // Requests per connection are an option of the protocol.
        let CircuitBreaker {
            max_connections,
            max_pending_requests,
            max_parallel_requests,
            max_requests_per_connection: _,
            max_parallel_retries,
            per_endpoint,
            retry_budget,
        } = source;
        limits.max_connections = max_connections.map(uint32);
        limits.max_pending_requests = max_pending_requests.map(uint32);
        limits.max_requests = max_parallel_requests.map(uint32);
        limits.max_retries = Some(uint32(max_parallel_retries.unwrap_or(DEFAULT_RETRIES)));
        limits.retry_budget = retry_budget.as_ref().map(budget);
        if let Some(connections) = per_endpoint.as_ref().and_then(|limits| limits.max_connections) {
            per_host.push(Thresholds { max_connections: Some(uint32(connections)), ..Thresholds::default() });
        }
    }
    CircuitBreakers { thresholds: vec![limits], per_host_thresholds: per_host }
}

fn budget(source: &RetryBudget) -> thresholds::RetryBudget {
    let RetryBudget { percent: share, min_retry_concurrency } = source;
    thresholds::RetryBudget {
        budget_percent: Some(percent(*share)),
        min_retry_concurrency: (*min_retry_concurrency != DEFAULT_BUDGET_CONCURRENCY)
            .then(|| uint32(*min_retry_concurrency)),
        ..thresholds::RetryBudget::default()
    }
}
