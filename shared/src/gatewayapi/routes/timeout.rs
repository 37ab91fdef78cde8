//! How long the response to a request may take (`rules[].timeouts`).

use crate::api::duration::Duration;
use crate::api::http_route::HttpRouteRule;

/// The time-out of a rule. Where the rule retries, `backendRequest` is that of each attempt instead.
#[must_use]
pub fn timeout(rule: &HttpRouteRule) -> Option<Duration> {
    let timeouts = rule.timeouts.as_ref()?;
    timeouts.backend_request.filter(|_| rule.retry.is_none()).or(timeouts.request)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::http_route::{HttpRouteRetry, HttpRouteTimeouts};

    #[test]
    fn the_backends_time_counts_unless_there_are_attempts() {
        let (request, backend) = (Some(Duration::from_secs(10)), Some(Duration::from_secs(2)));
        let mut rule = HttpRouteRule {
            timeouts: Some(HttpRouteTimeouts { request, backend_request: backend }),
            ..HttpRouteRule::default()
        };
        assert_eq!(timeout(&rule), backend);
        rule.retry = Some(HttpRouteRetry::default());
        assert_eq!(timeout(&rule), request);
        rule.timeouts = None;
        assert_eq!(timeout(&rule), None);
    }
}
