//! What may be asked about: the kinds, by every name kubectl's users type, and one object of them.

use crate::api::metadata::ObjectKey;
use crate::gatewayapi::decision::RouteKind;

/// The kinds that can be explained, in the order `status` lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// GatewayClass.
    GatewayClass,
    /// Gateway.
    Gateway,
    /// HTTPRoute.
    HttpRoute,
    /// TLSRoute.
    TlsRoute,
    /// TCPRoute.
    TcpRoute,
    /// UDPRoute.
    UdpRoute,
}

impl Kind {
    /// Every kind, in order.
    pub const ALL: [Self; 6] =
        [Self::GatewayClass, Self::Gateway, Self::HttpRoute, Self::TlsRoute, Self::TcpRoute, Self::UdpRoute];

    /// The kind as manifests write it.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::GatewayClass => "GatewayClass",
            Self::Gateway => "Gateway",
            Self::HttpRoute => "HTTPRoute",
            Self::TlsRoute => "TLSRoute",
            Self::TcpRoute => "TCPRoute",
            Self::UdpRoute => "UDPRoute",
        }
    }

    /// Which kind of Route it is, if it is one.
    #[must_use]
    pub const fn route(self) -> Option<RouteKind> {
        match self {
            Self::GatewayClass | Self::Gateway => None,
            Self::HttpRoute => Some(RouteKind::Http),
            Self::TlsRoute => Some(RouteKind::Tls),
            Self::TcpRoute => Some(RouteKind::Tcp),
            Self::UdpRoute => Some(RouteKind::Udp),
        }
    }

    /// Whether its objects live in a namespace.
    #[must_use]
    pub const fn is_namespaced(self) -> bool {
        !matches!(self, Self::GatewayClass)
    }

    /// The resource it is in the API: its plural, in lower case.
    #[must_use]
    pub const fn plural(self) -> &'static str {
        match self {
            Self::GatewayClass => "gatewayclasses",
            Self::Gateway => "gateways",
            Self::HttpRoute => "httproutes",
            Self::TlsRoute => "tlsroutes",
            Self::TcpRoute => "tcproutes",
            Self::UdpRoute => "udproutes",
        }
    }

    /// The names it goes by beside its kind: plural and short ones.
    const fn names(self) -> &'static [&'static str] {
        match self {
            Self::GatewayClass => &["gatewayclass", "gatewayclasses", "gc"],
            Self::Gateway => &["gateway", "gateways", "gtw"],
            Self::HttpRoute => &["httproute", "httproutes"],
            Self::TlsRoute => &["tlsroute", "tlsroutes"],
            Self::TcpRoute => &["tcproute", "tcproutes"],
            Self::UdpRoute => &["udproute", "udproutes"],
        }
    }

    /// The kind that `word` means: a kind, plural or short name in any case, with or without `.version` and `.group`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        let bare = match word.split_once('.') {
            Some((bare, rest)) if rest == GROUP || rest.split_once('.').is_some_and(|(_, group)| group == GROUP) => {
                bare
            }
            Some(_) => return None,
            None => &word,
        };
        Self::ALL.into_iter().find(|kind| kind.names().contains(&bare))
    }
}

/// The group of the kinds here.
pub const GROUP: &str = "gateway.networking.k8s.io";

/// One question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What kind of object.
    pub kind: Kind,
    /// Which.
    pub key: ObjectKey,
    /// Whether to look on behind the first broken layer.
    pub all: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_go_by_every_name_kubectl_takes() {
        for word in [
            "HTTPRoute",
            "httproutes",
            "httproutes.gateway.networking.k8s.io",
            "httproute.v1.gateway.networking.k8s.io",
        ] {
            assert_eq!(Kind::parse(word), Some(Kind::HttpRoute), "{word}");
        }
        assert_eq!(Kind::parse("tcproutes.v1.gateway.networking.k8s.io"), Some(Kind::TcpRoute));
        assert_eq!(Kind::parse("gtw"), Some(Kind::Gateway));
        assert_eq!(Kind::parse("gc"), Some(Kind::GatewayClass));
        assert_eq!(Kind::parse("gateways.networking.istio.io"), None);
        assert_eq!(Kind::parse("pod"), None);
    }
}
