//! The listeners of one fleet: each by itself, then beside the others, then as conditions and as IR.

mod allowed_routes;
mod certificates;
mod conflicts;
mod faults;
mod frame;
mod hostnames;
mod overlaps;
mod pem_blocks;
mod ports;
mod private_key;
mod tls;

use std::sync::Arc;

use self::faults::ListenerFault;
use self::overlaps::Overlap;
use self::tls::Termination;
use super::fleet::{AllowedNamespaces, ListenerContext, RouteGroupKind};
use super::frontend_validation::FrontendValidation;
use super::view::View;
use crate::api::condition::Condition;
use crate::api::envoy_proxy::EnvoyProxy;
use crate::api::gateway::Gateway;
use crate::api::listener::Listener;
use crate::api::metadata::Object;
use crate::diagnostic::Diagnostic;
use crate::ir::infra::ProxyListener;
use crate::ir::xds::Xds;
use crate::status;

/// One Gateway of a fleet, as far as its listeners need it.
#[derive(Clone, Copy, Debug)]
pub(super) struct GatewayInput<'a> {
    /// The Gateway.
    pub(super) gateway: &'a Gateway,
    /// Its effective EnvoyProxy.
    pub(super) envoy_proxy: Option<&'a EnvoyProxy>,
    /// How its HTTPS listeners validate clients.
    pub(super) frontend: &'a FrontendValidation,
}

/// What the listeners of a fleet came to.
#[derive(Clone, Debug, Default)]
pub(super) struct Listeners {
    /// As routes and statuses see them: for each Gateway one for each of `spec.listeners`.
    pub(super) contexts: Vec<Vec<ListenerContext>>,
    /// The XdsIR, with nothing but listeners.
    pub(super) xds: Xds,
    /// The ports of the fleet.
    pub(super) infra: Vec<ProxyListener>,
    /// The moment (seconds since 1970) from which the answer may be another.
    pub(super) holds_until: Option<i64>,
}

/// A listener with what is known of it alone.
#[derive(Clone, Debug)]
struct Candidate<'a> {
    gateway: &'a Gateway,
    /// Which Gateway of the fleet, and which of its listeners.
    gateway_index: usize,
    index: usize,
    listener: &'a Listener,
    spec: Spec,
}

/// What a listener says, checked by itself.
#[derive(Clone, Debug)]
struct Spec {
    namespaces: AllowedNamespaces,
    kinds: Vec<RouteGroupKind>,
    tls: Termination,
    faults: Vec<ListenerFault>,
}

impl Default for Spec {
    fn default() -> Self {
        Self { namespaces: AllowedNamespaces::Same, kinds: Vec::new(), tls: Termination::default(), faults: Vec::new() }
    }
}

impl Candidate<'_> {
    /// `namespace/gateway/listener`.
    fn ir_name(&self) -> String {
        format!("{}/{}", self.gateway.key(), self.listener.name)
    }
}

/// Translates the listeners of a fleet's Gateways; `merged` says whether they share their ports.
pub(super) fn translate(view: &View<'_>, gateways: &[GatewayInput<'_>], merged: bool) -> Listeners {
    let candidates = candidates(view, gateways);
    let conflicts = conflicts::find(&candidates, merged);
    let judged: Vec<Judged> =
        candidates.iter().zip(conflicts).map(|(candidate, conflicts)| judge(candidate, conflicts)).collect();
    let ready: Vec<bool> = judged.iter().map(|judged| judged.ready).collect();
    let overlaps = overlaps::find(&candidates, &ready, merged);

    let mut listeners = Listeners { contexts: vec![Vec::new(); gateways.len()], ..Listeners::default() };
    let mut ports = ports::Ports::default();
    for ((candidate, judged), overlap) in candidates.iter().zip(judged).zip(overlaps) {
        listeners.holds_until = tls::sooner(listeners.holds_until, candidate.spec.tls.holds_until);
        let Some(input) = gateways.get(candidate.gateway_index) else { continue };
        if judged.ready {
            let port = ports::container_port(candidate.listener.port, input.envoy_proxy, view.config());
            frame::add(&mut listeners.xds, candidate, input, port, overlap.as_ref());
            listeners.infra.extend(ports.open(candidate.listener, candidate.ir_name(), port));
        }
        if let Some(contexts) = listeners.contexts.get_mut(candidate.gateway_index) {
            contexts.push(context(candidate, judged, overlap));
        }
    }
    listeners
}

/// Every listener, checked by itself.
fn candidates<'a>(view: &View<'_>, gateways: &[GatewayInput<'a>]) -> Vec<Candidate<'a>> {
    let mut candidates = Vec::new();
    for (gateway_index, input) in gateways.iter().enumerate() {
        for (index, listener) in input.gateway.spec.listeners.iter().enumerate() {
            let spec = check(view, input, listener);
            candidates.push(Candidate { gateway: input.gateway, gateway_index, index, listener, spec });
        }
    }
    candidates
}

fn check(view: &View<'_>, input: &GatewayInput<'_>, listener: &Listener) -> Spec {
    let mut faults = Vec::new();
    let namespaces = allowed_routes::namespaces(listener, &mut faults);
    let kinds = allowed_routes::kinds(listener, &mut faults);
    let tls = tls::check(view, input.gateway, listener, &mut faults);
    faults.extend(frame::frontend_fault(listener, input.frontend));
    faults.extend(hostnames::check(listener));
    Spec { namespaces, kinds, tls, faults }
}

/// What a listener comes to beside the others.
struct Judged {
    conditions: Vec<Condition>,
    ready: bool,
    faults: Vec<Diagnostic>,
}

fn judge(candidate: &Candidate<'_>, conflicts: Vec<ListenerFault>) -> Judged {
    let mut faults = candidate.spec.faults.clone();
    faults.extend(conflicts);
    let (conditions, ready) = faults::conditions(&faults, candidate.gateway.metadata.generation);
    let faults = faults
        .into_iter()
        .map(|fault| fault.diagnostic.within_item("listeners", candidate.index).within("spec"))
        .collect();
    Judged { conditions, ready, faults }
}

fn context(candidate: &Candidate<'_>, judged: Judged, overlap: Option<Overlap>) -> ListenerContext {
    let Judged { mut conditions, ready, faults } = judged;
    if let Some(Overlap { reason, message, no_http2: _ }) = overlap {
        let generation = candidate.gateway.metadata.generation;
        status::set(&mut conditions, status::holds("OverlappingTLSConfig", reason, message, generation));
    }
    ListenerContext {
        listener: candidate.listener.clone(),
        ir_name: Arc::from(candidate.ir_name()),
        supported_kinds: candidate.spec.kinds.clone(),
        namespaces: candidate.spec.namespaces.clone(),
        ready,
        conditions,
        faults,
    }
}
