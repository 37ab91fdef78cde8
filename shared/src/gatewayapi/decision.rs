//! What was decided about a route, as values: made once, read by status conditions, IR and explanation alike.

use std::sync::Arc;

use crate::api::metadata::{ObjectKey, Timestamp};
use crate::api::references::ParentReference;
use crate::diagnostic::Diagnostic;
use crate::ir::destination::RouteDestination;
use crate::ir::http_route::HttpRoute as IrRoute;
use crate::ir::tcp_listener::TcpRoute;
use crate::ir::udp_listener::UdpRoute;

/// The kinds of route, in the order they are translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RouteKind {
    /// `gateway.networking.k8s.io/v1` HTTPRoute.
    Http,
    /// `gateway.networking.k8s.io/v1` TLSRoute.
    Tls,
    /// `gateway.networking.k8s.io/v1` TCPRoute.
    Tcp,
    /// `gateway.networking.k8s.io/v1` UDPRoute.
    Udp,
}

impl RouteKind {
    /// The kind as manifests write it.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Http => "HTTPRoute",
            Self::Tls => "TLSRoute",
            Self::Tcp => "TCPRoute",
            Self::Udp => "UDPRoute",
        }
    }

    /// The protocol below, as the ports of Services name it.
    #[must_use]
    pub const fn transport(self) -> &'static str {
        match self {
            Self::Http | Self::Tls | Self::Tcp => "TCP",
            Self::Udp => "UDP",
        }
    }
}

/// Everything decided about one route, and the pieces of IR it became.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteFragment {
    /// What kind of route it is.
    pub kind: RouteKind,
    /// The route.
    pub key: ObjectKey,
    /// The generation these decisions are about.
    pub generation: i64,
    /// When the route was created: older routes win ties.
    pub created: Option<Timestamp>,
    /// One decision for each `spec.parentRefs` entry, in order.
    pub parents: Vec<ParentDecision>,
}

/// What was decided about one parentRef of a route.
#[derive(Clone, Debug, PartialEq)]
pub struct ParentDecision {
    /// The reference as written.
    pub parent: ParentReference,
    /// Its place in `spec.parentRefs`.
    pub index: usize,
    /// Whose parent it is, and which listeners it meets there.
    pub outcome: ParentOutcome,
    /// What is wrong with the route's rules under this parent.
    pub faults: Vec<RouteFault>,
    /// Rules that are dropped under this parent, by index, in order.
    pub dropped_rules: Vec<usize>,
    /// How many rules the route has.
    pub rules: usize,
}

/// Whether a parentRef leads to a Gateway of ours.
#[derive(Clone, Debug, PartialEq)]
pub enum ParentOutcome {
    /// The reference names a kind that isn't a parent we serve. No status is written for it.
    ForeignKind,
    /// There is no such Gateway. No status is written for it.
    NoSuchGateway {
        /// The Gateway it names.
        gateway: ObjectKey,
    },
    /// The Gateway is another controller's, or its class isn't there or isn't accepted. No status is written for it.
    ForeignClass {
        /// The Gateway it names.
        gateway: ObjectKey,
        /// That Gateway's class.
        class: String,
    },
    /// The Gateway is ours but can't be used (it is in the failed set); its own status says why. No status is written.
    FailedGateway {
        /// The Gateway it names.
        gateway: ObjectKey,
    },
    /// The Gateway is ours and usable.
    Ours {
        /// The Gateway it names.
        gateway: ObjectKey,
        /// The key of the fleet that serves it.
        ir_key: Arc<str>,
        /// One decision for each listener of that Gateway, in order.
        listeners: Vec<ListenerDecision>,
    },
}

/// What was decided between one route (by one parentRef) and one listener.
#[derive(Clone, Debug, PartialEq)]
pub struct ListenerDecision {
    /// The listener's name within its Gateway.
    pub listener: String,
    /// The listener's port.
    pub port: i32,
    /// The listener's name in the IR.
    pub ir_name: Arc<str>,
    /// What came of it.
    pub outcome: ListenerOutcome,
}

/// What came of one route meeting one listener: the first check that fails, or attachment.
#[derive(Clone, Debug, PartialEq)]
pub enum ListenerOutcome {
    /// The route has not the one rule that a route of its kind must have: it isn't looked into any further.
    NotOneRule {
        /// How many rules it has.
        rules: usize,
    },
    /// The parentRef's `sectionName` names another listener.
    OtherSection,
    /// The parentRef's `port` is another one.
    OtherPort,
    /// The listener doesn't take this kind of route.
    KindNotAllowed {
        /// The kinds it takes.
        allowed: Vec<String>,
    },
    /// The listener doesn't take routes of this namespace.
    NamespaceNotAllowed {
        /// What it takes, as `allowedRoutes.namespaces` says it: `Same`, `None`, or the selector.
        allowed: String,
    },
    /// The hostnames of route and listener have nothing in common, or what they have in common belongs to another listener.
    NoHostname {
        /// The listener's hostname; none means every name.
        listener: Option<String>,
    },
    /// The route is attached.
    Attached {
        /// The names it is attached for, in order. `*` stands for every name.
        hostnames: Vec<String>,
        /// Whether the listener is itself fit to serve; where it isn't, the route is attached and has no IR.
        listener_ready: bool,
        /// The IR routes an HTTP route became on this listener, before they are sorted by precedence.
        routes: Vec<Arc<IrRoute>>,
        /// The IR route a TLS, TCP or UDP route became. Which of them a listener serves, assembly tells.
        layer4: Option<Layer4Route>,
    },
}

/// An IR route below HTTP.
#[derive(Clone, Debug, PartialEq)]
pub enum Layer4Route {
    /// On a TCP or TLS listener. How TLS is terminated is filled in from the listener when they are put together.
    Tcp(Arc<TcpRoute>),
    /// On a UDP listener.
    Udp(Arc<UdpRoute>),
}

impl Layer4Route {
    /// Where its traffic goes.
    #[must_use]
    pub fn destination(&self) -> Option<&RouteDestination> {
        match self {
            Self::Tcp(route) => route.destination.as_deref(),
            Self::Udp(route) => route.destination.as_deref(),
        }
    }
}

/// The condition of a route that a fault speaks through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultCondition {
    /// `Accepted`: the rule can't be used as it stands.
    Accepted,
    /// `ResolvedRefs`: something it refers to isn't there or isn't allowed.
    ResolvedRefs,
    /// `gateway.envoyproxy.io/BackendsAvailable`-like: a backend is there and has no ready endpoint.
    BackendsAvailable,
}

/// One thing that is wrong with a rule of a route.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteFault {
    /// The condition it makes false.
    pub condition: FaultCondition,
    /// Where, with which reason, and in which words.
    pub diagnostic: Diagnostic,
}

impl ParentDecision {
    /// The listeners it is attached to, with the names, whether they are ready, and the IR routes.
    pub fn attachments(&self) -> impl Iterator<Item = (&ListenerDecision, &[String], &[Arc<IrRoute>])> {
        let listeners = match &self.outcome {
            ParentOutcome::Ours { listeners, .. } => listeners.as_slice(),
            _ => &[],
        };
        listeners.iter().filter_map(|decision| match &decision.outcome {
            ListenerOutcome::Attached { hostnames, routes, .. } => {
                Some((decision, hostnames.as_slice(), routes.as_slice()))
            }
            _ => None,
        })
    }
}

impl ParentDecision {
    /// The IR routes below HTTP it became, one for each listener that is ready.
    pub fn below_http(&self) -> impl Iterator<Item = (&ListenerDecision, &Layer4Route)> {
        let listeners = match &self.outcome {
            ParentOutcome::Ours { listeners, .. } => listeners.as_slice(),
            _ => &[],
        };
        listeners.iter().filter_map(|decision| match &decision.outcome {
            ListenerOutcome::Attached { layer4: Some(route), listener_ready: true, .. } => Some((decision, route)),
            _ => None,
        })
    }
}

impl RouteFragment {
    /// The Gateways of ours it is attached to.
    pub fn gateways(&self) -> impl Iterator<Item = &ObjectKey> {
        self.parents.iter().filter_map(|parent| match &parent.outcome {
            ParentOutcome::Ours { gateway, .. } => Some(gateway),
            _ => None,
        })
    }

    /// Takes over the IR routes of `old` that came out equal, so that what is made from them is kept too.
    pub(super) fn keep_equal_pieces(&mut self, old: &Self) {
        for (parent, old_parent) in self.parents.iter_mut().zip(&old.parents) {
            let (ParentOutcome::Ours { listeners, .. }, ParentOutcome::Ours { listeners: old_listeners, .. }) =
                (&mut parent.outcome, &old_parent.outcome)
            else {
                continue;
            };
            for (listener, old_listener) in listeners.iter_mut().zip(old_listeners) {
                let (ListenerOutcome::Attached { routes, .. }, ListenerOutcome::Attached { routes: old_routes, .. }) =
                    (&mut listener.outcome, &old_listener.outcome)
                else {
                    continue;
                };
                for (route, old_route) in routes.iter_mut().zip(old_routes) {
                    if **route == **old_route {
                        *route = Arc::clone(old_route);
                    }
                }
            }
        }
    }
}
