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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::any_object::AnyObject;
    use crate::api::endpoint_slice::EndpointSlice;
    use crate::api::service::Service;
    use crate::config::Config;
    use crate::gatewayapi::view::Attachments;
    use crate::resources::Resources;
    use std::sync::Arc;

    fn translated(telemetry: &str, objects: Vec<AnyObject>) -> Observability {
        let proxy = format!(r#"{{"metadata":{{"name":"p","namespace":"infra"}},"spec":{{"telemetry":{telemetry}}}}}"#);
        let gateway = r#"{"metadata":{"name":"edge","namespace":"infra"},"spec":{"gatewayClassName":"eg"}}"#;
        let member = Member {
            gateway: Arc::new(serde_json::from_str(gateway).unwrap()),
            envoy_proxy: Some(Arc::new(serde_json::from_str(&proxy).unwrap())),
            own: None,
            own_faults: Vec::new(),
            failed: None,
            rejected: None,
        };
        let resources: Resources = objects.into_iter().collect();
        let (attachments, config) = (Attachments::default(), Config::default());
        translate(&View::new(&resources, &attachments, &config), &member, false)
    }

    fn collector() -> Vec<AnyObject> {
        let service =
            r#"{"metadata":{"name":"otel","namespace":"infra"},"spec":{"ports":[{"name":"grpc","port":4317}]}}"#;
        let slice = r#"{"metadata":{"name":"otel-1","namespace":"infra","labels":{"kubernetes.io/service-name":"otel"}},
            "addressType":"IPv4","ports":[{"name":"grpc","port":4317,"protocol":"TCP"}],
            "endpoints":[{"addresses":["10.0.0.1"]}]}"#;
        vec![
            serde_json::from_str::<Service>(service).unwrap().into(),
            serde_json::from_str::<EndpointSlice>(slice).unwrap().into(),
        ]
    }

    #[test]
    fn without_settings_json_goes_to_stdout() {
        let log = translated("{}", vec![]).access_log.unwrap();
        assert_eq!(log.json[0].path, "/dev/stdout");
        assert_eq!(translated(r#"{"accessLog":{"disable":true}}"#, vec![]).access_log, None);
    }

    #[test]
    fn a_collector_by_reference_is_known_by_its_service() {
        let telemetry =
            r#"{"tracing":{"provider":{"type":"OpenTelemetry","backendRefs":[{"name":"otel","port":4317}]}}}"#;
        let tracing = translated(telemetry, collector()).tracing.unwrap();
        assert_eq!((tracing.authority.as_str(), tracing.service_name.as_str()), ("otel.infra.svc", "edge.infra"));
        let setting = &tracing.destination.settings[0];
        assert_eq!((&*setting.name, setting.endpoints[0].host.as_str()), ("tracing/backend/-1", "10.0.0.1"));
    }

    #[test]
    fn a_collector_by_host_is_known_by_it() {
        let telemetry = r#"{"tracing":{"provider":{"type":"OpenTelemetry","host":"otel.example.com","port":4318}}}"#;
        let tracing = translated(telemetry, vec![]).tracing.unwrap();
        let endpoint = &tracing.destination.settings[0].endpoints[0];
        assert_eq!((tracing.authority.as_str(), endpoint.port), ("otel.example.com", 4318));
    }

    #[test]
    fn a_collector_that_is_not_there_is_told_with_its_place_and_what_came_before_stays() {
        let telemetry = r#"{"metrics":{"sinks":[{"type":"OpenTelemetry","openTelemetry":{"backendRefs":[{"name":"none","port":1}]}}]}}"#;
        let observability = translated(telemetry, vec![]);
        let fault = observability.fault.unwrap();
        assert_eq!(
            (fault.reason, fault.path.to_string().as_str()),
            (INVALID_PARAMETERS, "spec.infrastructure.parametersRef")
        );
        let place = "spec.telemetry.metrics.sinks[0].openTelemetry.backendRefs[0]";
        assert!(fault.message.contains(place) && fault.message.contains("infra/none"), "{}", fault.message);
        assert!(observability.access_log.is_some() && observability.metrics.is_none());
    }

    #[test]
    fn an_expression_that_is_no_cel_is_refused() {
        let telemetry = r#"{"accessLog":{"settings":[{"matches":["response.code >= 400",")+"]}]}}"#;
        let observability = translated(telemetry, vec![]);
        assert_eq!(observability.access_log, None);
        assert!(observability.fault.unwrap().message.contains("accessLog.settings[0].matches[1]"));
    }
}
