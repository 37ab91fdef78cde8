//! When a request is tried again (`rules[].retry`).

use crate::api::http_route::HttpRouteRule;
use crate::ir::traffic::retry::{BackOffPolicy, PerRetryPolicy, Retry, RetryOn};

/// The retries of a rule (GEP-1731). Numbers beyond what Envoy takes saturate.
#[must_use]
pub fn retry(rule: &HttpRouteRule) -> Option<Retry> {
    let retry = rule.retry.as_ref()?;
    let back_off = retry.backoff.map(|base| BackOffPolicy { base_interval: Some(base), max_interval: None });
    let timeout = rule.timeouts.as_ref().and_then(|timeouts| timeouts.backend_request);
    let codes = || retry.codes.iter().map(|&code| u16::try_from(code).unwrap_or(u16::MAX)).collect();
    Some(Retry {
        num_retries: retry.attempts.map(|attempts| u32::try_from(attempts.max(0)).unwrap_or(u32::MAX)),
        num_attempts_per_priority: None,
        retry_on: (!retry.codes.is_empty()).then(|| RetryOn { triggers: Vec::new(), http_status_codes: codes() }),
        per_retry: (back_off.is_some() || timeout.is_some()).then_some(PerRetryPolicy { timeout, back_off }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::duration::Duration;
    use crate::api::http_route::{HttpRouteRetry, HttpRouteTimeouts};

    #[test]
    fn each_attempt_has_the_backends_time() {
        let rule = HttpRouteRule {
            retry: Some(HttpRouteRetry { codes: vec![500, 503], attempts: Some(4), backoff: None }),
            timeouts: Some(HttpRouteTimeouts { request: None, backend_request: Some(Duration::from_secs(1)) }),
            ..HttpRouteRule::default()
        };
        let retry = retry(&rule).unwrap();
        assert_eq!(retry.num_retries, Some(4));
        assert_eq!(retry.retry_on.unwrap().http_status_codes, [500, 503]);
        assert_eq!(retry.per_retry.unwrap(), PerRetryPolicy { timeout: Some(Duration::from_secs(1)), back_off: None });
    }

    #[test]
    fn an_empty_retry_is_still_one() {
        let rule = HttpRouteRule { retry: Some(HttpRouteRetry::default()), ..HttpRouteRule::default() };
        assert_eq!(retry(&rule), Some(Retry::default()));
        assert_eq!(retry(&HttpRouteRule::default()), None);
    }
}
