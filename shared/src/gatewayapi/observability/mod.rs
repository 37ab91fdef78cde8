//! What the proxies of a fleet tell about themselves and the traffic: `EnvoyProxy.spec.telemetry`.

mod access_log;
mod cel;
mod collector;
mod health_check_log;
mod metrics;
mod tracing;

use self::collector::Collectors;
use super::classes::INVALID_PARAMETERS;
use super::member::Member;
use super::view::View;
use crate::api::envoy_proxy::EnvoyProxy;
use crate::api::envoy_proxy::ProxyTelemetry;
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::ir::access_log::AccessLog;
use crate::ir::infra::ResolvedMetricSink;
use crate::ir::metrics::Metrics;
use crate::ir::tracing::Tracing;
use crate::ir::traffic::health_check::ProxyHealthCheckLog;

/// What telemetry came to. Behind the first part that is at fault nothing is done.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Observability {
    pub(super) access_log: Option<AccessLog>,
    pub(super) tracing: Option<Tracing>,
    pub(super) metrics: Option<Metrics>,
    pub(super) metric_sinks: Vec<ResolvedMetricSink>,
    pub(super) health_check_log: Option<ProxyHealthCheckLog>,
    /// Why the Gateway isn't accepted, with the path in the Gateway.
    pub(super) fault: Option<Diagnostic>,
}

/// Reads the telemetry of a Gateway's EnvoyProxy; `merged` says whether the Gateway shares its fleet with others.
pub(super) fn translate(view: &View<'_>, member: &Member, merged: bool) -> Observability {
    let mut observability = Observability::default();
    let Some(proxy) = member.envoy_proxy.as_deref() else {
        observability.access_log = Some(access_log::default());
        return observability;
    };
    if let Err(fault) = fill(view, member, proxy, merged, &mut observability) {
        observability.fault = Some(Diagnostic::new(
            FieldPath::field("parametersRef").within("infrastructure").within("spec"),
            INVALID_PARAMETERS,
            format!("the EnvoyProxy's telemetry can't be used: {}", fault.within("telemetry").within("spec")),
        ));
    }
    observability
}

/// The parts in turn.
fn fill(
    view: &View<'_>,
    member: &Member,
    proxy: &EnvoyProxy,
    merged: bool,
    observability: &mut Observability,
) -> Result<(), Diagnostic> {
    let empty = ProxyTelemetry::default();
    let telemetry = proxy.spec.telemetry.as_ref().unwrap_or(&empty);
    let ProxyTelemetry { access_log, tracing, metrics, request_id: _, health_check_log } = telemetry;
    let collectors = Collectors::new(view, member, proxy);
    observability.access_log = access_log::translate(&collectors, access_log.as_ref())?;
    if let Some(tracing) = tracing {
        let name = tracing::service_name(&member.gateway, merged);
        observability.tracing = Some(tracing::translate(&collectors, tracing, name)?);
    }
    if let Some(metrics) = metrics {
        observability.metric_sinks = metrics::sinks(&collectors, metrics)?;
        observability.metrics = Some(metrics::translate(metrics));
    }
    observability.health_check_log = health_check_log.as_ref().map(health_check_log::translate);
    Ok(())
}
