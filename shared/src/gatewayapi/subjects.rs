//! The objects we say something about: one line for each kind, with what of its status is ours.

use std::fmt;

use super::decision::RouteKind;
use crate::api::backend::Backend;
use crate::api::envoy_proxy::EnvoyProxy;
use crate::api::gateway::Gateway;
use crate::api::gateway_class::GatewayClass;
use crate::api::http_route::HttpRoute;
use crate::api::metadata::{Object, ObjectKey};
use crate::api::tcp_route::TcpRoute;
use crate::api::tls_route::TlsRoute;
use crate::api::udp_route::UdpRoute;
use crate::status::merge::Claim;

/// A kind of object that gets a status from us, in the order in which they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SubjectKind {
    /// A GatewayClass.
    GatewayClass,
    /// An EnvoyProxy.
    EnvoyProxy,
    /// A Gateway.
    Gateway,
    /// A route.
    Route(RouteKind),
    /// A Backend.
    Backend,
}

/// One object that gets a status from us.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subject {
    /// Its kind.
    pub kind: SubjectKind,
    /// Its namespace and name.
    pub key: ObjectKey,
}

/// What is to be known of a kind in order to write a status of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindFacts {
    /// API group.
    pub group: &'static str,
    /// Version we write.
    pub version: &'static str,
    /// Kind, as in a manifest.
    pub kind: &'static str,
    /// Plural, as in a URL.
    pub plural: &'static str,
    /// Which part of a status is ours.
    pub claim: Claim,
}

impl KindFacts {
    const fn of<T: Object>(claim: Claim) -> Self {
        Self { group: T::GROUP, version: T::VERSION, kind: T::KIND, plural: T::PLURAL, claim }
    }
}

impl SubjectKind {
    /// All kinds.
    pub const ALL: &'static [Self] = &[
        Self::GatewayClass,
        Self::EnvoyProxy,
        Self::Gateway,
        Self::Route(RouteKind::Http),
        Self::Route(RouteKind::Tls),
        Self::Route(RouteKind::Tcp),
        Self::Route(RouteKind::Udp),
        Self::Backend,
    ];

    /// What is to be known of it.
    #[must_use]
    pub const fn facts(self) -> KindFacts {
        match self {
            Self::GatewayClass => KindFacts::of::<GatewayClass>(Claim::Conditions),
            Self::EnvoyProxy => KindFacts::of::<EnvoyProxy>(Claim::All),
            Self::Gateway => KindFacts::of::<Gateway>(Claim::All),
            Self::Route(RouteKind::Http) => KindFacts::of::<HttpRoute>(Claim::Parents),
            Self::Route(RouteKind::Tls) => KindFacts::of::<TlsRoute>(Claim::Parents),
            Self::Route(RouteKind::Tcp) => KindFacts::of::<TcpRoute>(Claim::Parents),
            Self::Route(RouteKind::Udp) => KindFacts::of::<UdpRoute>(Claim::Parents),
            Self::Backend => KindFacts::of::<Backend>(Claim::All),
        }
    }

    /// The kind with this name.
    #[must_use]
    pub fn named(kind: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|candidate| candidate.facts().kind == kind)
    }
}

impl Subject {
    /// An object of `kind`.
    #[must_use]
    pub const fn new(kind: SubjectKind, key: ObjectKey) -> Self {
        Self { kind, key }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.facts().kind, self.key)
    }
}
