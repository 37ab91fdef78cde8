//! Timeouts of routes.

use super::pb::wkt;
use super::values::{duration, seconds};
use crate::api::duration::Duration;
use crate::ir::{HttpListener, HttpRoute, HttpTimeout};

/// No stream is cut for idleness before this, so that a request timeout alone decides.
const LEAST_IDLE: Duration = Duration::from_secs(3600);

/// How long a response may take: from the route itself before its traffic policy.
pub(super) fn request_timeout(source: &HttpRoute) -> Option<Duration> {
    source.timeout.or_else(|| http_timeout(source)?.request_timeout)
}

/// How long a stream may live.
pub(super) fn max_stream_duration(source: &HttpRoute) -> Option<Duration> {
    http_timeout(source)?.cluster.max_stream_duration
}

/// How long a stream may be idle: what the route's policy says; else the listener's own value holds; else it follows the
/// request timeout, so that Envoy's default of five minutes doesn't cut a longer one.
pub(super) fn idle_timeout(source: &HttpRoute, listener: &HttpListener) -> Option<wkt::Duration> {
    if let Some(idle) = http_timeout(source).and_then(|timeout| timeout.stream_idle_timeout) {
        return Some(duration(idle));
    }
    let of_listener = || listener.timeout.as_ref()?.http.as_ref()?.stream_idle_timeout;
    if of_listener().is_some() {
        return None;
    }
    let request = request_timeout(source)?;
    Some(if request.is_zero() { seconds(0) } else { duration(request.max(LEAST_IDLE)) })
}

fn http_timeout(source: &HttpRoute) -> Option<&HttpTimeout> {
    source.traffic.as_ref()?.cluster.timeout.as_ref()?.http.as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn idle(request: i64) -> Option<i64> {
        let route = HttpRoute { timeout: Some(Duration::from_secs(request)), ..HttpRoute::default() };
        idle_timeout(&route, &HttpListener::default()).map(|idle| idle.seconds)
    }

    #[test]
    fn idleness_follows_the_request_timeout_and_is_never_shorter_than_an_hour() {
        assert_eq!((idle(5), idle(7200), idle(0)), (Some(3600), Some(7200), Some(0)));
        assert_eq!(idle_timeout(&HttpRoute::default(), &HttpListener::default()), None);
    }
}
