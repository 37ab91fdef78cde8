//! What a backend speaks, by the `appProtocol` of its port.

use crate::gatewayapi::decision::RouteKind;
use crate::ir::destination::{AppProtocol, DestinationSetting};

/// The protocol of an HTTP route's backend, and whether it must be HTTP/1.1 (WebSockets).
#[must_use]
pub fn app_protocol(written: Option<&str>) -> (AppProtocol, bool) {
    match written {
        Some("kubernetes.io/h2c" | "gateway.envoyproxy.io/h2c") => (AppProtocol::Http2, false),
        Some("grpc") => (AppProtocol::Grpc, false),
        Some("kubernetes.io/ws" | "kubernetes.io/wss" | "gateway.envoyproxy.io/ws" | "gateway.envoyproxy.io/wss") => {
            (AppProtocol::Http, true)
        }
        Some(_) | None => (AppProtocol::Http, false),
    }
}

/// The same of a Backend, which may list several.
#[must_use]
pub fn of_several<'p>(written: impl IntoIterator<Item = &'p str>) -> (AppProtocol, bool) {
    let mut protocol = AppProtocol::Http;
    let mut http1 = false;
    for (next, next_http1) in written.into_iter().map(|name| app_protocol(Some(name))) {
        // Once it is HTTP/2, what follows changes nothing about that.
        if protocol == AppProtocol::Http {
            protocol = next;
        }
        http1 |= next_http1;
    }
    (protocol, http1)
}

/// The setting as a route of `kind` uses it: below HTTP nothing is made of what a port says it speaks.
#[must_use]
pub fn below_http(kind: RouteKind, setting: DestinationSetting) -> DestinationSetting {
    let protocol = match kind {
        RouteKind::Http => return setting,
        RouteKind::Tls | RouteKind::Tcp => AppProtocol::Tcp,
        RouteKind::Udp => AppProtocol::Udp,
    };
    DestinationSetting { protocol: Some(protocol), force_http1_upstream: false, ..setting }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_and_grpc() {
        assert_eq!(app_protocol(None), (AppProtocol::Http, false));
        assert_eq!(app_protocol(Some("kubernetes.io/h2c")), (AppProtocol::Http2, false));
        assert_eq!(app_protocol(Some("grpc")), (AppProtocol::Grpc, false));
        assert_eq!(app_protocol(Some("kubernetes.io/wss")), (AppProtocol::Http, true));
        assert_eq!(app_protocol(Some("http")), (AppProtocol::Http, false));
    }

    #[test]
    fn below_http_the_route_says_what_is_spoken() {
        let spoken = |kind| {
            let protocol = Some(AppProtocol::Http2);
            let setting = DestinationSetting { protocol, force_http1_upstream: true, ..DestinationSetting::default() };
            let setting = below_http(kind, setting);
            (setting.protocol, setting.force_http1_upstream)
        };
        assert_eq!(spoken(RouteKind::Http), (Some(AppProtocol::Http2), true));
        assert_eq!(spoken(RouteKind::Tls), (Some(AppProtocol::Tcp), false));
        assert_eq!(spoken(RouteKind::Udp), (Some(AppProtocol::Udp), false));
    }

    #[test]
    fn several_add_up() {
        assert_eq!(of_several(["gateway.envoyproxy.io/h2c", "gateway.envoyproxy.io/ws"]), (AppProtocol::Http2, true));
        assert_eq!(of_several([]), (AppProtocol::Http, false));
    }
}
