//! What a backend speaks, by the `appProtocol` of its port.

use crate::ir::destination::AppProtocol;

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
    fn several_add_up() {
        assert_eq!(of_several(["gateway.envoyproxy.io/h2c", "gateway.envoyproxy.io/ws"]), (AppProtocol::Http2, true));
        assert_eq!(of_several([]), (AppProtocol::Http, false));
    }
}
