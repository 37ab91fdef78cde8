//! A fleet as data: the Gateways that share an IR key, their listeners, and the IR they are before any route.

use std::sync::Arc;

use crate::api::condition::Condition;
use crate::api::envoy_proxy::EnvoyProxy;
use crate::api::gateway::Gateway;
use crate::api::gateway_tls::TlsModeType;
use crate::api::label_selector::LabelSelector;
use crate::api::labels::Labels;
use crate::api::listener::{Listener, ProtocolType};
use crate::api::metadata::{ObjectKey, Timestamp};
use crate::diagnostic::Diagnostic;
use crate::ir;

/// Everything that shares one IR key.
#[derive(Clone, Debug, PartialEq)]
pub struct Fleet {
    /// `namespace/name` of the Gateway, or the GatewayClass's name with `mergeGateways`.
    pub ir_key: Arc<str>,
    /// The GatewayClass.
    pub class: Arc<str>,
    /// Its Gateways, from the oldest to the youngest.
    pub gateways: Vec<Arc<GatewayContext>>,
    /// The XdsIR of the fleet with its listeners and without any route.
    pub frame: Arc<ir::xds::Xds>,
    /// The InfraIR of the fleet.
    pub infra: Arc<ir::infra::Infra>,
    /// The moment (seconds since 1970) from which it has to be made again although nothing it looked up changed: a
    /// certificate expires then, or becomes valid.
    pub holds_until: Option<i64>,
}

impl Fleet {
    /// Whether it still is what its inputs make of it at `now`. Without a time nothing ages.
    #[must_use]
    pub fn holds_at(&self, now: Option<Timestamp>) -> bool {
        match (self.holds_until, now) {
            (Some(until), Some(now)) => now.unix_seconds() < until,
            _ => true,
        }
    }

    /// Whether none of its Gateways can be used. It says nothing then, and what the fleet has stays as it is.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.gateways.iter().all(|gateway| gateway.failed.is_some())
    }

    /// Takes over the parts of `old` that came out equal, so that what is made from them is kept too.
    pub(super) fn keep_equal_parts(&mut self, old: &Self) {
        if *self.frame == *old.frame {
            self.frame = Arc::clone(&old.frame);
        }
        if *self.infra == *old.infra {
            self.infra = Arc::clone(&old.infra);
        }
    }
}

/// One Gateway after its own translation, as its status and its routes see it. It holds nothing of the fleet that a
/// route doesn't depend on, so that it stays equal, and routes stay untouched, when something else changes.
#[derive(Clone, Debug, PartialEq)]
pub struct GatewayContext {
    /// The Gateway as written.
    pub gateway: Arc<Gateway>,
    /// The key of its fleet.
    pub ir_key: Arc<str>,
    /// The effective EnvoyProxy: default, GatewayClass's and Gateway's, merged.
    pub envoy_proxy: Option<Arc<EnvoyProxy>>,
    /// Set when the Gateway can't be used (the failed set): reason and words for `Accepted=False`.
    pub failed: Option<Diagnostic>,
    /// Set when the Gateway isn't accepted as it is and is served nevertheless, without the part that is at fault.
    pub rejected: Option<Diagnostic>,
    /// Its conditions beyond `Accepted` and `Programmed`.
    pub conditions: Vec<Condition>,
    /// Its listeners, in the order of `spec.listeners`.
    pub listeners: Vec<ListenerContext>,
    /// Set when `spec.infrastructure.parametersRef` names this EnvoyProxy and it was used.
    pub own_envoy_proxy: Option<ObjectKey>,
    /// What is wrong with that EnvoyProxy, with paths into it.
    pub own_envoy_proxy_faults: Vec<Diagnostic>,
}

impl GatewayContext {
    /// Whether its listeners keep routes in the order of their objects (`EnvoyProxy.spec.preserveRouteOrder`).
    #[must_use]
    pub fn preserves_route_order(&self) -> bool {
        self.envoy_proxy.as_ref().is_some_and(|proxy| proxy.spec.preserve_route_order == Some(true))
    }
}

/// One listener after its own translation.
#[derive(Clone, Debug, PartialEq)]
pub struct ListenerContext {
    /// The listener as written.
    pub listener: Listener,
    /// Its name in the IR: `namespace/gateway/listener`.
    pub ir_name: Arc<str>,
    /// The kinds of route it takes and we serve on its protocol.
    pub supported_kinds: Vec<RouteGroupKind>,
    /// Which namespaces' routes it takes.
    pub namespaces: AllowedNamespaces,
    /// Whether it is fit to serve: without this its routes attach but get no IR.
    pub ready: bool,
    /// Its conditions, final but for messages that speak of routes.
    pub conditions: Vec<Condition>,
    /// The faults behind the conditions that are false, with field paths into the Gateway (`spec.listeners[1].tls…`).
    pub faults: Vec<Diagnostic>,
}

impl ListenerContext {
    /// Whether TLS ends at this listener and what is inside isn't known to be HTTP.
    #[must_use]
    pub fn terminates_tls(&self) -> bool {
        let mode = self.listener.tls.as_ref().and_then(|tls| tls.mode.as_ref());
        self.listener.protocol == ProtocolType::Tls && mode == Some(&TlsModeType::Terminate)
    }
}

/// A group and kind a listener takes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RouteGroupKind {
    /// The API group.
    pub group: String,
    /// The kind.
    pub kind: String,
}

/// Which namespaces' routes a listener takes (`allowedRoutes.namespaces`).
#[derive(Clone, Debug, PartialEq)]
pub enum AllowedNamespaces {
    /// Every namespace.
    All,
    /// The Gateway's own.
    Same,
    /// None: the selector is broken or missing, or `from: None`.
    None,
    /// Those whose labels match.
    Selector(LabelSelector),
}

impl AllowedNamespaces {
    /// Whether a route in `namespace` (with these labels, if the Namespace is known) may attach to a listener of a
    /// Gateway in `own`.
    #[must_use]
    pub fn allow(&self, own: &str, namespace: &str, labels: Option<&Labels>) -> bool {
        match self {
            Self::All => true,
            Self::Same => own == namespace,
            Self::None => false,
            Self::Selector(selector) => labels.is_some_and(|labels| selector.matches(labels)),
        }
    }
}
