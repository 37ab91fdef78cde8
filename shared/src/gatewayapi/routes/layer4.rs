//! What TLS, TCP and UDP routes have in common: one destination for all rules, and one IR route for each listener.

use std::sync::Arc;

use crate::api::metadata::ObjectKey;
use crate::api::references::BackendRef;
use crate::gatewayapi::backends::{Destination, Target, destination};
use crate::gatewayapi::decision::{Layer4Route, ListenerDecision, ListenerOutcome, RouteKind};
use crate::gatewayapi::fleet::{GatewayContext, ListenerContext};
use crate::gatewayapi::routes::fragment::Rules;
use crate::gatewayapi::routes::scope::Scope;
use crate::ir::destination::RouteDestination;
use crate::ir::metadata::ResourceMetadata;

/// The IR name of a route: `tcproute/namespace/name`.
#[must_use]
pub fn route_name(kind: RouteKind, key: &ObjectKey) -> String {
    format!("{}/{}/{}", kind.kind().to_lowercase(), key.namespace, key.name)
}

/// The backends of all `rules` as one destination. Below HTTP nobody could be told that a backend can't be used, so such
/// a backend is left out, and whatever is wrong with it speaks through `ResolvedRefs`.
#[must_use]
pub fn forwarding<'r>(
    scope: &Scope<'_, '_>,
    rules: impl Iterator<Item = &'r [BackendRef]>,
    metadata: &Arc<ResourceMetadata>,
) -> Rules<RouteDestination> {
    // No single rule has the destination: Envoy Gateway says that by -1.
    let name = format!("{}/rule/-1", route_name(scope.kind, scope.route));
    let mut settings = Vec::new();
    let mut faults = Vec::new();
    for (rule, backend_refs) in rules.enumerate() {
        for (index, reference) in backend_refs.iter().enumerate() {
            let Destination { setting, fault } =
                destination(scope, &Target::from(reference), format!("{name}/backend/{index}").into());
            match fault {
                Some(fault) => faults.push(
                    fault.as_reference().within_item("backendRefs", index).within_item("rules", rule).within("spec"),
                ),
                None if setting.weight == Some(0) => {}
                None => settings.push(setting),
            }
        }
    }
    let pieces = RouteDestination {
        name: name.into(),
        stat_name: None,
        settings,
        backend_cluster_refs: Vec::new(),
        metadata: Some(Arc::clone(metadata)),
    };
    Rules { pieces, faults, dropped: Vec::new() }
}

/// Puts what `make` gives for a listener and the names attached there on every listener that is attached and ready.
pub fn place(
    gateway: Option<&GatewayContext>,
    decisions: &mut [ListenerDecision],
    mut make: impl FnMut(&ListenerContext, &[String]) -> Option<Layer4Route>,
) {
    let contexts = gateway.map(|gateway| gateway.listeners.as_slice()).unwrap_or_default();
    for decision in decisions {
        if let ListenerOutcome::Attached { hostnames, listener_ready: true, routes: _, layer4 } = &mut decision.outcome
            && let Some(context) = contexts.iter().find(|context| context.ir_name == decision.ir_name)
        {
            *layer4 = make(context, hostnames);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::gatewayapi::assembly::RouteId;
    use crate::gatewayapi::route_statuses::route_status;
    use crate::gatewayapi::translate::{Cache, Translation, translate};
    use crate::ir::destination::AppProtocol;
    use crate::ir::tcp_listener::TcpRoute;
    use crate::resources::{Resources, decode};

    const EDGE: &str = r#"
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: eg}
spec: {controllerName: gateway.envoyproxy.io/gatewayclass-controller}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: shop}
spec:
  gatewayClassName: eg
  listeners:
  - {name: tcp, protocol: TCP, port: 5000}
  - {name: udp, protocol: UDP, port: 53}
  - {name: through, protocol: TLS, port: 8443, hostname: "*.example.com", tls: {mode: Passthrough}}
  - {name: ending, protocol: TLS, port: 9443, hostname: in.example.com, tls: {mode: Terminate, certificateRefs: [{name: web}]}}
---
apiVersion: v1
kind: Secret
metadata: {name: web, namespace: shop}
type: gateway.envoyproxy.io/sds
stringData: {secretName: web, url: "unix:///run/sds.sock"}
---
apiVersion: v1
kind: Service
metadata: {name: dns, namespace: shop}
spec: {ports: [{name: t, port: 53, protocol: TCP, appProtocol: kubernetes.io/h2c}, {name: u, port: 53, protocol: UDP}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: dns-1, namespace: shop, labels: {kubernetes.io/service-name: dns}}
addressType: IPv4
ports: [{name: t, port: 5353, protocol: TCP}, {name: u, port: 5454, protocol: UDP}]
endpoints: [{addresses: [10.0.0.1]}]
---
apiVersion: v1
kind: Service
metadata: {name: empty, namespace: shop}
spec: {ports: [{port: 53}]}
---
apiVersion: gateway.envoyproxy.io/v1alpha1
kind: Backend
metadata: {name: any, namespace: shop}
spec: {type: DynamicResolver}
"#;

    const DNS: &str = "{name: dns, port: 53}";
    const ANY: &str = "{group: gateway.envoyproxy.io, kind: Backend, name: any}";

    /// A route of `kind` in the namespace `shop` on one listener, with a rule for each of `rules`: backendRefs.
    fn route(kind: &str, name: &str, listener: &str, hostnames: &str, rules: &[&str]) -> String {
        let rules: String = rules.iter().map(|refs| format!("  - backendRefs: [{refs}]\n")).collect();
        format!(
            "---\napiVersion: gateway.networking.k8s.io/v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: shop}}\n\
             spec:\n  parentRefs: [{{name: edge, sectionName: {listener}}}]\n{hostnames}  rules:\n{rules}"
        )
    }

    fn tls(name: &str, listener: &str, hostnames: &str, rules: &[&str]) -> String {
        route("TLSRoute", name, listener, &format!("  hostnames: [{hostnames}]\n"), rules)
    }

    fn translated(routes: &[String]) -> Translation {
        let decoded = decode::manifests("test.yaml", &format!("{EDGE}{}", routes.concat()));
        assert_eq!((&*decoded.errors, &*decoded.warnings), (&[][..], &[][..]));
        let resources: Resources = decoded.objects.into_iter().map(|found| found.object).collect();
        let config = Config { backend_enabled: true, sds_secret_ref_enabled: true, ..Config::default() };
        translate(&resources, &config, &mut Cache::default())
    }

    /// The conditions under the only parent: `Accepted=True Accepted`.
    fn conditions(translation: &Translation, kind: RouteKind, name: &str) -> Vec<String> {
        let fragment = &translation.routes[&RouteId { kind, key: ObjectKey::new("shop", name) }];
        let status = route_status(fragment, &translation.listeners, "us");
        let shown =
            |it: &crate::api::condition::Condition| format!("{}={} {}", it.r#type, it.status.as_str(), it.reason);
        status.parents[0].conditions.iter().map(shown).collect()
    }

    fn attached(translation: &Translation, listener: &str) -> i32 {
        translation.listeners.get(&*format!("shop/edge/{listener}")).map_or(0, |summary| summary.attached)
    }

    fn served<'t>(translation: &'t Translation, listener: &str) -> &'t [TcpRoute] {
        let listeners = &translation.xds["shop/edge"].tcp;
        &listeners.iter().find(|found| found.core.name == format!("shop/edge/{listener}")).unwrap().routes
    }

    fn names(routes: &[TcpRoute]) -> Vec<&str> {
        routes.iter().map(|route| route.name.as_str()).collect()
    }

    fn snis(route: &TcpRoute) -> Vec<&str> {
        let inspector = route.tls.as_ref().and_then(|tls| tls.inspector.as_ref());
        inspector.map(|inspector| inspector.snis.iter().map(String::as_str).collect()).unwrap_or_default()
    }

    const FINE: [&str; 2] = ["Accepted=True Accepted", "ResolvedRefs=True ResolvedRefs"];

    #[test]
    fn a_route_that_cannot_choose_has_one_rule() {
        let (two, missing) = ([DNS, DNS], ["{name: gone, port: 53}", DNS]);
        let it = translated(&[
            route("TCPRoute", "t", "tcp", "", &two),
            route("UDPRoute", "u", "udp", "", &missing),
            tls("s", "through", "a.example.com", &two),
        ]);
        assert_eq!(conditions(&it, RouteKind::Tcp, "t"), ["Accepted=False InvalidRule"]);
        assert_eq!(conditions(&it, RouteKind::Udp, "u"), ["Accepted=False InvalidRule"]);
        assert_eq!((attached(&it, "tcp"), served(&it, "tcp").len(), attached(&it, "udp")), (0, 0, 0));
        assert_eq!(conditions(&it, RouteKind::Tls, "s"), FINE);
        let destination = served(&it, "through")[0].destination.as_ref().unwrap();
        assert_eq!((&*destination.name, destination.settings.len()), ("tlsroute/shop/s/rule/-1", 2));
    }

    #[test]
    fn of_several_routes_that_match_alike_the_first_is_served_and_all_are_attached() {
        let mut routes: Vec<String> = ["b", "a"].map(|name| route("TCPRoute", name, "tcp", "", &[DNS])).into();
        routes.extend(["d", "c"].map(|name| route("UDPRoute", name, "udp", "", &[DNS])));
        // Age comes before the name.
        let old = "namespace: shop, creationTimestamp: \"2024-01-01T00:00:00Z\"";
        let young = "namespace: shop, creationTimestamp: \"2025-01-01T00:00:00Z\"";
        let by_name = translated(&routes);
        for (route, age) in routes.iter_mut().zip([old, young, old, young]) {
            *route = route.replace("namespace: shop", age);
        }
        let by_age = translated(&routes);
        for (it, tcp, udp) in
            [(by_name, "tcproute/shop/a", "udproute/shop/c"), (by_age, "tcproute/shop/b", "udproute/shop/d")]
        {
            assert_eq!(names(served(&it, "tcp")), [tcp]);
            assert_eq!(it.xds["shop/edge"].udp[0].route.as_ref().unwrap().name, udp);
            assert_eq!((attached(&it, "tcp"), attached(&it, "udp")), (2, 2));
            assert_eq!(conditions(&it, RouteKind::Tcp, "a"), FINE);
            assert_eq!(conditions(&it, RouteKind::Udp, "d"), FINE);
        }
    }

    #[test]
    fn server_names_are_those_route_and_listener_have_in_common() {
        let it = translated(&[
            tls("both", "through", "b.example.com, a.example.com, x.org", &[DNS]),
            tls("wild", "through", "'*.org', '*.com'", &[DNS]),
            tls("none", "through", "x.org", &[DNS]),
        ]);
        let routes = served(&it, "through");
        assert_eq!(names(routes), ["tlsroute/shop/both", "tlsroute/shop/wild"]);
        assert_eq!(
            (snis(&routes[0]), snis(&routes[1])),
            (vec!["a.example.com", "b.example.com"], vec!["*.example.com"])
        );
        assert!(routes[0].tls.as_ref().unwrap().terminate.is_none());
        assert_eq!(attached(&it, "through"), 2);
        let refused = ["Accepted=False NoMatchingListenerHostname", "ResolvedRefs=True ResolvedRefs"];
        assert_eq!(conditions(&it, RouteKind::Tls, "none"), refused);
    }

    #[test]
    fn where_tls_ends_the_routes_end_it_as_the_listener_does() {
        let tcp = route("TCPRoute", "t", "ending", "", &[DNS]);
        let alone = translated(std::slice::from_ref(&tcp));
        let both = translated(&[tcp, tls("s", "ending", "in.example.com", &[DNS])]);
        for (it, name) in [(&alone, "tcproute/shop/t"), (&both, "tlsroute/shop/s")] {
            let [route] = served(it, "ending") else { panic!("one route") };
            assert_eq!((route.name.as_str(), snis(route)), (name, vec!["in.example.com"]));
            let certificates = &route.tls.as_ref().unwrap().terminate.as_ref().unwrap().certificates;
            assert_eq!(certificates[0].name, "shop/web");
        }
        assert_eq!(attached(&both, "ending"), 2);
        let passed = translated(&[route("TCPRoute", "t", "through", "", &[DNS])]);
        assert_eq!(conditions(&passed, RouteKind::Tcp, "t")[0], "Accepted=False NotAllowedByListeners");
    }

    #[test]
    fn a_backend_that_cannot_be_used_is_left_out() {
        let refs = "{name: gone, port: 53}, {name: dns, port: 53, weight: 3}, {name: dns, port: 53, weight: 0}";
        let it = translated(&[
            route("TCPRoute", "t", "tcp", "", &[refs]),
            route("UDPRoute", "u", "udp", "", &[DNS]),
            tls("s", "through", "a.example.com", &["{name: empty, port: 53}"]),
        ]);
        assert_eq!(
            conditions(&it, RouteKind::Tcp, "t"),
            ["Accepted=True Accepted", "ResolvedRefs=False BackendNotFound"]
        );
        assert_eq!(
            conditions(&it, RouteKind::Tls, "s"),
            ["Accepted=True Accepted", "ResolvedRefs=False EndpointsNotFound"]
        );
        let [setting] = &*served(&it, "tcp")[0].destination.as_ref().unwrap().settings else { panic!("one setting") };
        assert_eq!(&*setting.name, "tcproute/shop/t/rule/-1/backend/1");
        assert_eq!(
            (setting.weight, &setting.protocol, setting.endpoints[0].port),
            (Some(3), &Some(AppProtocol::Tcp), 5353)
        );
        assert!(served(&it, "through")[0].destination.as_ref().unwrap().settings.is_empty());
        let udp = it.xds["shop/edge"].udp[0].route.as_ref().unwrap().destination.as_ref().unwrap();
        assert_eq!((&udp.settings[0].protocol, udp.settings[0].endpoints[0].port), (&Some(AppProtocol::Udp), 5454));
    }

    #[test]
    fn a_dynamic_resolver_is_alone_and_where_tls_passes_through() {
        let it = translated(&[
            tls("alone", "through", "a.example.com", &[ANY]),
            tls("beside", "through", "b.example.com", &[ANY, DNS]),
            tls("ended", "ending", "in.example.com", &[ANY]),
        ]);
        let settings = |index: usize| &served(&it, "through")[index].destination.as_ref().unwrap().settings;
        assert!(settings(0)[0].is_dynamic_resolver && settings(1).is_empty());
        assert_eq!(conditions(&it, RouteKind::Tls, "alone"), FINE);
        assert_eq!(conditions(&it, RouteKind::Tls, "beside")[1], "ResolvedRefs=False InvalidBackendRef");
        assert_eq!(conditions(&it, RouteKind::Tls, "ended")[1], "ResolvedRefs=False UnsupportedValue");
        assert_eq!((attached(&it, "ending"), served(&it, "ending").len()), (1, 0));
    }
}
