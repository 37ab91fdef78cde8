//! From classes and Gateways to fleets: which there are, and what each is before any route.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::classes::ClassDecision;
use super::fleet::{Fleet, GatewayContext, ListenerContext};
use super::gateway_tls::{self, GatewayTls};
use super::infra;
use super::ip_family;
use super::listeners::{self, GatewayInput, Listeners};
use super::member::{self, Member};
use super::observability::{self, Observability};
use super::proxy_service;
use super::view::View;
use crate::api::envoy_proxy::{EnvoyProxy, IpFamily};
use crate::api::gateway::Gateway;
use crate::api::metadata::Object;
use crate::ir::global_resources::GlobalResources;
use crate::ir::listener::ReadyListener;
use crate::ir::xds::Xds;
use crate::resources::Resources;

/// The port a proxy answers readiness probes on.
const READINESS_PORT: u32 = 19_003;
/// The path of those.
const READINESS_PATH: &str = "/ready";

/// A fleet that is to be: its key and who is in it.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetPlan {
    /// `namespace/name` of the Gateway, or the class's name when its Gateways are merged (design §6 rule 13).
    pub ir_key: Arc<str>,
    /// The class.
    pub class: ClassDecision,
    /// The Gateways, from the oldest to the youngest.
    pub gateways: Vec<Arc<Gateway>>,
}

/// Which fleets there are: one for each Gateway of our classes, or one for a class that merges them.
#[must_use]
pub fn plan(resources: &Resources, classes: &BTreeMap<Arc<str>, ClassDecision>) -> Vec<FleetPlan> {
    let mut by_class: BTreeMap<&str, Vec<Arc<Gateway>>> = BTreeMap::new();
    for gateway in resources.gateways().by_age() {
        by_class.entry(&gateway.spec.gateway_class_name).or_default().push(Arc::clone(gateway));
    }
    let mut plans = Vec::new();
    for class in classes.values() {
        let gateways = by_class.remove(&*class.name).unwrap_or_default();
        let plan = |ir_key, gateways| FleetPlan { ir_key, class: class.clone(), gateways };
        if !class.merge_gateways {
            plans.extend(gateways.into_iter().map(|it| plan(Arc::from(it.key().to_string()), vec![it])));
        } else if !gateways.is_empty() {
            plans.push(plan(Arc::clone(&class.name), gateways));
        }
    }
    plans
}

/// Makes a fleet, without routes.
#[must_use]
pub fn fleet(view: &View<'_>, plan: &FleetPlan) -> Fleet {
    let merged = plan.class.merge_gateways;
    let members: Vec<Member> = plan.gateways.iter().map(|gateway| member::judge(view, &plan.class, gateway)).collect();
    let accepted: Vec<&Member> = members.iter().filter(|member| member.failed.is_none()).collect();

    let tls: Vec<GatewayTls> = accepted.iter().map(|member| gateway_tls::read(view, &member.gateway)).collect();
    let listeners = listeners::translate(view, &inputs(&accepted, &tls), merged);
    let observability: Vec<Observability> =
        accepted.iter().map(|member| observability::translate(view, member, merged)).collect();

    let infra = infra::infra(view, plan, &members, &listeners.infra, observability.last());
    let Listeners { contexts, xds, infra: _, holds_until } = listeners;
    let frame = frame(view, plan, &accepted, xds, observability.last());
    let gateways = contexts_of(plan, &members, tls, observability, contexts);
    Fleet {
        ir_key: Arc::clone(&plan.ir_key),
        class: Arc::clone(&plan.class.name),
        gateways,
        frame: Arc::new(frame),
        infra: Arc::new(infra),
        holds_until,
    }
}

fn inputs<'a>(accepted: &[&'a Member], tls: &'a [GatewayTls]) -> Vec<GatewayInput<'a>> {
    accepted
        .iter()
        .zip(tls)
        .map(|(member, tls)| GatewayInput {
            gateway: &member.gateway,
            envoy_proxy: member.envoy_proxy.as_deref(),
            frontend: &tls.frontend,
        })
        .collect()
}

/// The XdsIR: the listeners, and what belongs to none of them. Of merged Gateways the last one speaks for all; their
/// EnvoyProxy is the class's.
fn frame(
    view: &View<'_>,
    plan: &FleetPlan,
    accepted: &[&Member],
    listeners: Xds,
    observability: Option<&Observability>,
) -> Xds {
    let (Some(first), Some(last)) = (accepted.first(), accepted.last()) else { return Xds::default() };
    let envoy_proxy = last.envoy_proxy.as_deref();
    let proxy_service = proxy_service::destination(view, plan, &first.gateway);
    let mut frame = Xds {
        ready_listener: Some(ready_listener(envoy_proxy)),
        filter_order: envoy_proxy.map(|proxy| proxy.spec.filter_order.clone()).unwrap_or_default(),
        global_resources: proxy_service.map(|destination| GlobalResources {
            proxy_service_cluster: Some(Arc::new(destination)),
            ..GlobalResources::default()
        }),
        ..listeners
    };
    if let Some(Observability { access_log, tracing, metrics, metric_sinks: _, health_check_log, fault: _ }) =
        observability
    {
        frame.access_log.clone_from(access_log);
        frame.tracing.clone_from(tracing);
        frame.metrics.clone_from(metrics);
        frame.health_check_log.clone_from(health_check_log);
    }
    frame
}

fn ready_listener(envoy_proxy: Option<&EnvoyProxy>) -> ReadyListener {
    let family = ip_family::of(envoy_proxy);
    ReadyListener {
        ip_family: family.unwrap_or(IpFamily::Ipv4),
        address: ip_family::any_address(family).to_owned(),
        port: READINESS_PORT,
        path: READINESS_PATH.to_owned(),
    }
}

/// The Gateways as their routes and statuses see them; those that failed have no listeners.
fn contexts_of(
    plan: &FleetPlan,
    members: &[Member],
    tls: Vec<GatewayTls>,
    observability: Vec<Observability>,
    listeners: Vec<Vec<ListenerContext>>,
) -> Vec<Arc<GatewayContext>> {
    let mut served = tls.into_iter().zip(observability).zip(listeners);
    members
        .iter()
        .map(|member| {
            let served = if member.failed.is_none() { served.next() } else { None };
            let ((tls, observability), listeners) = served.unwrap_or_default();
            Arc::new(GatewayContext {
                ir_key: Arc::clone(&plan.ir_key),
                rejected: member.rejected.clone().or(observability.fault),
                conditions: tls.conditions,
                listeners,
                ..member.without_listeners()
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::any_object::AnyObject;
    use crate::api::envoy_gateway_defaults::CONTROLLER_NAME;
    use crate::config::Config;
    use crate::gatewayapi::classes;
    use crate::gatewayapi::view::Attachments;

    fn class(parameters: bool) -> AnyObject {
        let reference =
            r#","parametersRef":{"group":"gateway.envoyproxy.io","kind":"EnvoyProxy","name":"p","namespace":"n"}"#;
        let json = format!(
            r#"{{"metadata":{{"name":"eg"}},"spec":{{"controllerName":"{CONTROLLER_NAME}"{}}}}}"#,
            if parameters { reference } else { "" }
        );
        serde_json::from_str::<crate::api::gateway_class::GatewayClass>(&json).unwrap().into()
    }

    fn proxy(spec: &str) -> AnyObject {
        let json = format!(r#"{{"metadata":{{"name":"p","namespace":"n"}},"spec":{spec}}}"#);
        serde_json::from_str::<EnvoyProxy>(&json).unwrap().into()
    }

    fn gateway(name: &str, rest: &str) -> AnyObject {
        let json = format!(
            r#"{{"metadata":{{"name":"{name}","namespace":"infra"}},"spec":{{"gatewayClassName":"eg",
                "listeners":[{{"name":"http","port":80,"protocol":"HTTP"}}]{rest}}}}}"#
        );
        serde_json::from_str::<Gateway>(&json).unwrap().into()
    }

    fn fleets(objects: Vec<AnyObject>) -> Vec<Fleet> {
        let resources: Resources = objects.into_iter().collect();
        let (attachments, config) = (Attachments::default(), Config::default());
        let classes = classes::decide(&resources, &config);
        let plans = plan(&resources, &classes);
        plans.iter().map(|plan| fleet(&View::new(&resources, &attachments, &config), plan)).collect()
    }

    #[test]
    fn each_gateway_has_its_fleet() {
        let fleets = fleets(vec![class(false), gateway("a", ""), gateway("b", "")]);
        let keys: Vec<_> = fleets.iter().map(|fleet| &*fleet.ir_key).collect();
        assert_eq!(keys, ["infra/a", "infra/b"]);
        let listener = &fleets[0].frame.http[0];
        assert_eq!(
            (&*listener.core.name, listener.core.port, listener.core.external_port),
            ("infra/a/http", 10_080, 80)
        );
        assert!(fleets[0].gateways[0].listeners[0].ready);
    }

    #[test]
    fn merged_gateways_share_a_fleet_and_its_ports() {
        let objects = vec![class(true), proxy(r#"{"mergeGateways":true}"#), gateway("a", ""), gateway("b", "")];
        let fleets = fleets(objects);
        assert_eq!(fleets.len(), 1);
        assert_eq!(&*fleets[0].ir_key, "eg");
        assert_eq!(fleets[0].frame.http.len(), 1, "the second has the port, protocol and hostname of the first");
        assert!(!fleets[0].gateways[1].listeners[0].ready);
    }

    #[test]
    fn a_gateway_that_fails_keeps_its_slots() {
        let fleets = fleets(vec![class(false), gateway("a", r#","addresses":[{"type":"NamedAddress","value":"x"}]"#)]);
        let context = &fleets[0].gateways[0];
        assert_eq!(context.failed.as_ref().unwrap().reason, "UnsupportedAddress");
        assert!(context.listeners.is_empty());
        assert_eq!(*fleets[0].frame, Xds::default());
        assert_eq!(fleets[0].infra.proxy.as_ref().unwrap().name, "infra/a");
    }

    #[test]
    fn a_gateway_without_the_envoy_proxy_it_names_is_served_with_what_there_is_and_says_so() {
        let reference =
            r#","infrastructure":{"parametersRef":{"group":"gateway.envoyproxy.io","kind":"EnvoyProxy","name":"x"}}"#;
        let fleets = fleets(vec![class(true), proxy(r#"{"ipFamily":"IPv6"}"#), gateway("a", reference)]);
        let context = &fleets[0].gateways[0];
        assert_eq!(context.rejected.as_ref().unwrap().path.to_string(), "spec.infrastructure.parametersRef");
        assert!(context.failed.is_none());
        assert_eq!(fleets[0].frame.http[0].core.address, "::");
    }

    #[test]
    fn parameters_of_the_class_that_are_not_there_fail_the_gateways_that_would_use_them() {
        let own = |name: &str| {
            format!(
                r#","infrastructure":{{"parametersRef":{{"group":"gateway.envoyproxy.io","kind":"EnvoyProxy","name":"{name}"}}}}"#
            )
        };
        let named = |name: &str, spec: &str| -> AnyObject {
            let json = format!(r#"{{"metadata":{{"name":"{name}","namespace":"infra"}},"spec":{spec}}}"#);
            serde_json::from_str::<EnvoyProxy>(&json).unwrap().into()
        };
        let fleets = fleets(vec![
            class(true),
            named("alone", "{}"),
            named("more", r#"{"mergeType":"StrategicMerge"}"#),
            gateway("a", ""),
            gateway("b", &own("alone")),
            gateway("c", &own("more")),
            gateway("d", &own("missing")),
        ]);
        let failed: Vec<_> = fleets.iter().map(|fleet| (&*fleet.ir_key, fleet.is_failed())).collect();
        assert_eq!(failed, [("infra/a", true), ("infra/b", false), ("infra/c", true), ("infra/d", true)]);
        let fault = fleets[0].gateways[0].failed.as_ref().unwrap();
        assert_eq!((fault.reason, fault.path.to_string().as_str()), ("InvalidParameters", "spec.gatewayClassName"));
        assert!(fault.message.contains("there is no EnvoyProxy n/p; create it"), "{}", fault.message);
    }

    #[test]
    fn broken_parameters_of_the_class_fail_the_gateways_that_use_them() {
        let fleets = fleets(vec![class(true), proxy(r#"{"provider":{"type":"Host"}}"#), gateway("a", "")]);
        assert_eq!(fleets[0].gateways[0].failed.as_ref().unwrap().reason, "InvalidParameters");
    }
}
